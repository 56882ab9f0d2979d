package v2

import (
	"vitrine/internal/domain"
	"vitrine/internal/present"
)

// envelope writes the fields next to a list (behaviour-v2.md section 2).
func envelope(p jsonWriter, at domain.Page, total int64) {
	p.int("length", total)
	p.int("total_pages", present.Page{Page: at, Total: total}.Pages())
	p.int("current_page", at.Number)
	p.int("per", at.Per)
}

// titled writes the envelope of a list that belongs to something, with base class and class. title is that of a channel,
// or nil.
func titled(p jsonWriter, at domain.Page, total int64, title *string, base, class string) {
	envelope(p, at, total)
	p.optional("channel_title", title)
	p.text("base_class", base)
	p.text("class", class)
}
