package feeds

import (
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/present"
)

// tag returns a permanent ID (RFC 4151) from the host, the creation date, the kind and the number.
// It does not contain anything that can change, such as slugs and titles.
func (h *Handler) tag(made time.Time, kind string, id int64) string {
	return "tag:" + h.host + "," + made.UTC().Format(time.DateOnly) + ":" + h.root + "/" + kind + "/" + itoa(id)
}

func personOf(p present.Principal) person { return person{p.Name, p.URL(), p.Avatar()} }

// entity returns the entry of a block or channel; ok is false for other types.
func (h *Handler) entity(t domain.Entity) (e entry, ok bool) {
	switch {
	case t.Block != nil:
		return h.block(h.o.Addresses.Block(t.Block)), true
	case t.Channel != nil:
		return h.channel(h.o.Addresses.Channel(t.Channel)), true
	}
	return entry{}, false
}

func (h *Handler) block(b present.Block) entry {
	e := entry{id: h.tag(b.CreatedAt, "block", int64(b.ID)), title: b.Heading(), page: b.URL(), html: blockHTML(b),
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

func (h *Handler) channel(c present.Channel) entry {
	return entry{id: h.tag(c.CreatedAt, "channel", int64(c.ID)), title: c.Title, page: c.URL(), html: channelHTML(c),
		author: personOf(c.Owner()), published: c.CreatedAt, updated: c.UpdatedAt}
}
