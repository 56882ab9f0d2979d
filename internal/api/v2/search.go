package v2

import (
	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
)

// newest is the order of lists without search terms.
var newest = domain.SearchSort{Key: domain.SearchByCreated, Desc: true}

// The kinds of things that can be searched.
var (
	channelKind = []string{string(domain.SubjectChannel)}
	userKind    = []string{string(domain.SubjectUser)}
	everything  = append(append([]string{}, domain.BlockTypes...), string(domain.SubjectChannel), string(domain.SubjectUser))
)

// listChannels lists the channels that everybody can see, newest first, as a search without terms.
func (h *handler) listChannels(c call) (answer, error) { return h.find(c, nil, channelKind) }

func (h *handler) search(c call) (answer, error) { return h.find(c, c.words(), everything) }

func (h *handler) searchUsers(c call) (answer, error) { return h.find(c, c.words(), userKind) }

func (h *handler) searchChannels(c call) (answer, error) { return h.find(c, c.words(), channelKind) }

func (h *handler) searchBlocks(c call) (answer, error) {
	return h.find(c, c.words(), domain.BlockTypes)
}

// words returns the search terms of a request, shortened to the maximum.
func (c call) words() *string {
	q := collections.Shortened(c.r.URL.Query().Get("q"))
	return &q
}

// find returns the things that match the terms, or all if term is nil: one page in total, distributed over three lists
// (behaviour-v2.md section 5).
func (h *handler) find(c call, term *string, types []string) (answer, error) {
	at := c.page()
	in := domain.Search{Types: types, Sort: newest, Scope: domain.SearchAll, Page: at}
	if term != nil && *term != "" {
		in.Query, in.Sort = *term, domain.SearchSort{Key: domain.SearchByScore, Desc: true}
	}
	viewer := c.who
	if term == nil {
		viewer = domain.Actor{} // the client may publish the list of channels
	}
	l, err := h.app.Finder.Explore(c.ctx, viewer, in, nil)
	if err != nil {
		return nil, err
	}
	var channels []domain.Channel
	var blocks []*domain.Block
	var users []*domain.User
	cast := h.newRelated(c.who)
	for _, t := range l.Items {
		switch cast.entity(t); {
		case t.Channel != nil:
			channels = append(channels, *t.Channel)
		case t.Block != nil:
			blocks = append(blocks, t.Block)
		case t.User != nil:
			users = append(users, t.User)
		}
	}
	previews := map[domain.ChannelID][]collections.Content{}
	if len(channels) > 0 {
		if previews, err = h.previews(c, channels, false); err != nil {
			return nil, err
		}
	}
	for _, all := range previews {
		cast.contents(all)
	}
	if err := cast.load(c.ctx); err != nil {
		return nil, err
	}
	return func(p jsonWriter) {
		p.object(func() {
			p.optional("term", term)
			envelope(p, at, l.Total)
			p.bool("authenticated", c.who.SignedIn())
			cast.listAll(p, "channels", channels, previews)
			p.list("blocks", len(blocks), func(i int) { cast.block(p, blocks[i], nil) })
			p.list("users", len(users), func(i int) { cast.person(p, h.at.User(users[i]), nil) })
		})
	}, nil
}
