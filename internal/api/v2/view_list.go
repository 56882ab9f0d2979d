package v2

import (
	"vitrine/internal/domain"
	"vitrine/internal/present"
)

// envelope are the fields beside a list (behaviour-v2.md section 2).
func envelope(p pen, at domain.Page, total int64) {
	p.int("length", total)
	p.int("total_pages", present.Page{Page: at, Total: total}.Pages())
	p.int("current_page", at.Number)
	p.int("per", at.Per)
}

// titled is the envelope of a list that belongs to something: of the class base, and class.
// title is that of a channel, nil for what is none.
func titled(p pen, at domain.Page, total int64, title *string, base, class string) {
	envelope(p, at, total)
	p.optional("channel_title", title)
	p.text("base_class", base)
	p.text("class", class)
}
