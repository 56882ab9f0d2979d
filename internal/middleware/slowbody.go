package middleware

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// minProgress is the number of bytes that must arrive within the patience. With 30 s that is 2 KiB
// a second, which even a slow phone manages.
const minProgress = 64 << 10

// SlowBody returns the body of a request that may take long as long as data keeps arriving. Use it
// for requests without Deadline.
func SlowBody(w http.ResponseWriter, r *http.Request, patience time.Duration) io.Reader {
	return &slowBody{body: r.Body, controller: http.NewResponseController(w), timeout: patience}
}

type slowBody struct {
	body       io.Reader
	controller *http.ResponseController
	timeout    time.Duration
	left       int64 // bytes to read before the deadline is extended
}

// Read implements io.Reader.
func (p *slowBody) Read(b []byte) (int, error) {
	if p.left <= 0 {
		err := p.controller.SetReadDeadline(time.Now().Add(p.timeout))
		if err != nil && !errors.Is(err, http.ErrNotSupported) {
			return 0, err
		}
		p.left = minProgress
	}
	n, err := p.body.Read(b)
	p.left -= int64(n)
	return n, err
}

// Unless returns middleware that is skipped for the requests selected by some.
func Unless(some func(*http.Request) bool, wrap Middleware) Middleware {
	if some == nil {
		return wrap
	}
	return func(next http.Handler) http.Handler {
		through := wrap(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if some(r) {
				next.ServeHTTP(w, r)
				return
			}
			through.ServeHTTP(w, r)
		})
	}
}
