package feeds

import (
	"context"
	"image"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"vitrine/internal/budget"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/present"
)

// cardsPrefix is the prefix of the paths of cards.
const cardsPrefix = "/cards/"

// maxCards is the size of the cache. A card is about 12 KB, at most 100, and 200 with pictures.
const maxCards = 128

// cardCache draws cards, a few at a time, and caches them. It is empty until the first request.
type cardCache struct {
	slots budget.Slots[struct{}]
	drawn func() *lru.Cache[string, []byte] // by tag
}

func newCardCache() *cardCache {
	return &cardCache{slots: budget.Slots[struct{}]{AtOnce: max(1, runtime.GOMAXPROCS(0)/2), Waiting: 64, MaxWait: 5 * time.Second,
		Refusal: "Too many pictures are being drawn. Ask again in a few seconds."},
		drawn: sync.OnceValue(func() *lru.Cache[string, []byte] {
			cache, _ := lru.New[string, []byte](maxCards) // fails only for a size below 1
			return cache
		})}
}

// draw returns the card with a tag, drawing it with its pictures if it is not cached.
func (s *cardCache) draw(ctx context.Context, tag string, c Card, pictures func(context.Context) ([]image.Image, error)) ([]byte, error) {
	if file, ok := s.drawn().Get(tag); ok {
		return file, nil
	}
	if err := s.slots.Enter(ctx, struct{}{}); err != nil {
		return nil, err
	}
	defer s.slots.Leave(struct{}{})
	if file, ok := s.drawn().Get(tag); ok { // drawn by another request in the meantime
		return file, nil
	}
	if pictures != nil {
		var err error
		if c.Pictures, err = pictures(ctx); err != nil {
			return nil, err
		}
	}
	file, err := DrawCard(c)
	if err == nil {
		s.drawn().Add(tag, file)
	}
	return file, err
}

// cardLook is part of the tags of all cards. Change it when the drawing changes.
const cardLook = "2"

// subject returns the content of a card as guests see it, and its tag.
type subject func(ctx context.Context, tags present.Tags, id int64) (tag string, c subjectCard, err error)

// subjectCard is a card whose pictures have not been read.
type subjectCard struct {
	Card
	cover []domain.CoverBlock
}

// card returns the handler of a card by its path below cardsPrefix, or nil.
func (h *Handler) card(path []string) answer {
	if len(path) != 2 {
		return nil
	}
	name, ok := strings.CutSuffix(path[1], ".png")
	id, _, valid := domain.IsID(name)
	read := map[string]subject{"block": h.blockCard, "channel": h.channelCard, "user": h.userCard, "group": h.groupCard}[path[0]]
	if !ok || !valid || read == nil {
		return nil
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		site, err := h.o.App.Operating.SiteSettings(r.Context())
		if err != nil {
			return err
		}
		tags := present.NewTags([]byte(strings.Join([]string{"card", cardLook, h.o.Addresses.Site, site.Name}, "\x00")))
		tag, shown, err := read(r.Context(), tags, id)
		if err != nil {
			return err
		}
		if err := httpedge.Fresh(r.Context(), tag); err != nil {
			return err
		}
		if shown.Site = site.Name; site.Name == domain.DefaultSiteName {
			shown.Site = h.host
		}
		var pictures func(context.Context) ([]image.Image, error)
		if shown.cover != nil {
			pictures = func(ctx context.Context) ([]image.Image, error) { return h.pictures(ctx, shown.cover) }
		}
		file, err := h.cards.draw(r.Context(), tag, shown.Card, pictures)
		if err != nil {
			return err
		}
		header := w.Header()
		header.Set("Content-Type", http.DetectContentType(file)) // image/png or image/jpeg
		header.Set("Cross-Origin-Resource-Policy", "cross-origin")
		_, _ = w.Write(file) // fails only if the client is gone
		return nil
	}
}

func (h *Handler) blockCard(ctx context.Context, tags present.Tags, id int64) (tag string, c subjectCard, err error) {
	found, err := h.o.App.Collections.Block(ctx, domain.Actor{}, domain.BlockID(id))
	if err != nil {
		return "", c, err
	}
	b := h.o.Addresses.Block(&found)
	c.Above = b.Author().Name
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
		c.Title, c.Text = text, "" // the beginning of the text is not a title
	}
	return tags.Block(domain.Actor{}, found), c, nil
}

func (h *Handler) channelCard(ctx context.Context, tags present.Tags, id int64) (tag string, c subjectCard, err error) {
	full, err := h.o.App.Collections.Channel(ctx, domain.Actor{}, domain.Ref{ID: id})
	if err != nil {
		return "", c, err
	}
	covers, err := h.o.App.Collections.Covers(ctx, domain.Actor{}, []domain.ChannelID{full.ID})
	if err != nil {
		return "", c, err
	}
	c.cover = covers[full.ID]
	c.Card = Card{Above: full.Owner.Name, Title: full.Title, Text: plain(full.Description), Count: itoa(full.Contents() - full.PrivateItems)}
	return coverTag(tags.Channel(domain.Actor{}, full.Channel, nil), c.cover), c, nil
}

func (h *Handler) userCard(ctx context.Context, tags present.Tags, id int64) (tag string, c subjectCard, err error) {
	u, err := h.o.App.People.User(ctx, domain.Ref{ID: id})
	if err != nil {
		return "", c, err
	}
	return tags.User(domain.Actor{}, u), subjectCard{Card: Card{Title: u.Name, Text: plain(u.Bio), Count: itoa(u.OpenChannels)}}, nil
}

func (h *Handler) groupCard(ctx context.Context, tags present.Tags, id int64) (tag string, c subjectCard, err error) {
	g, err := h.o.App.People.Group(ctx, domain.Actor{}, domain.Ref{ID: id})
	if err != nil {
		return "", c, err
	}
	return tags.Group(domain.Actor{}, g), subjectCard{Card: Card{Title: g.Name, Text: plain(g.Description), Count: itoa(g.OpenChannels)}}, nil
}
