package v3

import (
	"vitrine/internal/domain"
	"vitrine/internal/oas/v3"
	"vitrine/internal/oas/wire"
	"vitrine/internal/present"
)

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
