package ext

import (
	"vitrine/internal/domain"
	"vitrine/internal/oas/ext"
	"vitrine/internal/oas/wire"
	"vitrine/internal/present"
)

// embedded converts a nested user or group.
func embedded(p present.Principal) wire.Item {
	if p.Type == domain.TypeGroup {
		return wire.Item{Value: &ext.EmbeddedGroup{ID: p.ID, Type: ext.EmbeddedGroupTypeGroup, Name: p.Name, Slug: p.Slug,
			Avatar: nonEmpty(p.Avatar()), Initials: p.Initials(), WebURL: p.URL()}}
	}
	u := embeddedUser(p)
	return wire.Item{Value: &u}
}

func embeddedUser(p present.Principal) ext.EmbeddedUser {
	return ext.EmbeddedUser{ID: p.ID, Type: ext.EmbeddedUserTypeUser, Name: p.Name, Slug: p.Slug,
		Avatar: nonEmpty(p.Avatar()), Initials: p.Initials(), WebURL: p.URL()}
}

// markdown converts a text to its three forms, or null.
func markdown(t *domain.Text) ext.NilMarkdown {
	if t == nil {
		return ext.NilMarkdown{Null: true}
	}
	return ext.NewNilMarkdown(ext.Markdown{Markdown: t.Markdown, HTML: t.HTML, Plain: t.Plain})
}

func nilString(s *string) ext.NilString {
	if s == nil {
		return ext.NilString{Null: true}
	}
	return ext.NewNilString(*s)
}

// nonEmpty converts "" to null.
func nonEmpty(s string) ext.NilString {
	if s == "" {
		return ext.NilString{Null: true}
	}
	return ext.NewNilString(s)
}

// links returns `_links`.
func (h *handler) links(rels []present.Rel) wire.Links { return wire.NewLinks(h.at.API, rels) }

// meta returns the position of a page (behaviour.md section 1).
func meta(at domain.Page, total int64) ext.PageMeta {
	p := present.Page{Page: at, Total: total}
	return ext.PageMeta{CurrentPage: p.Number, PerPage: p.Per, TotalPages: p.Pages(), TotalCount: p.Total,
		HasMorePages: p.Next() != 0, NextPage: number(p.Next()), PrevPage: number(p.Prev())}
}

func number(n int64) ext.NilInt64 { return ext.NilInt64{Value: n, Null: n == 0} }
