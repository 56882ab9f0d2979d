// Package ext is the handler of /ext/v1, the server's additions to the public API. It implements the interface generated
// from api/ext.yaml: it only converts parameters to inputs and results to wire types.
package ext

import (
	"context"
	"net/http"
	"net/url"

	"vitrine/internal/app"
	"vitrine/internal/app/collections"
	"vitrine/internal/describe"
	"vitrine/internal/domain"
	"vitrine/internal/exporting"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/ext"
	"vitrine/internal/oas/wire"
	"vitrine/internal/present"
)

// Options configures the handler.
type Options struct {
	App       *app.App
	Callers   *httpedge.Callers
	Doc       *describe.Description // api/ext.yaml
	Addresses *present.Addresses
	Exports   *exporting.Exporter

	// Content and Entity convert an item of a channel and a result of a search to their forms in /v3.
	Content func(collections.Content) wire.Item
	Entity  func(domain.Actor, domain.Entity) wire.Item

	// Shown converts a thing to its form in /v3. State identifies its state. Condition is that of requests with If-Match.
	Shown     func(domain.Actor, collections.Current) wire.Item
	State     func(domain.Actor, collections.Current) string
	Condition httpedge.Condition

	Public func(context.Context, httpedge.Part) httpedge.Result // carries out an operation of /v3
	V3     *describe.Description

	Version string // of the program
}

// handler implements the generated interface.
type handler struct {
	app     *app.App
	at      *present.Addresses
	doc     *describe.Description
	item    func(collections.Content) wire.Item
	entity  func(domain.Actor, domain.Entity) wire.Item
	exports *exporting.Exporter
	shown   func(domain.Actor, collections.Current) wire.Item
	state   func(domain.Actor, collections.Current) string
	fields  func() map[string]tree
	callers *httpedge.Callers
	public  func(context.Context, httpedge.Part) httpedge.Result // an operation of /v3
	own     func(context.Context, httpedge.Part) httpedge.Result // an operation of /ext/v1
	program string                                               // its version
}

var _ ext.Handler = (*handler)(nil)

// New creates the handler.
func New(o Options) (http.Handler, error) {
	h := &handler{app: o.App, at: o.Addresses, doc: o.Doc, item: o.Content, entity: o.Entity, exports: o.Exports,
		shown: o.Shown, state: o.State, fields: fieldsOf(o.V3), callers: o.Callers, public: o.Public, program: o.Version}
	server, err := ext.NewServer(h, ext.WithErrorHandler(httpedge.JSON.Fail), ext.WithNotFound(httpedge.JSON.NotFound),
		ext.WithMethodNotAllowed(httpedge.JSON.MethodNotAllowed))
	if err != nil {
		return nil, err
	}
	all := &httpedge.APIHandler{Callers: o.Callers, Errors: httpedge.JSON, Doc: o.Doc, Next: server, Address: address,
		Primary: func(r *http.Request) bool { return isExport(r) || Waits(r) || isAdmin(r) }, Waits: Waits,
		Shown: []string{"getExtOpenapiSpecJson", "getSite", "getReceipt"}, Kept: map[string]int{"runBulk": maxKeptResults},
		Always: []string{"adminAnnounce", "adminEndAnnouncement", "adminBeginReadOnly", "adminEndReadOnly"},
		Route: func(method string, u *url.URL) (string, bool) {
			r, ok := server.FindPath(method, u)
			return r.OperationID(), ok
		}, Condition: o.Condition}
	h.own = all.Part
	return all, nil
}

func address(operationID string, u *url.URL) *url.URL {
	switch operationID {
	case "filterChannelContents", "listUserContents", "listGroupContents":
		return httpedge.PlainLists(u)
	case "searchByMetadata", "listSearch":
		return conditions(httpedge.PlainLists(u))
	}
	return u
}
