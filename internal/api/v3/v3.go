// Package v3 is the handler of /v3. It implements the interface generated from api/v3.yaml and accepts further requests
// of clients: it only converts parameters to inputs and results to wire types.
package v3

import (
	"bytes"
	"context"
	"net/http"
	"net/url"

	"vitrine/internal/app"
	"vitrine/internal/app/collections"
	"vitrine/internal/describe"
	"vitrine/internal/domain"
	"vitrine/internal/fragments"
	"vitrine/internal/httpedge"
	v3 "vitrine/internal/oas/v3"
	"vitrine/internal/oas/wire"
	"vitrine/internal/present"
)

// Options configures the handler.
type Options struct {
	App       *app.App
	Callers   *httpedge.Callers
	Doc       *describe.Description // api/v3.yaml
	Compat    *describe.Description // api/compat.yaml
	Addresses *present.Addresses
	Build     string // of the program; another build may encode responses differently
	Fragments *fragments.Cache
}

// Server handles /v3 and all unknown paths.
type Server struct {
	handler *handler
	public  *httpedge.APIHandler
	compat  *httpedge.APIHandler
}

// handler implements the generated interface.
type handler struct {
	app  *app.App
	at   *present.Addresses
	tags present.Tags
	doc  *describe.Description

	fragments *fragments.Cache // nil disables the cache
}

var _ v3.Handler = (*handler)(nil)

// New creates the handler.
func New(o Options) (*Server, error) {
	h := &handler{app: o.App, at: o.Addresses, doc: o.Doc, fragments: o.Fragments,
		// The description contains the addresses of the API and the site.
		tags: present.NewTags(append([]byte(o.Build+" "+o.Addresses.Files), o.Doc.Identity()...))}
	other := &compat{handler: h, doc: o.Compat, public: o.Doc}
	server, err := v3.NewServer(h, v3.WithErrorHandler(httpedge.JSON.Fail), v3.WithNotFound(other.notFound),
		v3.WithMethodNotAllowed(other.methodNotAllowed))
	if err != nil {
		return nil, err
	}
	s := &Server{handler: h,
		public: &httpedge.APIHandler{Callers: o.Callers, Errors: httpedge.JSON, Doc: o.Doc, Next: server,
			Address: address, Body: adapted, Allow: allow, Shown: []string{"getPing", "getOpenapiSpec", "getOpenapiSpecJson"},
			Route: func(method string, u *url.URL) (string, bool) {
				r, ok := server.FindPath(method, u)
				return r.OperationID(), ok
			}},
		compat: &httpedge.APIHandler{Callers: o.Callers, Errors: httpedge.JSON, Doc: o.Compat, Next: other, Route: other.route},
	}
	s.public.Condition = s.Condition
	return s, nil
}

// Part carries out an operation of a bulk request.
func (d *Server) Part(ctx context.Context, p httpedge.Part) httpedge.Result {
	return d.public.Part(ctx, p)
}

// ServeHTTP implements http.Handler.
func (d *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, found := d.compat.Route(r.Method, r.URL); found {
		d.compat.ServeHTTP(w, r)
		return
	}
	d.public.ServeHTTP(w, r)
}

// Content returns a block or a channel with its connection, in the form of /v3.
func (d *Server) Content(c collections.Content) wire.Item { return d.handler.content(c) }

// Entity returns what an actor found in the form of /v3.
func (d *Server) Entity(who domain.Actor, t domain.Entity) wire.Item { return d.handler.entity(who, t) }

// allow refuses a search by an application that acts as itself, because it has no tier (behaviour.md section 8).
func allow(op *describe.Operation, who domain.Actor) error {
	if op.ID == "search" && who.ApplicationID != 0 && !who.SignedIn() {
		return httpedge.ErrApplication
	}
	return nil
}

func address(operationID string, u *url.URL) *url.URL {
	if operationID == "search" {
		return httpedge.PlainLists(u)
	}
	return u
}

// embedded converts a nested user or group.
func embedded(p present.Principal) wire.Item {
	if p.Type == domain.TypeGroup {
		g := embeddedGroup(p)
		return wire.Item{Value: &g}
	}
	u := embeddedUser(p)
	return wire.Item{Value: &u}
}

func embeddedUser(p present.Principal) v3.EmbeddedUser {
	return v3.EmbeddedUser{ID: p.ID, Type: v3.EmbeddedUserTypeUser, Name: p.Name, Slug: p.Slug,
		Avatar: nonEmpty(p.Avatar()), Initials: p.Initials()}
}

func embeddedGroup(p present.Principal) v3.EmbeddedGroup {
	return v3.EmbeddedGroup{ID: p.ID, Type: v3.EmbeddedGroupTypeGroup, Name: p.Name, Slug: p.Slug,
		Avatar: nonEmpty(p.Avatar()), Initials: p.Initials()}
}

func nilString(s *string) v3.NilString {
	if s == nil {
		return v3.NilString{Null: true}
	}
	return v3.NewNilString(*s)
}

func optNilString(s *string) v3.OptNilString {
	if s == nil {
		return v3.OptNilString{Set: true, Null: true}
	}
	return v3.NewOptNilString(*s)
}

// nonEmpty and the next functions convert missing values to null.
func nonEmpty(s string) v3.NilString {
	if s == "" {
		return v3.NilString{Null: true}
	}
	return v3.NewNilString(s)
}

func optNonEmpty(s string) v3.OptNilString {
	if s == "" {
		return v3.OptNilString{Set: true, Null: true}
	}
	return v3.NewOptNilString(s)
}

func nonZero(n int64) v3.OptNilInt64 {
	if n == 0 {
		return v3.OptNilInt64{Set: true, Null: true}
	}
	return v3.NewOptNilInt64(n)
}

func markdown(t *domain.Text) v3.OptNilMarkdownContent {
	if t == nil {
		return v3.OptNilMarkdownContent{Set: true, Null: true}
	}
	return v3.NewOptNilMarkdownContent(v3.MarkdownContent{Markdown: t.Markdown, HTML: t.HTML, Plain: t.Plain})
}

func metadata(m domain.Metadata) v3.OptJSON { return v3.NewOptJSON(wire.JSON(m)) }

// rawMetadata returns the text of a metadata field, or nil if it was not given.
func rawMetadata(o v3.OptJSON) []byte {
	if !o.Set {
		return nil
	}
	return o.Value
}

// links returns `_links`.
func (h *handler) links(rels []present.Rel) wire.Links { return wire.NewLinks(h.at.API, rels) }

// meta returns the position of a page (behaviour.md section 1).
func meta(at domain.Page, total int64) v3.PaginationMeta {
	p := present.Page{Page: at, Total: total}
	return v3.PaginationMeta{CurrentPage: p.Number, PerPage: p.Per, TotalPages: p.Pages(), TotalCount: p.Total,
		HasMorePages: p.Next() != 0, NextPage: nonZero(p.Next()), PrevPage: nonZero(p.Prev())}
}

// GetPing implements getPing.
func (h *handler) GetPing(context.Context) (*v3.PingResponse, error) {
	return &v3.PingResponse{Status: v3.PingResponseStatusOk}, nil
}

// GetOpenapiSpec serves the description as YAML.
func (h *handler) GetOpenapiSpec(context.Context) (v3.GetOpenapiSpecOK, error) {
	return v3.GetOpenapiSpecOK{Data: bytes.NewReader(h.doc.YAML())}, nil
}

// GetOpenapiSpecJson serves the description as JSON.
func (h *handler) GetOpenapiSpecJson(context.Context) (wire.JSON, error) {
	return h.doc.JSON(), nil
}
