package httpedge

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"vitrine/internal/budget"
	"vitrine/internal/domain"
	"vitrine/internal/middleware"
	"vitrine/internal/obs/trace"
)

// Mount is a part of the address space and what is allowed there. The order of the fields
// from CORS on is that of the pieces which see to them, outermost first.
type Mount struct {
	Name     string
	Prefixes []string // of the paths that it may answer; "" for all

	// Credentials says by what a request acts for somebody. Cookies are taken away from
	// what does not go by them, before its door sees the request.
	Credentials Credentials
	Shape       Shape

	Probe      bool // asked by machines every few seconds: unlogged, and without any of what follows
	Vary       bool // Cache-Control and Vary are set, unless the door does
	Data       bool // its responses are marked as data that is never sniffed, framed or run
	Preflights bool // preflights carry the rate limit of a guest
	CORS       bool // pages of any origin may call it
	Memory     bool // what its responses hold in memory is bounded
	Head       bool // HEAD is answered as GET is; elsewhere the door sees to it
	Compressed bool
	Tagged     bool // responses get an ETag and conditions are heeded; elsewhere the door does it
	Rate       Rate
	Replicas   bool // its door says which requests may read at a replica of the database
	Deadline   bool // of --request-timeout
	BodyLimit  bool // of --body-limit; elsewhere the door bounds what it reads

	// TrimSlash takes one slash off the end of a path, so that it is the same resource: a
	// redirect would cost clients their Authorization header.
	TrimSlash bool
}

// Credentials is by what a request acts for somebody.
type Credentials string

// The kinds of credentials.
const (
	NoCredentials  Credentials = "none"
	BearerTokens   Credentials = "bearer"
	SessionCookies Credentials = "cookie"
	ClientSecrets  Credentials = "client" // of OAuth
)

// Shape is how errors are written.
type Shape string

// The shapes of errors.
const (
	PlainText   Shape = "text"
	JSONErrors  Shape = "json"  // behaviour.md section 1
	V2Errors    Shape = "v2"    // of version 2: code, message and description
	OAuthErrors Shape = "oauth" // RFC 6749 section 5.2
	Pages       Shape = "html"
)

// Rate is what requests are counted by.
type Rate string

// The kinds of limits.
const (
	Unlimited  Rate = "none"
	PerCaller  Rate = "caller"  // by the tier of the user or application, and of a guest's address; its gate counts
	PerAddress Rate = "address" // as a guest's of the address, whoever it is; its door counts
	Forms      Rate = "forms"   // forms alone, by address; its door counts searches as PerCaller does
	Fetches    Rate = "fetches" // every request, by address, and generously
)

// The names of the mounts.
const (
	Health    = "health"
	Files     = "files"
	OAuth     = "oauth"
	Feeds     = "feeds"
	Website   = "website"
	Ext       = "ext"
	V2        = "v2"
	V3        = "v3"
	Elsewhere = "elsewhere"
)

// Mounts are all, in the order in which they are asked whether a request is theirs. The
// last one answers what nobody else does.
var Mounts = []Mount{
	{Name: Health, Prefixes: []string{"/livez", "/healthz", "/readyz"}, Credentials: NoCredentials, Shape: PlainText, Probe: true, Rate: Unlimited},
	{Name: Files, Prefixes: []string{"/files/", "/uploads/"}, Credentials: NoCredentials, Shape: JSONErrors,
		Data: true, CORS: true, Rate: Unlimited},
	{Name: OAuth, Prefixes: []string{"/v3/oauth/", "/ext/v1/oauth/", "/oauth/", "/.well-known/"}, Credentials: ClientSecrets, Shape: OAuthErrors,
		Data: true, CORS: true, Head: true, Rate: PerAddress, Deadline: true, BodyLimit: true},
	{Name: Feeds, Prefixes: []string{""}, Credentials: NoCredentials, Shape: PlainText,
		Vary: true, Data: true, CORS: true, Memory: true, Head: true, Compressed: true, Tagged: true, Rate: Fetches, Replicas: true, Deadline: true},
	{Name: Website, Prefixes: []string{""}, Credentials: SessionCookies, Shape: Pages,
		Vary: true, Memory: true, Head: true, Compressed: true, Rate: Forms, Replicas: true, Deadline: true, BodyLimit: true},
	version(Ext, JSONErrors, "/ext/"),
	version(V2, V2Errors, "/v2/"),
	version(V3, JSONErrors, "/v3/"),
	version(Elsewhere, JSONErrors, ""),
}

// version is what every version of the API allows, and it alone.
func version(name string, shape Shape, prefix string) Mount {
	return Mount{Name: name, Prefixes: []string{prefix}, Credentials: BearerTokens, Shape: shape,
		Vary: true, Data: true, Preflights: true, CORS: true, Memory: true, Head: true, Compressed: true, Tagged: true,
		Rate: PerCaller, Replicas: true, Deadline: true, BodyLimit: true, TrimSlash: prefix != ""}
}

// Door is what answers at a mount.
type Door struct {
	http.Handler
	Render middleware.Renderer // in the shape of the mount

	// Handles reports whether a request with one of the prefixes is the door's; nil for
	// all of them.
	Handles func(*http.Request) bool

	// Streams reports whether the door reads the body of a request as it comes, and sees itself
	// to how large it is and how long it takes; nil for none.
	Streams func(*http.Request) bool

	// Downloads reports whether the door answers a request by a body that it makes as it sends it,
	// or that is large: such a one is not held back, compressed or bounded in time; nil for none.
	Downloads func(*http.Request) bool
}

// Options are what the mounts stand on.
type Options struct {
	Log            *slog.Logger
	Now            func() time.Time
	Observe        middleware.Observer
	InFlight       middleware.Piece
	Tracer         *trace.Tracer // nil for no traces
	TrustedProxies []netip.Prefix
	Limiter        *middleware.Limiter
	Shared         middleware.Shared               // counts forms and fetches of all servers; nil: of this server only
	Memory         *budget.Budget                  // of responses
	Replicas       bool                            // whether the database has replicas
	Fit            func(ctx context.Context) error // returns an error if this program may not use the database
	RequestTimeout time.Duration
	BodyLimit      int64
}

// HeaderLimit is how many bytes the header of a request may have. net/http refuses what
// is much larger by itself.
const HeaderLimit = 64 << 10

// Mux answers every request by the door of the first mount whose it is. There is no
// http.ServeMux: it would redirect addresses with empty or dotted segments, in words of
// its own.
type Mux struct{ mounted []mounted }

type mounted struct {
	Mount
	door    Door
	handler http.Handler
}

// NewMux puts the doors behind the pieces that their mounts ask for. Each mount needs one.
func NewMux(o Options, doors map[string]Door) (*Mux, error) {
	x := &Mux{}
	for _, m := range Mounts {
		door, ok := doors[m.Name]
		if !ok {
			return nil, fmt.Errorf("no door for the mount %q", m.Name)
		}
		x.mounted = append(x.mounted, mounted{m, door, o.behind(m, door)})
	}
	if len(doors) != len(Mounts) {
		return nil, fmt.Errorf("%d doors for %d mounts", len(doors), len(Mounts))
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
	m.handler.ServeHTTP(w, r)
}

// find gives the mount of a request.
func (x *Mux) find(r *http.Request) *mounted {
	for i := range x.mounted {
		if m := &x.mounted[i]; m.begins(r.URL.Path) && (m.door.Handles == nil || m.door.Handles(r)) {
			return m
		}
	}
	return &x.mounted[len(x.mounted)-1]
}

// begins reports whether a path begins as the mount's do.
func (m *Mount) begins(path string) bool {
	for _, prefix := range m.Prefixes {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

// behind gives a door with the pieces that its mount asks for before it.
func (o Options) behind(m Mount, door Door) http.Handler {
	if m.Probe {
		return door.Handler
	}
	observers := []middleware.Observer{middleware.AccessLog(o.Log), o.Observe}
	if o.Tracer != nil {
		observers = append(observers, middleware.EndTrace)
	}
	pieces := []middleware.Piece{
		middleware.Begin(o.Now, observers...),
		o.InFlight,
		middleware.ClientAddr(o.TrustedProxies),
		middleware.RequestID(o.TrustedProxies),
	}
	add := func(wanted bool, piece middleware.Piece) {
		if wanted {
			pieces = append(pieces, piece)
		}
	}
	add(o.Tracer != nil, middleware.Traced(o.Tracer, o.TrustedProxies))
	add(m.Vary, middleware.CacheHeaders)
	add(m.Data, middleware.SecureHeaders)
	add(m.Preflights, middleware.PreflightLimits(o.Limiter, o.Now, string(domain.TierGuest)))
	add(m.CORS, middleware.CORS)
	add(true, middleware.Recover(o.Log, door.Render))
	add(true, middleware.HeaderLimit(HeaderLimit, door.Render))
	add(o.Fit != nil, whileFit(o.Fit, door.Render))
	add(m.Credentials != SessionCookies, withoutCookies)
	add(m.Memory, middleware.Unless(door.Downloads, middleware.Memory(o.Memory)))
	add(m.Head, middleware.Head)
	add(m.Compressed, middleware.Unless(door.Downloads, middleware.Compress))
	add(m.Tagged, middleware.Unless(door.Downloads, middleware.Conditional))
	add(m.Rate == Forms, o.limited(Forms, door.Render, formsPerMinute, isForm))
	add(m.Rate == Fetches, o.limited(Fetches, door.Render, fetchesPerMinute, isAny))
	add(m.Replicas && o.Replicas, readSomewhere)
	add(m.Deadline, middleware.Unless(door.Downloads, middleware.Unless(door.Streams, middleware.Deadline(o.RequestTimeout, door.Render))))
	add(m.BodyLimit, middleware.Unless(door.Streams, middleware.BodyLimit(o.BodyLimit)))
	return middleware.Chain(door.Handler, pieces...)
}

// whileFit answers 503 while this program may not use the database. A newer server can answer the same
// request.
func whileFit(fit func(ctx context.Context) error, render middleware.Renderer) middleware.Piece {
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

// withoutCookies takes the cookies off a request.
func withoutCookies(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Cookie")
		next.ServeHTTP(w, r)
	})
}

// trimSlash gives a request without the one slash at the end of its path, if it has one.
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
