// Package oauth answers the endpoints of OAuth 2.0 that clients call (RFC 6749, 7009,
// 7591, 7662, 8414). The page where a user consents is the website's.
package oauth

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/domain"
	"vitrine/internal/middleware"
)

// The addresses of the endpoints. All but the first two and the last, which are fixed, are
// our own additions, and so below /ext/v1.
const (
	tokenPath      = "/v3/oauth/token"
	tokenPathV2    = "/oauth/token" // clients of version 2 know it at the site, beside the page that asks for consent
	revokePath     = "/ext/v1/oauth/revoke"
	introspectPath = "/ext/v1/oauth/introspect"
	registerPath   = "/ext/v1/oauth/register"
	metadataPath   = "/.well-known/oauth-authorization-server"
)

// Options is what the endpoints stand on.
type Options struct {
	App          *app.App
	Limiter      *middleware.Limiter
	SiteURL      string // absolute, without a slash at its end
	BaseURL      string // of the API, the same
	Registration bool   // clients may register themselves
	Now          func() time.Time
}

// endpoint answers requests of one method at one path. An error is rendered.
type endpoint struct {
	operation string // as logs and metrics know it
	method    string
	serve     func(w http.ResponseWriter, r *http.Request) error
}

// Endpoints answers clients.
type Endpoints struct {
	o    Options
	at   map[string]endpoint
	meta []byte
}

// New makes the endpoints.
func New(o Options) *Endpoints {
	e := &Endpoints{o: o, meta: metadata(o)}
	e.at = map[string]endpoint{
		tokenPath:      {"createOAuthToken", http.MethodPost, e.token},
		tokenPathV2:    {"createOAuthTokenV2", http.MethodPost, e.tokenV2},
		revokePath:     {"revokeOAuthToken", http.MethodPost, e.revoke},
		introspectPath: {"introspectOAuthToken", http.MethodPost, e.introspect},
		metadataPath:   {"getOAuthMetadata", http.MethodGet, e.metadata},
	}
	// If the issuer has a path, its metadata is at the root of the host, and the path of the issuer
	// comes last (RFC 8414 section 3.1).
	if u, err := url.Parse(o.BaseURL); err == nil && u.Path != "" {
		e.at[metadataPath+u.Path] = e.at[metadataPath]
	}
	if o.Registration {
		e.at[registerPath] = endpoint{"registerOAuthClient", http.MethodPost, e.register}
	}
	return e
}

// Handles reports whether a request is for one of the endpoints.
func (e *Endpoints) Handles(r *http.Request) bool {
	_, ok := e.at[r.URL.Path]
	return ok
}

// ServeHTTP answers what is Handled. Every request counts as a guest's of its address:
// who makes it shows only later.
func (e *Endpoints) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at := e.at[r.URL.Path]
	x := middleware.From(r.Context())
	x.Operation = at.operation
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Pragma", "no-cache")
	d := e.o.Limiter.Take(r.Context(), e.o.Now(), middleware.GuestKey(x.ClientIP), string(domain.TierGuest))
	x.Tier = d.Tier
	d.WriteHeaders(w.Header())
	if !d.Allowed {
		e.tooMany(w, r, d.RetryAfter)
		return
	}
	if r.Method != at.method && !(r.Method == http.MethodHead && at.method == http.MethodGet) {
		e.methodNotAllowed(w, r, at.method)
		return
	}
	if err := at.serve(w, r); err != nil {
		e.fail(w, r, err)
	}
}

// methodNotAllowed answers a method that an endpoint does not take, and plain OPTIONS.
func (e *Endpoints) methodNotAllowed(w http.ResponseWriter, r *http.Request, takes string) {
	methods := []string{takes, http.MethodOptions}
	if takes == http.MethodGet {
		methods = []string{takes, http.MethodHead, http.MethodOptions}
	}
	w.Header().Set("Allow", strings.Join(methods, ", "))
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	e.Render(w, r, http.StatusMethodNotAllowed, "This address does not take "+r.Method)
}

// visitor is where a request comes from.
func visitor(r *http.Request) domain.Visitor {
	return domain.Visitor{Address: middleware.From(r.Context()).ClientIP, Agent: r.UserAgent()}
}
