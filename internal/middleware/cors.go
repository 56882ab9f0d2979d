package middleware

import (
	"net/http"
	"strings"
	"time"

	"github.com/rs/cors"
)

// preflightSeconds is how long a browser may cache a preflight. Browsers limit it to their own
// maximum.
const preflightSeconds = 86400

var anyOrigin = []string{"*"}

var exposedHeaders = []string{strings.Join([]string{
	"ETag", "Idempotent-Replayed", "Link", "Location", "Retry-After", "X-Request-Id",
	"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset",
	"X-RateLimit-Tier", "X-RateLimit-Window",
}, ", ")}

// CORS allows web pages of any origin to use the API (behaviour.md section 1): every method, any
// request header, no credentials, because tokens are sent in Authorization. It answers preflights
// with 204.
//
// The headers are sent whether or not the request has an Origin. So a response in a shared cache
// can be used for everyone, and Vary need not contain Origin.
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

// PreflightLimits adds the rate limit headers of a guest to preflights but does not count them,
// because browsers send them on their own before many requests.
func PreflightLimits(l *Limiter, now func() time.Time, tier string) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if isPreflight(r) {
				l.Peek(now(), GuestKey(From(r.Context()).ClientIP), tier).WriteHeaders(w.Header())
			}
			next.ServeHTTP(w, r)
		})
	}
}
