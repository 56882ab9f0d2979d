package api

import (
	"net/url"
	"strconv"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/oas/v3"
	"vitrine/internal/oas/wire"
)

// embedded is a user or group inside another resource.
func (h *handler) embedded(p domain.Principal) wire.Item {
	if p.Type == domain.TypeGroup {
		g := h.embeddedGroup(p)
		return wire.Item{Value: &g}
	}
	u := h.embeddedUser(p)
	return wire.Item{Value: &u}
}

func (h *handler) embeddedUser(p domain.Principal) v3.EmbeddedUser {
	return v3.EmbeddedUser{ID: p.ID, Type: v3.EmbeddedUserTypeUser, Name: p.Name, Slug: p.Slug,
		Avatar: h.avatar(p.Avatar), Initials: domain.Initials(p.Name)}
}

func (h *handler) embeddedGroup(p domain.Principal) v3.EmbeddedGroup {
	return v3.EmbeddedGroup{ID: p.ID, Type: v3.EmbeddedGroupTypeGroup, Name: p.Name, Slug: p.Slug,
		Avatar: h.avatar(p.Avatar), Initials: domain.Initials(p.Name)}
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

func markdown(t *domain.Text) v3.OptNilMarkdownContent {
	if t == nil {
		return v3.OptNilMarkdownContent{Set: true, Null: true}
	}
	return v3.NewOptNilMarkdownContent(v3.MarkdownContent{Markdown: t.Markdown, HTML: t.HTML, Plain: t.Plain})
}

func metadata(m domain.Metadata) v3.OptJSON { return v3.NewOptJSON(wire.JSON(m)) }

// rawMetadata is the text of a metadata field, nil when it was not given.
func rawMetadata(o v3.OptJSON) []byte {
	if !o.Set {
		return nil
	}
	return o.Value
}

// links is `_links` with the given relations after self; paths alternate with names.
func (h *handler) links(self string, rels ...wire.Rel) wire.Links {
	return wire.Links{Base: h.base, Paths: append([]wire.Rel{{Name: "self", Path: self}}, rels...)}
}

// path is the path of a resource by id.
func path(kind string, id int64) string { return "/v3/" + kind + "/" + strconv.FormatInt(id, 10) }

// page is the page that the parameters ask for; the description gives the defaults.
func page(number, per v3.OptInt64) domain.Page {
	return domain.Page{Number: number.Or(1), Per: per.Or(24)}
}

// meta says where a page stands (behaviour.md section 1).
func meta(p domain.Page, total int64) v3.PaginationMeta {
	pages := (total + p.Per - 1) / p.Per
	m := v3.PaginationMeta{CurrentPage: p.Number, PerPage: p.Per, TotalPages: pages, TotalCount: total,
		HasMorePages: p.Number < pages,
		NextPage:     v3.OptNilInt64{Set: true, Null: true}, PrevPage: v3.OptNilInt64{Set: true, Null: true}}
	if p.Number < pages {
		m.NextPage = v3.NewOptNilInt64(p.Number + 1)
	}
	if p.Number > 1 {
		m.PrevPage = v3.NewOptNilInt64(min(p.Number-1, max(pages, 1)))
	}
	return m
}

// provider is the site behind a source: host without www., scheme and host
// (behaviour.md section 13).
func provider(source string) v3.OptNilBlockProvider {
	u, err := url.Parse(source)
	if err != nil || u.Host == "" {
		return v3.OptNilBlockProvider{Set: true, Null: true}
	}
	host := strings.ToLower(u.Hostname())
	return v3.NewOptNilBlockProvider(v3.BlockProvider{
		Name: strings.TrimPrefix(host, "www."), URL: strings.ToLower(u.Scheme) + "://" + strings.ToLower(u.Host)})
}
