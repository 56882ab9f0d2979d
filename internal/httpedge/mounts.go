// Package httpedge contains the HTTP code that all APIs and the website share: routing to mounts,
// authentication, request validation and error responses.
package httpedge

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/budget"
	"vitrine/internal/domain"
	"vitrine/internal/middleware"
	"vitrine/internal/obs"
	"vitrine/internal/reads"
)

// Mount is a part of the URL space, and determines which middleware of the chain applies to it.
type Mount struct {
	Name     string
	Prefixes []string // of the paths that it may handle; "" for all

	// Credentials are the accepted credentials. Cookies are removed from requests unless they are
	// SessionCookies.
	Credentials Credentials
	Shape       Shape

	Probe      bool // health check: without middleware, and therefore not logged
	Vary       bool // sets Cache-Control and Vary unless the handler does
	Data       bool // marks responses as data that browsers must not sniff, frame or run
	Preflights bool // adds a guest's rate limit headers to preflights
	CORS       bool // allows pages of any origin
	Memory     bool // limits the memory of responses
	Head       bool // handles HEAD like GET; otherwise the handler does
	Compressed bool
	Tagged     bool // adds ETags and handles conditions; otherwise the handler does
	Rate       Rate
	Replicas   bool // the handler decides which requests may read from a replica
	Deadline   bool // applies --request-timeout
	BodyLimit  bool // applies --body-limit; otherwise the handler limits bodies

	// TrimSlash removes one slash from the end of the path. A redirect would make clients drop
	// their Authorization header.
	TrimSlash bool
}

// Credentials is a way to authenticate requests.
type Credentials string

const (
	NoCredentials  Credentials = "none"
	BearerTokens   Credentials = "bearer"
	SessionCookies Credentials = "cookie"
	ClientSecrets  Credentials = "client" // OAuth client credentials
)

// Shape is the format of error responses.
type Shape string

const (
	PlainText   Shape = "text"
	JSONErrors  Shape = "json"  // behaviour.md section 1
	V2Errors    Shape = "v2"    // of version 2: code, message and description
	OAuthErrors Shape = "oauth" // RFC 6749 section 5.2
	Pages       Shape = "html"
)

// Rate is a kind of rate limit.
type Rate string

const (
	Unlimited  Rate = "none"
	PerCaller  Rate = "caller"  // by the tier of the user or application, or by a guest's address; its APIHandler counts
	PerAddress Rate = "address" // like guests of the address, even with a token; its handler counts
	Forms      Rate = "forms"   // only forms, by address; its handler counts searches like PerCaller
	Fetches    Rate = "fetches" // every request, by address, with a generous limit
)

// The names of the mounts.
const (
	Health    = "health"
	Doctor    = "doctor"
	Files     = "files"
	OAuth     = "oauth"
	Feeds     = "feeds"
	Website   = "website"
	Ext       = "ext"
	V2        = "v2"
	V3        = "v3"
	MCP       = "mcp"
	Elsewhere = "elsewhere"
)

// Mounts lists all mounts in the order of routing. The last one handles the remaining requests.
var Mounts = []Mount{
	{Name: Health, Prefixes: []string{"/livez", "/healthz", "/readyz"}, Credentials: NoCredentials, Shape: PlainText, Probe: true, Rate: Unlimited},
	{Name: Doctor, Prefixes: []string{"/.well-known/vitrine-doctor"}, Credentials: NoCredentials, Shape: PlainText, Data: true, Rate: Unlimited},
	{Name: Files, Prefixes: []string{"/files/", "/uploads/"}, Credentials: NoCredentials, Shape: JSONErrors,
		Data: true, CORS: true, Rate: Unlimited},
	{Name: OAuth, Prefixes: []string{"/v3/oauth/", "/ext/v1/oauth/", "/oauth/", "/.well-known/"}, Credentials: ClientSecrets, Shape: OAuthErrors,
		Data: true, CORS: true, Head: true, Rate: PerAddress, Deadline: true, BodyLimit: true},
	version(Ext, JSONErrors, "/ext/"),
	version(V2, V2Errors, "/v2/"),
	version(V3, JSONErrors, "/v3/"),
	{Name: MCP, Prefixes: []string{"/mcp"}, Credentials: BearerTokens, Shape: JSONErrors,
		Vary: true, Data: true, CORS: true, Memory: true, Compressed: true, Rate: PerCaller, Deadline: true, BodyLimit: true, TrimSlash: true},
	{Name: Feeds, Prefixes: []string{""}, Credentials: NoCredentials, Shape: PlainText,
		Vary: true, Data: true, CORS: true, Memory: true, Head: true, Compressed: true, Tagged: true, Rate: Fetches, Replicas: true, Deadline: true},
	{Name: Website, Prefixes: []string{""}, Credentials: SessionCookies, Shape: Pages,
		Vary: true, Memory: true, Head: true, Compressed: true, Rate: Forms, Replicas: true, Deadline: true, BodyLimit: true},
	version(Elsewhere, JSONErrors, ""),
}

// version returns the mount of a version of the API.
func version(name string, shape Shape, prefix string) Mount {
	return Mount{Name: name, Prefixes: []string{prefix}, Credentials: BearerTokens, Shape: shape,
		Vary: true, Data: true, Preflights: true, CORS: true, Memory: true, Head: true, Compressed: true, Tagged: true,
		Rate: PerCaller, Replicas: true, Deadline: true, BodyLimit: true, TrimSlash: prefix != ""}
}

// Handler handles the requests of a mount.
type Handler struct {
	http.Handler
	Render middleware.Renderer // writes errors in the shape of the mount

	// Handles reports whether the handler handles a request with one of the prefixes; nil means all
	// of them.
	Handles func(*http.Request) bool

	// Streams selects requests whose body the handler streams; it then limits their size and
	// duration itself. Nil means none.
	Streams func(*http.Request) bool

	// Downloads selects requests whose response is generated while it is sent, or is large. Such
	// responses are not buffered, compressed or limited in time. Nil means none.
	Downloads func(*http.Request) bool
}

// Options configure a Mux.
type Options struct {
	Log            *slog.Logger
	Now            func() time.Time
	Observe        middleware.Observer
	InFlight       middleware.Middleware
	Tracer         *obs.Tracer // nil for no traces
	TrustedProxies []netip.Prefix
	Limiter        *middleware.Limiter
	Shared         middleware.Shared               // counts forms and fetches on all servers; nil: on this server only
	Memory         *budget.Budget                  // of responses
	Replicas       bool                            // whether the database has replicas
	Fit            func(ctx context.Context) error // returns an error if this program may not use the database
	RequestTimeout time.Duration
	BodyLimit      int64
}

// HeaderLimit is the maximum size of a request's header in bytes. net/http refuses headers that are
// much larger.
const HeaderLimit = 64 << 10

// Mux routes each request to the first mount that handles it. It does not use http.ServeMux, which
// would redirect URLs with empty or dotted segments and write its own responses.
type Mux struct{ mounted []mounted }

type mounted struct {
	Mount
	handler Handler
	wrapped http.Handler
}

// NewMux wraps the handlers in the middleware of their mounts. Every mount needs a handler.
func NewMux(o Options, handlers map[string]Handler) (*Mux, error) {
	x := &Mux{}
	for _, m := range Mounts {
		handler, ok := handlers[m.Name]
		if !ok {
			return nil, fmt.Errorf("no handler for the mount %q", m.Name)
		}
		x.mounted = append(x.mounted, mounted{m, handler, wrap(o, m, handler)})
	}
	if len(handlers) != len(Mounts) {
		return nil, fmt.Errorf("%d handlers for %d mounts", len(handlers), len(Mounts))
	}
	return x, nil
}

// ServeHTTP implements http.Handler.
func (x *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m := x.find(r)
	if m.TrimSlash {
		if short, ok := trimSlash(r); ok {
			r, m = short, x.find(short)
		}
	}
	m.wrapped.ServeHTTP(w, r)
}

// find returns the mount of a request.
func (x *Mux) find(r *http.Request) *mounted {
	for i := range x.mounted {
		if m := &x.mounted[i]; m.begins(r.URL.Path) && (m.handler.Handles == nil || m.handler.Handles(r)) {
			return m
		}
	}
	return &x.mounted[len(x.mounted)-1]
}

// begins reports whether a path has one of the mount's prefixes.
func (m *Mount) begins(path string) bool {
	for _, prefix := range m.Prefixes {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

// trimSlash returns a copy of the request without the slash at the end of its path. It returns
// false unless the path ends with exactly one slash.
func trimSlash(r *http.Request) (*http.Request, bool) {
	path := r.URL.EscapedPath()
	if !strings.HasSuffix(path, "/") || strings.HasSuffix(path, "//") {
		return r, false
	}
	address := *r.URL
	address.Path = strings.TrimSuffix(address.Path, "/")
	address.RawPath = strings.TrimSuffix(address.RawPath, "/")
	trimmed := *r
	trimmed.URL = &address
	return &trimmed, true
}

// step is one middleware of the chain.
type step struct {
	name string
	why  string // why it is at this place
	// wrap returns the middleware, or nil if the mount does not use it.
	wrap func(o Options, m Mount, h Handler) middleware.Middleware
}

// chain lists the middleware of all mounts, outermost first. testdata/chain.txt shows which mount uses
// which. Only Pace, which wraps each listener, and StripPrefix, on which routing depends, run before.
var chain = []step{
	{"begin", "the log, the metrics and the trace include everything that follows", func(o Options, _ Mount, _ Handler) middleware.Middleware {
		return middleware.Begin(o.Now, o.observers()...)
	}},
	{"in flight", "counts requests as long as they are logged", func(o Options, _ Mount, _ Handler) middleware.Middleware {
		return o.InFlight
	}},
	{"client address", "the scope, limits and the log contain it", func(o Options, _ Mount, _ Handler) middleware.Middleware {
		return middleware.ClientAddr(o.TrustedProxies)
	}},
	{"request id", "before everything that may respond, as each response has it", func(o Options, _ Mount, _ Handler) middleware.Middleware {
		return middleware.RequestID(o.TrustedProxies)
	}},
	{"trace", "continues the trace of the header that \"request id\" reads", func(o Options, _ Mount, _ Handler) middleware.Middleware {
		return when(o.Tracer != nil, middleware.Traced(o.Tracer, o.TrustedProxies))
	}},
	{"scope", "contains the client's address, the request id and the trace", func(Options, Mount, Handler) middleware.Middleware {
		return middleware.Scoped
	}},
	{"cache headers", "outside of everything that may refuse, as errors have them too", func(_ Options, m Mount, _ Handler) middleware.Middleware {
		return when(m.Vary, middleware.CacheHeaders)
	}},
	{"secure headers", "like \"cache headers\"", func(_ Options, m Mount, _ Handler) middleware.Middleware {
		return when(m.Data, middleware.SecureHeaders)
	}},
	{"preflight limits", "outside of CORS, which answers preflights", func(o Options, m Mount, _ Handler) middleware.Middleware {
		return when(m.Preflights, middleware.PreflightLimits(o.Limiter, o.Now, string(domain.TierGuest)))
	}},
	{"cors", "outside of everything that may refuse, so that pages can read errors", func(_ Options, m Mount, _ Handler) middleware.Middleware {
		return when(m.CORS, middleware.CORS)
	}},
	{"recover", "outside of buffers, so that a panic in the middle of a body still results in a complete 500", func(o Options, _ Mount, h Handler) middleware.Middleware {
		return middleware.Recover(o.Log, h.Render)
	}},
	{"header limit", "before anything is done for the request", func(_ Options, _ Mount, h Handler) middleware.Middleware {
		return middleware.HeaderLimit(HeaderLimit, h.Render)
	}},
	{"fit", "before anything that uses the database", func(o Options, _ Mount, h Handler) middleware.Middleware {
		return when(o.Fit != nil, whileFit(o.Fit, h.Render))
	}},
	{"no cookies", "before anything that could accept a cookie as credentials", func(_ Options, m Mount, _ Handler) middleware.Middleware {
		return when(m.Credentials != SessionCookies, withoutCookies)
	}},
	{"memory", "outside of buffers, as a body counts until it is written", func(o Options, m Mount, h Handler) middleware.Middleware {
		return when(m.Memory, middleware.Unless(h.Downloads, middleware.Memory(o.Memory)))
	}},
	{"head", "outside of compression, as the Content-Length is that of the response to GET", func(_ Options, m Mount, _ Handler) middleware.Middleware {
		return when(m.Head, middleware.Head)
	}},
	{"compress", "outside of \"conditional\", so that an ETag is the same for every encoding", func(_ Options, m Mount, h Handler) middleware.Middleware {
		return when(m.Compressed, middleware.Unless(h.Downloads, middleware.Compress))
	}},
	{"conditional", "inside of \"compress\"", func(_ Options, m Mount, h Handler) middleware.Middleware {
		return when(m.Tagged, middleware.Unless(h.Downloads, middleware.Conditional))
	}},
	{"forms", "before the handler, which reads the database for each form", func(o Options, m Mount, h Handler) middleware.Middleware {
		return when(m.Rate == Forms, o.limited(Forms, h.Render, formsPerMinute, isForm))
	}},
	{"fetches", "like \"forms\"", func(o Options, m Mount, h Handler) middleware.Middleware {
		return when(m.Rate == Fetches, o.limited(Fetches, h.Render, fetchesPerMinute, isAny))
	}},
	{"replicas", "inside of what happens once, as Reading repeats a handler whose replica fails", func(o Options, m Mount, _ Handler) middleware.Middleware {
		return when(m.Replicas && o.Replicas, readSomewhere)
	}},
	{"deadline", "limits the handler, and the time in which it reads the body", func(o Options, m Mount, h Handler) middleware.Middleware {
		return when(m.Deadline, middleware.Unless(h.Downloads, middleware.Unless(h.Streams, middleware.Deadline(o.RequestTimeout, h.Render))))
	}},
	{"body limit", "innermost, as the handler responds when it reads too much", func(o Options, m Mount, h Handler) middleware.Middleware {
		return when(m.BodyLimit, middleware.Unless(h.Streams, middleware.BodyLimit(o.BodyLimit)))
	}},
}

// of returns the middleware for the handler of a mount, or nil. Health checks have none.
func (s step) of(o Options, m Mount, h Handler) middleware.Middleware {
	if m.Probe {
		return nil
	}
	return s.wrap(o, m, h)
}

// when returns the middleware if the mount uses it.
func when(used bool, m middleware.Middleware) middleware.Middleware {
	if !used {
		return nil
	}
	return m
}

// wrap wraps a handler in the middleware of its mount.
func wrap(o Options, m Mount, h Handler) http.Handler {
	var used []middleware.Middleware
	for _, s := range chain {
		if wrap := s.of(o, m, h); wrap != nil {
			used = append(used, wrap)
		}
	}
	return middleware.Chain(h.Handler, used...)
}

// observers returns what is called at the end of each request.
func (o Options) observers() []middleware.Observer {
	all := []middleware.Observer{middleware.AccessLog(o.Log), o.Observe}
	if o.Tracer != nil {
		all = append(all, middleware.EndTrace)
	}
	return all
}

// whileFit responds 503 if this program does not support the database's schema. A newer server may
// be able to handle the request.
func whileFit(fit func(ctx context.Context) error, render middleware.Renderer) middleware.Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := fit(r.Context()); err != nil {
				middleware.From(r.Context()).Error = err
				e := domain.NewUnavailable(err)
				w.Header().Set("Retry-After", e.RetryAfter())
				w.Header().Set("Cache-Control", "no-store")
				render(w, r, http.StatusServiceUnavailable, e.Message)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// withoutCookies removes the cookies of requests.
func withoutCookies(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Cookie")
		next.ServeHTTP(w, r)
	})
}

// readSomewhere lets handlers choose with Reading where a request reads.
func readSomewhere(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		middleware.From(r.Context()).Scope.Reads = new(reads.Request)
		next.ServeHTTP(w, r)
	})
}

// Requests per minute from one address. Forms: more than a classroom sends, but too few to fill the
// database. Fetches by programs: more than a service that reads thousands of feeds needs, but too
// few to keep the server busy drawing cards.
const (
	formsPerMinute   = 240
	fetchesPerMinute = 600
)

// limited limits the requests selected by counts to perMinute per address, on this server or, with
// shared limits, on all servers. Sensitive actions such as signing in have their own stricter
// limits.
func (o Options) limited(rate Rate, render middleware.Renderer, perMinute int, counts func(*http.Request) bool) middleware.Middleware {
	const tier = "address"
	limiter := middleware.NewLimiter(map[string]int{tier: perMinute})
	if o.Shared != nil {
		limiter.Share(func(ctx context.Context, key string, limit int, window time.Duration) (middleware.Counted, bool) {
			return o.Shared(ctx, string(rate)+":"+key, limit, window) // a different key from the API's limit for the address
		})
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if counts(r) {
				d := limiter.Take(r.Context(), o.Now(), middleware.GuestKey(middleware.From(r.Context()).ClientIP), tier)
				if !d.Allowed {
					middleware.From(r.Context()).Refused = middleware.TooFast
					w.Header().Set("Retry-After", strconv.Itoa(d.RetryAfter))
					render(w, r, http.StatusTooManyRequests, "Too many requests. Try again in a minute.")
					return
				}
			}
			next.ServeHTTP(w, r)
		})
	}
}

func isForm(r *http.Request) bool { return r.Method == http.MethodPost }

func isAny(*http.Request) bool { return true }
