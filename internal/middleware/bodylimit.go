package middleware

import (
	"io"
	"net/http"
)

// BodyLimit bounds request bodies to limit bytes: reading a larger one fails with
// *http.MaxBytesError, which the handler turns into 413. A Content-Length that
// announces one makes the first read fail, before anything is received. It answers
// nothing itself, so that 413 counts for the rate limit like any other request.
func BodyLimit(limit int64) Piece {
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

// refusedBody is a body that is known to be too large.
type refusedBody struct {
	io.Closer
	limit int64
}

// Read reads nothing.
func (b refusedBody) Read([]byte) (int, error) { return 0, &http.MaxBytesError{Limit: b.limit} }
