package middleware

import (
	"context"
	"crypto/rand"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
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
	TokenHash   []byte              // of the caller's token, only for requests that wait
	Description *describe.Operation // of the API operation, or nil
	Upload      *http.Request       // of an API operation whose handler reads the body as a stream, or nil
	Request     context.Context     // of the request, if its handler runs in a context that does not end with it, or nil

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

// exchangeContext is the context of a request with its Exchange.
type exchangeContext struct {
	context.Context
	x *Exchange
}

// Value implements context.Context.
func (c *exchangeContext) Value(key any) any {
	if key == (exchangeKey{}) {
		return c.x
	}
	return c.Context.Value(key)
}

// From returns the request's Exchange. It is never nil: without Begin it is a new one that is not
// used elsewhere.
func From(ctx context.Context) *Exchange {
	if x, ok := ctx.Value(exchangeKey{}).(*Exchange); ok {
		return x
	}
	return newExchange()
}

// newExchange is not inlined, since each caller of From would keep an empty Exchange on its stack: together 4 KB for each
// request, which a stream holds for as long as it lasts.
//
//go:noinline
func newExchange() *Exchange { return &Exchange{} }

// Nested returns a context with an Exchange for a request that is part of another one. It has the same caller and the same
// scope. If within is not nil, its transactions take part in that one, which has the claim of the whole request.
func Nested(ctx context.Context, within any) (context.Context, *Exchange) {
	outer := From(ctx)
	x := &Exchange{RequestID: outer.RequestID, Trace: outer.Trace, ClientIP: outer.ClientIP, UserID: outer.UserID, Tier: outer.Tier,
		Actor: outer.Actor, Scope: outer.Scope, span: outer.span}
	if x.Scope.Match = nil; within != nil {
		x.Scope.Claim, x.Scope.Within = nil, within
	}
	return &exchangeContext{scope.With(ctx, &x.Scope), x}, x
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
// response in it, and calls the observers at the end. It also puts the scope of the request's
// transactions into the context, which Scoped fills, because each new context copies the request.
func Begin(now func() time.Time, observers ...Observer) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			start := now()
			var state struct { // one allocation
				x   Exchange
				ctx exchangeContext
				rec recorder
			}
			x, rec := &state.x, &state.rec
			x.peer, x.readOnly, x.ifNoneMatch = peerAddr(r.RemoteAddr), isRead(r.Method), r.Header["If-None-Match"]
			x.socket = !x.peer.IsValid() && overSocket(r)
			x.ClientIP = x.peer
			defer func() {
				for _, observe := range observers {
					observe(r, x, now().Sub(start))
				}
			}()
			rec.x = x
			rec.headerHook = headerHook{ResponseWriter: w, before: func(status int) {
				x.Status = status
				if x.Location != "" {
					w.Header().Set("Location", x.Location)
				}
			}}
			state.ctx = exchangeContext{scope.With(r.Context(), &x.Scope), x}
			next.ServeHTTP(rec, r.WithContext(&state.ctx))
			if x.Status == 0 {
				x.Status = http.StatusOK // net/http sends 200 for a handler that wrote nothing
			}
		})
	}
}

// Scoped fills the scope of the request's transactions. It must be inside of the middleware that
// determines the client's address, the request ID and the trace.
func Scoped(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := From(r.Context())
		x.Scope.Origin = domain.Origin{Address: x.ClientIP, Request: x.RequestID}
		x.Scope.Cause = obs.Origin{Request: x.RequestID, Trace: x.Trace}
		next.ServeHTTP(w, r)
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

// ClientAddr sets Exchange.ClientIP. It is the TCP peer unless the peer is a proxy
// (Exchange.fromProxy): then it is the rightmost hop of X-Forwarded-For that is not in
// trusted, or the leftmost if all are. The walk stops at an unreadable hop, because the hops to
// its left are unverified. On a Unix socket the address is unknown if the proxy does not
// send it. The Forwarded header is ignored, because every proxy fills it differently.
func ClientAddr(trusted []netip.Prefix) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			x := From(r.Context())
			x.ClientIP = clientAddr(x.peer, x.fromProxy(trusted), r.Header.Values("X-Forwarded-For"), trusted)
			next.ServeHTTP(w, r)
		})
	}
}

func clientAddr(peer netip.Addr, trustedPeer bool, lines []string, trusted []netip.Prefix) netip.Addr {
	client := peer
	for i := len(lines) - 1; i >= 0; i-- {
		rest := lines[i]
		for more := true; more; {
			if !trustedPeer {
				return client
			}
			var hop string
			rest, hop, more = cutLast(rest)
			if hop == "" { // RFC 9110 §5.6.1: empty list elements are ignored
				continue
			}
			addr, ok := parseHop(hop)
			if !ok {
				return client
			}
			client, trustedPeer = addr, contains(trusted, addr)
		}
	}
	return client
}

// cutLast splits off the last element of a comma-separated list. It reports in more whether
// elements remain.
func cutLast(list string) (before, last string, more bool) {
	i := strings.LastIndexByte(list, ',')
	if i < 0 {
		return "", strings.TrimSpace(list), false
	}
	return list[:i], strings.TrimSpace(list[i+1:]), true
}

// parseHop parses an address with or without a port: 192.0.2.1, 192.0.2.1:80, 2001:db8::1,
// [2001:db8::1], [2001:db8::1]:80.
func parseHop(s string) (netip.Addr, bool) {
	host, port := s, "0"
	if inner, ok := strings.CutPrefix(s, "["); ok {
		var after string
		if host, after, ok = strings.Cut(inner, "]"); !ok {
			return netip.Addr{}, false
		}
		if after != "" {
			if port, ok = strings.CutPrefix(after, ":"); !ok {
				return netip.Addr{}, false
			}
		}
	} else if strings.Count(s, ":") == 1 {
		host, port, _ = strings.Cut(s, ":")
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return netip.Addr{}, false
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return netip.Addr{}, false
	}
	return plain(addr), true
}

// overSocket reports whether a request arrived on a Unix socket.
func overSocket(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return ok && local.Network() == "unix"
}

// peerAddr parses http.Request.RemoteAddr. It returns the zero Addr if that is not an IP
// address (on a Unix socket).
func peerAddr(remote string) netip.Addr {
	ap, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Addr{}
	}
	return plain(ap.Addr())
}

// plain normalizes an address: IPv4 unmapped, no zone.
func plain(addr netip.Addr) netip.Addr { return addr.Unmap().WithZone("") }

func contains(prefixes []netip.Prefix, addr netip.Addr) bool {
	for _, p := range prefixes {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// StripPrefix removes the prefixes from the paths of requests. Requests whose prefix a reverse proxy
// has already removed match no prefix and pass unchanged. If the remaining path begins with the
// prefix again, only the proxy knows that it was there twice. So if a peer in trusted (or on a
// Unix socket) sends X-Forwarded-Prefix, nothing is removed.
//
// A prefix begins with a slash, does not end in one, and needs no percent-encoding. The URL is
// changed in place, without an allocation, because it belongs to this request only.
func StripPrefix(prefixes []string, trusted []netip.Prefix) Middleware {
	return func(next http.Handler) http.Handler {
		if len(prefixes) == 0 {
			return next
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for _, prefix := range prefixes {
				if !hasPrefix(r.URL.Path, prefix) || r.URL.RawPath != "" && !hasPrefix(r.URL.RawPath, prefix) {
					continue
				}
				if !removedBefore(r, prefixes, trusted) {
					r.URL.Path = r.URL.Path[len(prefix):]
					if r.URL.RawPath != "" {
						r.URL.RawPath = r.URL.RawPath[len(prefix):]
					}
				}
				break
			}
			next.ServeHTTP(w, r)
		})
	}
}

// hasPrefix reports whether a path is the prefix, or continues after it with a new segment.
func hasPrefix(path, prefix string) bool {
	return strings.HasPrefix(path, prefix) && (len(path) == len(prefix) || path[len(prefix)] == '/')
}

// removedBefore reports whether a trusted proxy has removed one of the prefixes, according to its header.
func removedBefore(r *http.Request, prefixes []string, trusted []netip.Prefix) bool {
	named := func(said string) bool { return slices.Contains(prefixes, strings.TrimSuffix(said, "/")) }
	if !slices.ContainsFunc(r.Header["X-Forwarded-Prefix"], named) {
		return false
	}
	return contains(trusted, peerAddr(r.RemoteAddr)) || overSocket(r)
}
