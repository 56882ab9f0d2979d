// Package oauth implements the OAuth 2.0 endpoints for clients (RFC 6749, 7009, 7591, 7662, 8414). The
// consent page is part of the website.
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

// The paths of the endpoints. The token and metadata paths are fixed. The others are our own additions below
// /ext/v1.
const (
	tokenPath      = "/v3/oauth/token"
	tokenPathV2    = "/oauth/token" // for version 2 clients, next to the consent page of the website
	revokePath     = "/ext/v1/oauth/revoke"
	introspectPath = "/ext/v1/oauth/introspect"
	registerPath   = "/ext/v1/oauth/register"
	metadataPath   = "/.well-known/oauth-authorization-server"
)

// Options configure the endpoints.
type Options struct {
	App          *app.App
	Limiter      *middleware.Limiter
	SiteURL      string // absolute, without a trailing slash
	BaseURL      string // of the API, in the same form
	Registration bool   // allow dynamic client registration
	Now          func() time.Time
}

// endpoint handles requests with one method at one path. It returns errors to be rendered.
type endpoint struct {
	operation string // name in logs and metrics
	method    string
	serve     func(w http.ResponseWriter, r *http.Request) error
}

// Endpoints handles client requests.
type Endpoints struct {
	o    Options
	at   map[string]endpoint
	meta []byte
}

// New returns the endpoints.
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

// ServeHTTP serves requests for which Handles is true. Each request counts as a guest request of its
// address, because the client is not authenticated yet.
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

// methodNotAllowed rejects unsupported methods, and handles OPTIONS.
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

// visitor returns the origin of a request.
func visitor(r *http.Request) domain.Visitor {
	return domain.Visitor{Address: middleware.From(r.Context()).ClientIP, Agent: r.UserAgent()}
}
