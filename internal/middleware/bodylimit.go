package middleware

import (
	"io"
	"net/http"
)

// BodyLimit limits request bodies: reading more than limit bytes fails with *http.MaxBytesError,
// which the handler turns into 413. If Content-Length is too large, the first read fails before any
// data is received. BodyLimit does not respond itself, so that a 413 counts against the rate limit
// like any other response.
func BodyLimit(limit int64) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.ContentLength > limit:
				r.Body = refusedBody{r.Body, limit}
			case r.Body != nil && r.Body != http.NoBody:
				r.Body = http.MaxBytesReader(w, r.Body, limit)
			}
			next.ServeHTTP(w, r)
		})
	}
}

// refusedBody is the body of a request whose Content-Length is too large.
type refusedBody struct {
	io.Closer
	limit int64
}

// Read always fails.
func (b refusedBody) Read([]byte) (int, error) { return 0, &http.MaxBytesError{Limit: b.limit} }
