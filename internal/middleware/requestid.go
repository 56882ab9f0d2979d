package middleware

import (
	"crypto/rand"
	"net/http"
	"net/netip"
)

const maxRequestID = 64

// RequestID sets the request ID in the Exchange and in the response header X-Request-Id. It keeps
// an incoming ID if the peer is a proxy (Exchange.fromProxy) and the ID is 1..64 characters of
// [A-Za-z0-9._-]; anyone else could forge log lines. It accepts a well-formed traceparent from
// everyone because a trace ID does not identify anything of ours.
func RequestID(trusted []netip.Prefix) Middleware {
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
