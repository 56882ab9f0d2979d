package feeds

import (
	"context"
	"strings"

	"vitrine/internal/domain"
)

// highlightsFeed reads the newest highlights of the actor. A changed note updates its entry.
func (h *Handler) highlightsFeed(ctx context.Context, actor domain.Actor) (x feed, err error) {
	site, err := h.o.App.Operating.SiteSettings(ctx)
	if err != nil {
		return x, err
	}
	all, err := h.o.App.Reading.Highlights(ctx, actor, newest)
	if err != nil {
		return x, err
	}
	x = feed{id: h.tag(epoch, "highlights", int64(actor.UserID)), title: site.Name + " · Highlights", page: h.o.Addresses.Site + "/settings/highlights"}
	for _, one := range all.Items {
		b := h.o.Addresses.Block(one.On)
		shown := struct {
			Quote string
			Note  []string // paragraphs
		}{one.Quote.Exact, strings.FieldsFunc(one.Note, func(r rune) bool { return r == '\n' })}
		x.entries = append(x.entries, entry{id: h.tag(one.CreatedAt, "highlight", int64(one.ID)), title: b.Heading(), page: b.URL() + "/read", html: execute("highlight", shown),
			author: personOf(b.Author()), published: one.CreatedAt, updated: one.UpdatedAt, external: b.Source().URL})
	}
	x.finish(epoch)
	return x, nil
}
