package middleware

import "net/http"

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
