package middleware

import "net/http"

// HeaderLimit answers requests whose header is larger than limit bytes by 431 through
// render, and closes the connection. The limit of net/http, which answers in words of
// its own, must be larger.
func HeaderLimit(limit int, render Renderer) Piece {
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

// headerSize is about how many bytes the head of a request has on the wire.
func headerSize(r *http.Request) int {
	n := len(r.Method) + len(r.RequestURI) + len(r.Proto) + len(r.Host)
	for name, values := range r.Header {
		for _, value := range values {
			n += len(name) + len(value) + len(": \r\n")
		}
	}
	return n
}
