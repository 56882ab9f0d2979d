package middleware

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// leastPart is how many bytes must come in the time of the patience: of 30 s, 2 KiB a second,
// which the slowest of phones does.
const leastPart = 64 << 10

// Patient is the body of a request that may take long, as long as its parts come one after the
// other. It is for requests without Deadline.
func Patient(w http.ResponseWriter, r *http.Request, patience time.Duration) io.Reader {
	return &patient{body: r.Body, controller: http.NewResponseController(w), patience: patience}
}

type patient struct {
	body       io.Reader
	controller *http.ResponseController
	patience   time.Duration
	left       int64 // bytes until there is time anew
}

// Read implements io.Reader.
func (p *patient) Read(b []byte) (int, error) {
	if p.left <= 0 {
		err := p.controller.SetReadDeadline(time.Now().Add(p.patience))
		if err != nil && !errors.Is(err, http.ErrNotSupported) {
			return 0, err
		}
		p.left = leastPart
	}
	n, err := p.body.Read(b)
	p.left -= int64(n)
	return n, err
}

// Unless has some requests pass by a piece.
func Unless(some func(*http.Request) bool, piece Piece) Piece {
	if some == nil {
		return piece
	}
	return func(next http.Handler) http.Handler {
		through := piece(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if some(r) {
				next.ServeHTTP(w, r)
				return
			}
			through.ServeHTTP(w, r)
		})
	}
}
