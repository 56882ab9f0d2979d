package middleware

import (
	"net/http"
	"strings"
	"time"

	"github.com/rs/cors"
)

// preflightSeconds is how long a browser may remember a preflight: a day, which
// each browser cuts to its own maximum.
const preflightSeconds = 86400

var anyOrigin = []string{"*"}

var exposedHeaders = []string{strings.Join([]string{
	"ETag", "Idempotent-Replayed", "Link", "Location", "Retry-After", "X-Request-Id",
	"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset",
	"X-RateLimit-Tier", "X-RateLimit-Window",
}, ", ")}

// CORS lets web pages of any origin use the API (behaviour.md section 1): every
// method, any request header, no credentials (tokens travel in Authorization).
// A preflight is answered here by 204 and goes no further.
//
// The allowance is sent whether or not the request names an Origin. A response
// kept by a shared cache thus serves everyone, and Vary need not name Origin.
func CORS(next http.Handler) http.Handler {
	preflight := cors.New(cors.Options{
		AllowedOrigins: []string{"*"},
		AllowedMethods: []string{
			http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut,
			http.MethodPatch, http.MethodDelete, http.MethodOptions,
		},
		AllowedHeaders: []string{"*"},
		MaxAge:         preflightSeconds,
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isPreflight(r) {
			preflight.HandlerFunc(w, r)
			return
		}
		h := w.Header()
		h["Access-Control-Allow-Origin"] = anyOrigin
		h["Access-Control-Expose-Headers"] = exposedHeaders
		next.ServeHTTP(w, r)
	})
}

func isPreflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != ""
}

// PreflightLimits gives a preflight the rate limit headers of a guest of its address,
// and does not count it: browsers make it by themselves, and before each kind of request.
func PreflightLimits(l *Limiter, now func() time.Time, tier string) Piece {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if isPreflight(r) {
				l.Look(now(), GuestKey(From(r.Context()).ClientIP), tier).WriteHeaders(w.Header())
			}
			next.ServeHTTP(w, r)
		})
	}
}
