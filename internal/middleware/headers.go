package middleware

import (
	"net/http"
	"strings"
	"time"

	"github.com/rs/cors"
)

// Shared by all responses; see SecureHeaders.
var (
	cachePublic  = []string{"max-age=300, public"}
	cachePrivate = []string{"private, no-cache"}
	cacheNever   = []string{"no-store"}
	varyUsual    = []string{"Authorization, Accept-Encoding"}
)

// CacheHeaders sets Cache-Control and Vary on every response (behaviour.md section 1). Responses to
// GET and HEAD with 200, 206 or 304 may be cached: by shared caches if the request has no
// Authorization header, otherwise only by the client, with revalidation. All others are no-store. A
// handler's own Cache-Control is kept, except on errors.
func CacheHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hook := &headerHook{ResponseWriter: w}
		hook.before = func(status int) { setCacheHeaders(w.Header(), r, status) }
		next.ServeHTTP(hook, r)
		hook.ensure()
	})
}

func setCacheHeaders(h http.Header, r *http.Request, status int) {
	addVary(h)
	if h.Get("Cache-Control") == "" || status >= http.StatusBadRequest {
		h["Cache-Control"] = cachePolicy(r, status)
	}
}

func cachePolicy(r *http.Request, status int) []string {
	kept := status == http.StatusOK || status == http.StatusPartialContent || status == http.StatusNotModified
	switch {
	case !kept || !isRead(r.Method):
		return cacheNever
	case r.Header.Get("Authorization") != "":
		return cachePrivate
	default:
		return cachePublic
	}
}

// addVary merges all Vary values into one line without duplicates, and adds the two fields that
// every response depends on.
func addVary(h http.Header) {
	fields := []string{"Authorization", "Accept-Encoding"}
	for _, line := range h.Values("Vary") {
		for field := range strings.SplitSeq(line, ",") {
			field = strings.TrimSpace(field)
			if field != "" && !containsFold(fields, field) {
				fields = append(fields, field)
			}
		}
	}
	if len(fields) == 2 {
		h["Vary"] = varyUsual
		return
	}
	h.Set("Vary", strings.Join(fields, ", "))
}

func containsFold(list []string, s string) bool {
	for _, item := range list {
		if strings.EqualFold(item, s) {
			return true
		}
	}
	return false
}

// Constant header values are shared by all responses. Header.Set would allocate a slice for each, a
// tenth of all allocations of reading a block. Header.Add cannot modify them because their capacity
// is used up.
var (
	nosniff    = []string{"nosniff"}
	noReferrer = []string{"no-referrer"}
	cspNone    = []string{"default-src 'none'; frame-ancestors 'none'"}
)

// SecureHeaders marks API responses as data that browsers must not sniff, frame, run, or send as a
// referrer. The website's pages have their own policy.
func SecureHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h["X-Content-Type-Options"] = nosniff
		h["Referrer-Policy"] = noReferrer
		h["Content-Security-Policy"] = cspNone
		next.ServeHTTP(w, r)
	})
}

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
