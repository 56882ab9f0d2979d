// Package v2 is the door of /v2, for the clients of version 2 of the public API that nobody
// updates (docs/behaviour-v2.md). It is written by hand, for what these clients send is no
// one schema's: it finds the operation of an address however it is spelled, makes one JSON
// object of parameters wherever they are, and shows what the use cases give in the forms
// of version 2. It knows no rule of who may see or do what.
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

// Options is what the door stands on.
type Options struct {
	App       *app.App
	Callers   *httpedge.Callers
	Doc       *describe.Description // api/v2.yaml
	Addresses *present.Addresses
}

// Door answers /v2.
type Door struct {
	handler *handler
	gate    *httpedge.APIHandler
}

// handler carries operations out.
type handler struct {
	app *app.App
	at  *present.Addresses
	doc *describe.Description
}

// New makes the door.
func New(o Options) *Door {
	h := &handler{app: o.App, at: o.Addresses, doc: o.Doc}
	return &Door{handler: h, gate: &httpedge.APIHandler{Callers: o.Callers, Errors: Errors, Doc: o.Doc, Next: http.HandlerFunc(h.serve),
		Route: route, Address: h.address, Read: parameters, Shown: []string{"getOpenapi"}}}
}

// ServeHTTP implements http.Handler.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r = plain(r)
	h := w.Header()
	authorize(h, r)
	h.Set("Deprecation", deprecated)
	if op, at := find(r.Method, r.URL); op != nil && op.successor != "" {
		h.Set("Link", "<"+d.handler.at.API+successor(op.successor, at)+`>; rel="successor-version"`)
	}
	d.gate.ServeHTTP(w, r)
}

// address is what the gate holds against the description: of reads, without what it would
// refuse. The query of a write has parameters that are held against it with the body.
func (h *handler) address(operationID string, u *url.URL) *url.URL {
	if h.doc.Operation(operationID).Method == http.MethodGet {
		return lenient(u)
	}
	return u
}

// call is a request that the gate has let through.
type call struct {
	ctx context.Context
	who domain.Actor
	r   *http.Request
	at  []string // what stands for the braces of the path
}

// deprecated is since when version 2 is, by its own account (RFC 9745): longer than this
// server is there.
const deprecated = "@1735689600"

// serve carries out the operation of a request.
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
		// Clients know one answer for what they may not do (behaviour-v2.md section 6).
		err = domain.NewUnauthenticated("")
	}
	if err == nil {
		err = answer.write(w)
	}
	if err != nil {
		Errors.Fail(r.Context(), w, r, renamed(err))
	}
}

// successor is the address of version 3 for what stands in one of version 2.
func successor(pattern string, at []string) string {
	for i, value := range at {
		pattern = strings.ReplaceAll(pattern, "{"+strconv.Itoa(i+1)+"}", url.PathEscape(value))
	}
	return pattern
}
