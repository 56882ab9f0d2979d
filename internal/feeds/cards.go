package feeds

import (
	"context"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"vitrine/internal/domain"
	"vitrine/internal/feeds/card"
	"vitrine/internal/httpedge"
	"vitrine/internal/present"
	"vitrine/internal/slots"
)

// cardsPrefix is what the addresses of cards begin with.
const cardsPrefix = "/cards/"

// maxCards is how many cards are kept: a dozen KB each, 100 at most.
const maxCards = 128

// studio draws cards, a few at once, and keeps the last ones. It has nothing until the
// first is asked for.
type studio struct {
	slots slots.Slots[struct{}]
	drawn func() *lru.Cache[string, []byte] // by tag
}

func newStudio() *studio {
	return &studio{slots: slots.Slots[struct{}]{AtOnce: max(1, runtime.GOMAXPROCS(0)/2), Waiting: 64, Patience: 5 * time.Second,
		Refusal: "Too many pictures are being drawn. Ask again in a few seconds."},
		drawn: sync.OnceValue(func() *lru.Cache[string, []byte] {
			kept, _ := lru.New[string, []byte](maxCards) // it fails for none
			return kept
		})}
}

// draw gives a card, which is known by its tag.
func (s *studio) draw(ctx context.Context, tag string, c card.Card) ([]byte, error) {
	if file, ok := s.drawn().Get(tag); ok {
		return file, nil
	}
	if err := s.slots.Enter(ctx, struct{}{}); err != nil {
		return nil, err
	}
	defer s.slots.Leave(struct{}{})
	if file, ok := s.drawn().Get(tag); ok { // somebody else has drawn it meanwhile
		return file, nil
	}
	file, err := card.Draw(c)
	if err == nil {
		s.drawn().Add(tag, file)
	}
	return file, err
}

// cardLook is part of the tags of all cards: it changes with how they are drawn.
const cardLook = "1"

// subject reads what a card is of, as guests see it, and what it is known by.
type subject func(ctx context.Context, tags present.Tags, id int64) (tag string, c card.Card, err error)

// card gives what answers a card by its path below cardsPrefix; nil if there is none.
func (d *Door) card(path []string) answer {
	if len(path) != 2 {
		return nil
	}
	name, ok := strings.CutSuffix(path[1], ".png")
	id, _, valid := domain.IsID(name)
	read := map[string]subject{"block": d.blockCard, "channel": d.channelCard, "user": d.userCard, "group": d.groupCard}[path[0]]
	if !ok || !valid || read == nil {
		return nil
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		site, err := d.o.App.SiteSettings(r.Context())
		if err != nil {
			return err
		}
		tags := present.NewTags([]byte(strings.Join([]string{"card", cardLook, d.o.Addresses.Site, site.Name}, "\x00")))
		tag, shown, err := read(r.Context(), tags, id)
		if err != nil {
			return err
		}
		if err := httpedge.Fresh(r.Context(), tag); err != nil {
			return err
		}
		if shown.Site = site.Name; site.Name == domain.DefaultSiteName {
			shown.Site = d.host
		}
		file, err := d.studio.draw(r.Context(), tag, shown)
		if err != nil {
			return err
		}
		h := w.Header()
		h.Set("Content-Type", "image/png")
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
		_, _ = w.Write(file) // the client has gone; nothing to do
		return nil
	}
}

func (d *Door) blockCard(ctx context.Context, tags present.Tags, id int64) (tag string, c card.Card, err error) {
	found, err := d.o.App.Block(ctx, domain.Actor{}, domain.BlockID(id))
	if err != nil {
		return "", c, err
	}
	b := d.o.Addresses.Block(&found)
	c = card.Card{Above: b.Author().Name}
	titled := b.Title != nil && strings.TrimSpace(*b.Title) != ""
	text := ""
	switch {
	case b.Type == domain.TextBlock && b.Content != nil:
		text = b.Content.Plain
	case b.Description != nil:
		text = b.Description.Plain
	default:
		text = b.Source().Provider.Shown()
	}
	if c.Title, c.Text = b.Heading(), text; b.Type == domain.TextBlock && !titled && text != "" {
		c.Title, c.Text = text, "" // its beginning is no title
	}
	return tags.Block(domain.Actor{}, found), c, nil
}

func (d *Door) channelCard(ctx context.Context, tags present.Tags, id int64) (tag string, c card.Card, err error) {
	full, err := d.o.App.Channel(ctx, domain.Actor{}, domain.Ref{ID: id})
	if err != nil {
		return "", c, err
	}
	c = card.Card{Above: full.Owner.Name, Title: full.Title, Text: plain(full.Description), Count: itoa(full.Contents() - full.PrivateItems)}
	return tags.Channel(domain.Actor{}, full.Channel, nil), c, nil
}

func (d *Door) userCard(ctx context.Context, tags present.Tags, id int64) (tag string, c card.Card, err error) {
	u, err := d.o.App.User(ctx, domain.Ref{ID: id})
	if err != nil {
		return "", c, err
	}
	return tags.User(domain.Actor{}, u), card.Card{Title: u.Name, Text: plain(u.Bio), Count: itoa(u.OpenChannels)}, nil
}

func (d *Door) groupCard(ctx context.Context, tags present.Tags, id int64) (tag string, c card.Card, err error) {
	g, err := d.o.App.Group(ctx, domain.Actor{}, domain.Ref{ID: id})
	if err != nil {
		return "", c, err
	}
	return tags.Group(domain.Actor{}, g), card.Card{Title: g.Name, Text: plain(g.Description), Count: itoa(g.OpenChannels)}, nil
}
