// Package api combines the versions of the API in one handler.
package api

import (
	"net/http"

	description "vitrine/api"
	"vitrine/internal/api/ext"
	"vitrine/internal/api/v2"
	"vitrine/internal/api/v3"
	"vitrine/internal/app"
	"vitrine/internal/describe"
	"vitrine/internal/domain"
	"vitrine/internal/exporting"
	"vitrine/internal/fragments"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/wire"
	"vitrine/internal/present"
)

// Options configures the API.
type Options struct {
	App       *app.App
	Callers   *httpedge.Callers
	Documents Documents
	Addresses *present.Addresses
	Exports   *exporting.Exporter
	Version   string           // of the program, for operators
	Build     string           // of the program; another build may encode responses differently
	Fragments *fragments.Cache // encoded parts of version 3 responses; nil disables the cache
}

// Documents are the descriptions of /v3, /v2 and /ext/v1, and of accepted requests beyond the contract.
type Documents struct{ V3, V2, Ext, Compat *describe.Description }

// OpenDocuments opens the descriptions for a server at these URLs, which are absolute and without a trailing slash. They
// are read when first needed.
func OpenDocuments(baseURL, siteURL string) Documents {
	open := func(text []byte) *describe.Description {
		return describe.Open(text, describe.BaseURL(baseURL), describe.SiteURL(siteURL))
	}
	return Documents{V3: open(description.V3), V2: open(description.V2), Ext: open(description.Ext), Compat: open(description.Compat)}
}

// API contains the handlers of the API's versions.
type API struct {
	Documents

	V2Handler  http.Handler // handles /v2
	V3Handler  http.Handler // handles /v3 and all unknown paths
	ExtHandler http.Handler // handles /ext/v1

	entity func(domain.Actor, domain.Entity) wire.Item
}

// Encode returns a thing in its form in /v3, as JSON.
func (a *API) Encode(who domain.Actor, t domain.Entity) []byte { return wire.Bytes(a.entity(who, t)) }

// New creates the handlers.
func New(o Options) (*API, error) {
	public, err := v3.New(v3.Options{App: o.App, Callers: o.Callers, Doc: o.Documents.V3, Compat: o.Documents.Compat,
		Addresses: o.Addresses, Build: o.Build, Fragments: o.Fragments})
	if err != nil {
		return nil, err
	}
	own, err := ext.New(ext.Options{App: o.App, Callers: o.Callers, Doc: o.Documents.Ext,
		Addresses: o.Addresses, Exports: o.Exports, Content: public.Content, Entity: public.Entity,
		Shown: public.Shown, State: public.State, Condition: public.Condition, Public: public.Part, V3: o.Documents.V3, Version: o.Version})
	if err != nil {
		return nil, err
	}
	old := v2.New(v2.Options{App: o.App, Callers: o.Callers, Doc: o.Documents.V2, Addresses: o.Addresses})
	return &API{Documents: o.Documents, V2Handler: old, V3Handler: public, ExtHandler: own, entity: public.Entity}, nil
}
