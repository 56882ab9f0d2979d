package middleware

import "net/http"

// Head handles HEAD with the GET handler and drops the body, so that the status and all headers
// equal those of GET. It is outside Compress because the Content-Length of a HEAD response must be
// that of the GET response (RFC 9110 §8.6).
func Head(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodHead {
			next.ServeHTTP(w, r)
			return
		}
		From(r.Context()).HeadOnly = true
		get := r.WithContext(r.Context()) // a copy: the caller's request stays HEAD
		get.Method = http.MethodGet
		next.ServeHTTP(bodiless{w}, get)
	})
}

// bodiless drops the body.
type bodiless struct{ http.ResponseWriter }

func (w bodiless) Write(p []byte) (int, error) { return len(p), nil }

func (w bodiless) Flush() { flush(w.ResponseWriter) }

// Unwrap supports http.ResponseController.
func (w bodiless) Unwrap() http.ResponseWriter { return w.ResponseWriter }
