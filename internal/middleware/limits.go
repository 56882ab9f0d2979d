package middleware

import (
	"io"
	"net/http"

	"vitrine/internal/budget"
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

// HeaderLimit responds 431 to requests whose header is larger than limit bytes and closes the
// connection. The limit of net/http must be larger, because it writes its own error response.
func HeaderLimit(limit int, render Renderer) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if headerSize(r) > limit {
				w.Header().Set("Connection", "close")
				render(w, r, http.StatusRequestHeaderFieldsTooLarge, "The header of the request is too large")
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// headerSize returns the approximate size of a request's header on the wire.
func headerSize(r *http.Request) int {
	n := len(r.Method) + len(r.RequestURI) + len(r.Proto) + len(r.Host)
	for name, values := range r.Header {
		for _, value := range values {
			n += len(name) + len(value) + len(": \r\n")
		}
	}
	return n
}

// Memory charges the memory of each request and its response to a budget, per user or per guest's
// address, until the response is written.
func Memory(b *budget.Budget) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			x := From(r.Context())
			client := func() any {
				if x.UserID != 0 {
					return UserKey(x.UserID)
				}
				return GuestKey(x.ClientIP)
			}
			account := b.Open(client)
			defer account.Close()
			x.Scope.Memory = account
			next.ServeHTTP(w, r)
		})
	}
}
