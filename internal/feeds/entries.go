package feeds

import (
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/present"
)

// tag is the id of a thing for ever (RFC 4151): it says who names it, since when, and what
// it is, and nothing that may change, such as slugs and titles.
func (d *Door) tag(made time.Time, kind string, id int64) string {
	return "tag:" + d.host + "," + made.UTC().Format(time.DateOnly) + ":" + d.root + "/" + kind + "/" + itoa(id)
}

func personOf(p present.Principal) person { return person{p.Name, p.URL(), p.Avatar()} }

// thing gives the entry of a block or channel; ok is false for anything else.
func (d *Door) thing(t domain.Thing) (e entry, ok bool) {
	switch {
	case t.Block != nil:
		return d.block(d.o.Addresses.Block(t.Block)), true
	case t.Channel != nil:
		return d.channel(d.o.Addresses.Channel(t.Channel)), true
	}
	return entry{}, false
}

func (d *Door) block(b present.Block) entry {
	e := entry{id: d.tag(b.CreatedAt, "block", int64(b.ID)), title: b.Heading(), page: b.URL(), html: blockHTML(b),
		author: personOf(b.Author()), published: b.CreatedAt, updated: b.UpdatedAt, external: b.Source().URL}
	if b.HasImage() {
		e.image = b.Image().Large().Src
	}
	if b.Type == domain.AttachmentBlock && b.File != nil {
		f := b.Attachment()
		e.attachment = &attachment{f.URL(), f.ContentType, f.Name, f.ServedSize()}
	}
	return e
}

func (d *Door) channel(c present.Channel) entry {
	return entry{id: d.tag(c.CreatedAt, "channel", int64(c.ID)), title: c.Title, page: c.URL(), html: channelHTML(c),
		author: personOf(c.Owner()), published: c.CreatedAt, updated: c.UpdatedAt}
}
