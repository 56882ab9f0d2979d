// Package oauth implements the OAuth 2.0 endpoints for clients (RFC 6749, 7009, 7591, 7662, 8414, 8707, 9728). The
// consent page is part of the website.
package oauth

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/app/accounts"
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
	Extension    bool   // people may sign in with the browser extension
	MCP          bool   // there is an MCP endpoint
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
	o  Options
	at map[string]endpoint
}

// New returns the endpoints.
func New(o Options) *Endpoints {
	e := &Endpoints{o: o}
	e.at = map[string]endpoint{
		tokenPath:      {"createOAuthToken", http.MethodPost, e.token},
		tokenPathV2:    {"createOAuthTokenV2", http.MethodPost, e.tokenV2},
		revokePath:     {"revokeOAuthToken", http.MethodPost, e.revoke},
		introspectPath: {"introspectOAuthToken", http.MethodPost, e.introspect},
		metadataPath:   {"getOAuthMetadata", http.MethodGet, static(metadata(o))},
	}
	if o.MCP {
		described := endpoint{"getResourceMetadata", http.MethodGet, static(resource(o))}
		e.at[domain.ResourceMetadataPath], e.at[domain.ResourceMetadataPath+domain.AssistantsPath] = described, described // clients try both
		if u, err := url.Parse(o.BaseURL); err == nil {
			e.at[domain.ResourceMetadataPath+u.Path+domain.AssistantsPath] = described
		}
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

// failure is an error with its HTTP status.
type failure struct {
	status      int
	code        string
	description string
}

func (f *failure) Error() string { return f.code + ": " + f.description }

// refuse returns an error about the request itself.
func refuse(description string) error {
	return &failure{http.StatusBadRequest, "invalid_request", description}
}

// fail writes an error response. All errors of the endpoints are written here.
func (e *Endpoints) fail(w http.ResponseWriter, r *http.Request, err error) {
	if f, ok := errors.AsType[*failure](err); ok {
		answerError(w, f.status, f.code, f.description)
		return
	}
	if known, ok := errors.AsType[*accounts.OAuthError](err); ok {
		status := http.StatusBadRequest
		if known.Code == "invalid_client" {
			status = http.StatusUnauthorized
		}
		answerError(w, status, known.Code, known.Description)
		return
	}
	if known, ok := errors.AsType[*domain.Error](err); ok && known.Kind == domain.TooMany {
		e.tooMany(w, r, int(math.Ceil(known.Wait.Seconds())))
		return
	}
	middleware.From(r.Context()).Error = err
	if known, ok := errors.AsType[*domain.Error](err); ok && known.Kind == domain.Unavailable {
		w.Header().Set("Retry-After", known.RetryAfter())
		e.Render(w, r, http.StatusServiceUnavailable, known.Message)
		return
	}
	if r.Context().Err() != nil {
		e.Render(w, r, http.StatusRequestTimeout, "The request took too long")
		return
	}
	e.Render(w, r, http.StatusInternalServerError, "")
}

// tooMany rejects a request that exceeds the rate limit, with the seconds to wait.
func (e *Endpoints) tooMany(w http.ResponseWriter, r *http.Request, wait int) {
	w.Header().Set("Retry-After", strconv.Itoa(max(wait, 1)))
	e.Render(w, r, http.StatusTooManyRequests, "Too many requests: try again later")
}

// Render writes an error in the format of RFC 6749 section 5.2. It implements middleware.Renderer. An empty
// message is replaced by one with the request's id.
func (e *Endpoints) Render(w http.ResponseWriter, r *http.Request, status int, message string) {
	code := "invalid_request"
	switch {
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable, status == http.StatusRequestTimeout:
		code = "temporarily_unavailable"
	case status >= http.StatusInternalServerError:
		code = "server_error"
	}
	if message == "" {
		message = "Something went wrong on the server. Request id: " + middleware.From(r.Context()).RequestID
	}
	answerError(w, status, code, message)
}

// answerError writes an error response. If client authentication failed, it requests Basic authentication
// (RFC 6749 section 5.2).
func answerError(w http.ResponseWriter, status int, code, description string) {
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Basic realm="OAuth clients", charset="UTF-8"`)
	}
	answer(w, status, struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}{code, description})
}

// answer writes a JSON response, which must not be cached (RFC 6749 section 5.1).
func answer(w http.ResponseWriter, status int, value any) {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(value) // structs of strings and numbers can always be encoded
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Pragma", "no-cache")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes())
}
