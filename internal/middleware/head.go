package middleware

import "net/http"

// Head serves HEAD by the GET handler and drops the body, so that the status and
// every header field are those of GET. It stands outside Compress because a
// Content-Length sent with HEAD must be that of the GET (RFC 9110 §8.6).
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

// bodiless passes the header on and forgets the body.
type bodiless struct{ http.ResponseWriter }

func (w bodiless) Write(p []byte) (int, error) { return len(p), nil }

func (w bodiless) Flush() { flush(w.ResponseWriter) }

// Unwrap serves http.ResponseController.
func (w bodiless) Unwrap() http.ResponseWriter { return w.ResponseWriter }
