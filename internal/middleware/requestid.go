package middleware

import (
	"crypto/rand"
	"net/http"
	"net/netip"
)

const maxRequestID = 64

// RequestID gives every request an id, in the Exchange and in the response
// header X-Request-Id. An incoming id is kept if the peer is a proxy (Exchange.fromProxy) and
// it is 1..64 characters of [A-Za-z0-9._-]; anyone else could forge log lines. A
// trace id is accepted from everybody if its traceparent is well-formed, because it does not name anything of ours.
func RequestID(trusted []netip.Prefix) Piece {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			x := From(r.Context())
			x.RequestID = r.Header.Get("X-Request-Id")
			if !validRequestID(x.RequestID) || !x.fromProxy(trusted) {
				x.RequestID = rand.Text()
			}
			x.Trace = r.Header.Get("Traceparent")
			if x.Trace != "" && x.Origin().TraceID() == "" {
				x.Trace = ""
			}
			w.Header()["X-Request-Id"] = []string{x.RequestID}
			next.ServeHTTP(w, r)
		})
	}
}

func validRequestID(id string) bool {
	if id == "" || len(id) > maxRequestID {
		return false
	}
	for i := range len(id) {
		switch c := id[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '.', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}
