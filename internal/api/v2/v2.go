// Package v2 is the handler of /v2, for unmaintained clients of version 2 of the public API (docs/behaviour-v2.md). It
// is written by hand because these clients fit no schema: it accepts paths in any spelling, merges the parameters of a
// request into one JSON object, and represents the results of the use cases in the forms of version 2. It contains no
// rules about permissions.
package v2

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"vitrine/internal/app"
	"vitrine/internal/describe"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/present"
)

// Options configures the handler.
type Options struct {
	App       *app.App
	Callers   *httpedge.Callers
	Doc       *describe.Description // api/v2.yaml
	Addresses *present.Addresses
}

// Server handles /v2.
type Server struct {
	handler *handler
	api     *httpedge.APIHandler
}

// handler executes operations.
type handler struct {
	app *app.App
	at  *present.Addresses
	doc *describe.Description
}

// New creates the handler.
func New(o Options) *Server {
	h := &handler{app: o.App, at: o.Addresses, doc: o.Doc}
	return &Server{handler: h, api: &httpedge.APIHandler{Callers: o.Callers, Errors: Errors, Doc: o.Doc, Next: http.HandlerFunc(h.serve),
		Route: route, Address: h.address, Read: parameters, Shown: []string{"getOpenapi"}}}
}

// ServeHTTP implements http.Handler.
func (d *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r = plain(r)
	h := w.Header()
	authorize(h, r)
	h.Set("Deprecation", deprecated)
	if op, at := find(r.Method, r.URL); op != nil && op.successor != "" {
		h.Set("Link", "<"+d.handler.at.API+successor(op.successor, at)+`>; rel="successor-version"`)
	}
	d.api.ServeHTTP(w, r)
}

// address returns the URL to validate. Invalid parameters of reads are removed. Those of writes are validated with the
// body.
func (h *handler) address(operationID string, u *url.URL) *url.URL {
	if h.doc.Operation(operationID).Method == http.MethodGet {
		return lenient(u)
	}
	return u
}

// call is a validated request.
type call struct {
	ctx context.Context
	who domain.Actor
	r   *http.Request
	at  []string // values of the placeholders in the path
}

// deprecated is the date of version 2's deprecation (RFC 9745), which is before the first version of this server.
const deprecated = "@1735689600"

// serve executes the operation of a request.
func (h *handler) serve(w http.ResponseWriter, r *http.Request) {
	op, at := find(r.Method, r.URL)
	if op == nil || httpedge.Operation(r.Context()) == nil {
		if methods := methods(r.URL); methods != nil {
			Errors.MethodNotAllowed(w, r, strings.Join(methods, ", "))
			return
		}
		Errors.NotFound(w, r)
		return
	}
	answer, err := op.do(h, call{ctx: r.Context(), who: httpedge.Actor(r.Context()), r: r, at: at})
	if domain.KindOf(err) == domain.Forbidden {
		// Clients expect a single answer to forbidden requests (behaviour-v2.md section 6).
		err = domain.NewUnauthenticated("")
	}
	if err == nil {
		err = answer.write(w)
	}
	if err != nil {
		Errors.Fail(r.Context(), w, r, renamed(err))
	}
}

// successor returns the path of version 3 with the values of a path of version 2.
func successor(pattern string, at []string) string {
	for i, value := range at {
		pattern = strings.ReplaceAll(pattern, "{"+strconv.Itoa(i+1)+"}", url.PathEscape(value))
	}
	return pattern
}
