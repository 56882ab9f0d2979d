package middleware

import "net/http"

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
