package middleware

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/obs"
	"vitrine/internal/obs/trace"
)

// Exchange is what is known about one request and its response. Begin puts one
// into the context, the pieces and handlers fill it along the way, and the
// observers read it when the response is done. It belongs to the goroutine that
// serves the request.
type Exchange struct {
	RequestID string
	Trace     string     // the traceparent of the request's span, or that came along; empty for none
	ClientIP  netip.Addr // unmapped and without zone; invalid when unknown
	Operation string     // operationId of the matched route, empty for none
	UserID    int64      // acting user, 0 for guests and applications
	Tier      string     // tier that the rate limit was taken from
	Status    int        // status on the wire, 0 while nothing has been sent
	Bytes     int64      // body bytes handed to the connection
	Refused   Refusal    // which limit refused the request, where the status does not say it
	Error     error      // cause of a failure, for the log only
	ETag      string     // entity tag of the representation, set by NotModified
	Location  string     // of what the request has begun: the header of that name; empty for none
	HeadOnly  bool       // the request is HEAD, which is served as GET
	LogPath   string     // what logs have in place of a path that holds a secret; empty: the path

	span        *trace.Span // nil where the request is not traced
	peer        netip.Addr
	socket      bool // the peer is on a Unix socket, to which only proxies may connect
	readOnly    bool
	ifNoneMatch []string
}

// Refusal is a kind of limit.
type Refusal string

// The kinds that share a status with others.
const (
	TooFast   Refusal = "requests" // in a minute
	TooManyAt Refusal = "at_once"
)

// Origin is what jobs that the request enqueues keep of it.
func (x *Exchange) Origin() obs.Origin { return obs.Origin{Request: x.RequestID, Trace: x.Trace} }

// From returns the request's Exchange. It is never nil: outside Begin it is a
// fresh one that nobody reads.
func From(ctx context.Context) *Exchange {
	if x, ok := ctx.Value(obs.OriginKey{}).(*Exchange); ok {
		return x
	}
	return &Exchange{}
}

// ActedFrom is where the request comes from, for what is noted of its acts.
func (x *Exchange) ActedFrom() domain.Origin {
	return domain.Origin{Address: x.ClientIP, Request: x.RequestID}
}

// NotModified records etag as the tag of the response and reports whether the
// request's If-None-Match matches it (RFC 9110 §13.1.2, weak comparison). When
// it does, answer with WriteNotModified. It is always false for methods other
// than GET and HEAD.
func (x *Exchange) NotModified(etag string) bool {
	x.ETag = etag
	return x.readOnly && matchETag(x.ifNoneMatch, etag)
}

// fromProxy reports whether the headers of proxies can be trusted: the peer is in trusted, or on
// a Unix socket.
func (x *Exchange) fromProxy(trusted []netip.Prefix) bool {
	return x.socket || contains(trusted, x.peer)
}

// Observer is called with each finished request: r as it arrived, and how long it
// took. It runs even when the handler panicked, with Status 0 if nothing was sent.
type Observer func(r *http.Request, x *Exchange, took time.Duration)

// Begin is the outermost piece. It creates the Exchange, records the status and
// the size of the response in it, and calls the observers at the end.
func Begin(now func() time.Time, observers ...Observer) Piece {
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
			next.ServeHTTP(rec, r.WithContext(context.WithValue(r.Context(), obs.OriginKey{}, x)))
			if x.Status == 0 {
				x.Status = http.StatusOK // what net/http sends for a handler that wrote nothing
			}
		})
	}
}

func isRead(method string) bool {
	return method == http.MethodGet || method == http.MethodHead
}

// recorder notes in the Exchange what goes out.
type recorder struct {
	headerHook
	x *Exchange
}

func (rec *recorder) Write(p []byte) (int, error) {
	n, err := rec.headerHook.Write(p)
	rec.x.Bytes += int64(n)
	return n, err
}
