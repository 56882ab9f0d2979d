package middleware

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/netip"
	"time"

	"vitrine/internal/describe"
	"vitrine/internal/domain"
	"vitrine/internal/obs"
	"vitrine/internal/scope"
)

// Exchange holds the state of one request and its response. Begin puts it into the context, the
// middleware and handlers fill it, and the observers read it when the response is done. Only the
// goroutine that serves the request may use it.
type Exchange struct {
	RequestID string
	Trace     string     // traceparent of the request's span, else the incoming one, else empty
	ClientIP  netip.Addr // unmapped and without zone; invalid if unknown
	Operation string     // operationId of the matched route, or empty
	UserID    int64      // authenticated user; 0 for guests and applications
	Tier      string     // tier of the rate limit
	Status    int        // status sent; 0 before that
	Bytes     int64      // body bytes written to the connection
	Refused   Refusal    // limit that refused the request, if the status is ambiguous
	Error     error      // cause of a failure, only for the log
	ETag      string     // entity tag of the response, set by NotModified
	Location  string     // Location of a resource that the request created, or empty
	HeadOnly  bool       // the method is HEAD, which is handled as GET
	LogPath   string     // replaces a path that contains a secret in logs; empty: log the path

	Scope       scope.Scope         // of the request's transactions; see Scoped
	Actor       domain.Actor        // authenticated caller of an API
	Description *describe.Operation // of the API operation, or nil

	span        *obs.Span // nil if the request is not traced
	peer        netip.Addr
	socket      bool // the peer is on a Unix socket, which only proxies can connect to
	readOnly    bool
	ifNoneMatch []string
}

// Refusal is a kind of limit.
type Refusal string

// Limits whose status is also used by others.
const (
	TooFast       Refusal = "requests" // requests per minute
	TooManyAtOnce Refusal = "at_once"
)

// exchangeKey is the key of the Exchange. The handlers that ogen generates accept only a context.
type exchangeKey struct{}

// From returns the request's Exchange. It is never nil: without Begin it is a new one that is not
// used elsewhere.
func From(ctx context.Context) *Exchange {
	if x, ok := ctx.Value(exchangeKey{}).(*Exchange); ok {
		return x
	}
	return &Exchange{}
}

// NotModified records etag as the tag of the response and reports whether the request's
// If-None-Match matches it (RFC 9110 §13.1.2, weak comparison). If it does, respond with
// WriteNotModified. It returns false for methods other than GET and HEAD.
func (x *Exchange) NotModified(etag string) bool {
	x.ETag = etag
	return x.readOnly && matchETag(x.ifNoneMatch, etag)
}

// fromProxy reports whether the headers of proxies can be trusted: the peer is in trusted, or on
// a Unix socket.
func (x *Exchange) fromProxy(trusted []netip.Prefix) bool {
	return x.socket || contains(trusted, x.peer)
}

// Observer is called after each request, with the original r and the time that it took. It also
// runs if the handler panicked; then Status is 0 if nothing was sent.
type Observer func(r *http.Request, x *Exchange, took time.Duration)

// Begin is the outermost middleware. It creates the Exchange, records the status and size of the
// response in it, and calls the observers at the end.
func Begin(now func() time.Time, observers ...Observer) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			start := now()
			x := &Exchange{
				peer:        peerAddr(r.RemoteAddr),
				readOnly:    isRead(r.Method),
				ifNoneMatch: r.Header.Values("If-None-Match"),
			}
			x.socket = !x.peer.IsValid() && overSocket(r)
			x.ClientIP = x.peer
			defer func() {
				for _, observe := range observers {
					observe(r, x, now().Sub(start))
				}
			}()
			rec := &recorder{x: x}
			rec.headerHook = headerHook{ResponseWriter: w, before: func(status int) {
				x.Status = status
				if x.Location != "" {
					w.Header().Set("Location", x.Location)
				}
			}}
			next.ServeHTTP(rec, r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x)))
			if x.Status == 0 {
				x.Status = http.StatusOK // net/http sends 200 for a handler that wrote nothing
			}
		})
	}
}

// Scoped puts the scope of the request's transactions into the context. It must be inside of the
// middleware that determines the client's address, the request ID and the trace.
func Scoped(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := From(r.Context())
		x.Scope.Origin = domain.Origin{Address: x.ClientIP, Request: x.RequestID}
		x.Scope.Cause = obs.Origin{Request: x.RequestID, Trace: x.Trace}
		next.ServeHTTP(w, r.WithContext(scope.With(r.Context(), &x.Scope)))
	})
}

func isRead(method string) bool {
	return method == http.MethodGet || method == http.MethodHead
}

// recorder records the response in the Exchange.
type recorder struct {
	headerHook
	x *Exchange
}

func (rec *recorder) Write(p []byte) (int, error) {
	n, err := rec.headerHook.Write(p)
	rec.x.Bytes += int64(n)
	return n, err
}

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
			if x.Trace != "" && obs.TraceID(x.Trace) == "" {
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
