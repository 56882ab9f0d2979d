// Package api implements the interfaces that are generated from the API
// descriptions: parameters to inputs, results to wire types, and nothing else.
// Every request passes the gate first, every error the one renderer.
package api

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	description "vitrine/api"
	"vitrine/internal/app"
	"vitrine/internal/describe"
	"vitrine/internal/middleware"
	"vitrine/internal/oas/ext"
	"vitrine/internal/oas/v3"
)

// Options is what the API stands on.
type Options struct {
	App       *app.App
	Limiter   *middleware.Limiter
	Documents Documents
	BaseURL   string // absolute, without a slash at its end
	SiteURL   string // the same
	FilesURL  string // of files, the same
	Build     string // of the program; another one may represent things otherwise
	Now       func() time.Time

	// AtOnce is how many requests of one client are answered at once; 0 for no bound.
	AtOnce int
}

// Documents are the descriptions of /v3 and /ext/v1, and of what is answered besides.
type Documents struct{ V3, Ext, Compat *describe.Description }

// LoadDocuments loads the descriptions for a server at the addresses, which are
// absolute and without a slash at their ends.
func LoadDocuments(baseURL, siteURL string) (d Documents, err error) {
	at := []describe.Option{describe.BaseURL(baseURL), describe.SiteURL(siteURL)}
	if d.V3, err = describe.Load(description.V3, at...); err != nil {
		return d, fmt.Errorf("api/v3.yaml: %w", err)
	}
	if d.Ext, err = describe.Load(description.Ext, at...); err != nil {
		return d, fmt.Errorf("api/ext.yaml: %w", err)
	}
	if d.Compat, err = describe.Load(description.Compat, at...); err != nil {
		return d, fmt.Errorf("api/compat.yaml: %w", err)
	}
	return d, nil
}

// API answers /v3 and /ext/v1.
type API struct {
	Documents

	v3, ext http.Handler
	compat  *gate
}

// handler implements the generated interfaces.
type handler struct {
	app   *app.App
	base  string
	site  string
	files string
	// epoch is part of every ETag: it differs when the base address, the
	// description or the program does, since representations may then.
	epoch  uint64
	v3Doc  *describe.Description
	extDoc *describe.Description
}

// New makes the API.
func New(o Options) (*API, error) {
	v3Doc, extDoc := o.Documents.V3, o.Documents.Ext
	h := &handler{app: o.App, base: o.BaseURL, site: o.SiteURL, files: o.FilesURL, v3Doc: v3Doc, extDoc: extDoc, epoch: xxhash.Sum64(append([]byte(o.Build+" "+o.FilesURL), v3Doc.JSON()...))}
	other := &compat{handler: h, doc: o.Documents.Compat, public: v3Doc}
	v3Server, err := v3.NewServer(h, v3.WithErrorHandler(renderError), v3.WithNotFound(other.notFound), v3.WithMethodNotAllowed(other.methodNotAllowed))
	if err != nil {
		return nil, err
	}
	extServer, err := ext.NewServer(h, ext.WithErrorHandler(renderError), ext.WithNotFound(NotFound), ext.WithMethodNotAllowed(methodNotAllowed))
	if err != nil {
		return nil, err
	}
	callers := newCallers(o)
	return &API{Documents: o.Documents, compat: &gate{callers: callers, doc: other.doc, next: other, route: other.route},
		v3: &gate{callers: callers, doc: v3Doc, next: v3Server, route: func(method string, u *url.URL) (string, bool) {
			r, ok := v3Server.FindPath(method, u)
			return r.OperationID(), ok
		}},
		ext: &gate{callers: callers, doc: extDoc, next: extServer, route: func(method string, u *url.URL) (string, bool) {
			r, ok := extServer.FindPath(method, u)
			return r.OperationID(), ok
		}},
	}, nil
}

// ServeHTTP serves the paths below /ext/v1 and, as /v3, all others.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/ext/") {
		a.ext.ServeHTTP(w, r)
		return
	}
	if _, found := a.compat.route(r.Method, r.URL); found {
		a.compat.ServeHTTP(w, r)
		return
	}
	a.v3.ServeHTTP(w, r)
}
