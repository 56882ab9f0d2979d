package v2

import (
	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
)

// thumbItems is the number of items in the small form of a channel, and previewItems in a list of channels.
const (
	thumbItems   = 9
	previewItems = 6
)

func (h *handler) getOpenapi(call) (answer, error) {
	return func(p jsonWriter) { p.e.Raw(h.doc.JSON()) }, nil
}

// getChannel returns a channel with a page of its contents.
func (h *handler) getChannel(c call) (answer, error) {
	ch, err := h.app.Collections.Channel(c.ctx, c.who, c.ref(0))
	if err != nil {
		return nil, err
	}
	at := c.page()
	l, err := h.app.Collections.Contents(c.ctx, c.who, domain.Ref{ID: int64(ch.ID)}, collections.ContentsInput{Sort: c.sort(), Page: at})
	if err != nil {
		return nil, err
	}
	cast := h.newRelated(c.who)
	cast.channel(&ch.Channel)
	collaborators := usersAmong(ch.Collaborators)
	for _, who := range collaborators {
		cast.principal(who)
	}
	cast.contents(l.Items)
	if err := cast.load(c.ctx); err != nil {
		return nil, err
	}
	return func(p jsonWriter) { cast.single(p, &ch.Channel, collaborators, l, at) }, nil
}

// getChannelThumb returns a channel with its first items.
func (h *handler) getChannelThumb(c call) (answer, error) {
	ch, err := h.app.Collections.Channel(c.ctx, c.who, c.ref(0))
	if err != nil {
		return nil, err
	}
	l, err := h.app.Collections.Contents(c.ctx, c.who, domain.Ref{ID: int64(ch.ID)},
		collections.ContentsInput{Page: domain.Page{Number: 1, Per: thumbItems}})
	if err != nil {
		return nil, err
	}
	return h.shownChannel(c, &ch.Channel, append([]collections.Content{}, l.Items...))
}

// shownChannel returns a channel in the form of lists. A nil preview is null.
func (h *handler) shownChannel(c call, ch *domain.Channel, preview []collections.Content) (answer, error) {
	cast := h.newRelated(c.who)
	cast.channel(ch)
	cast.contents(preview)
	if err := cast.load(c.ctx); err != nil {
		return nil, err
	}
	return func(p jsonWriter) { cast.listed(p, ch, preview, nil) }, nil
}

// getChannelContents returns only a page of a channel's contents.
func (h *handler) getChannelContents(c call) (answer, error) {
	l, err := h.app.Collections.Contents(c.ctx, c.who, c.ref(0), collections.ContentsInput{Sort: c.sort(), Page: c.page()})
	if err != nil {
		return nil, err
	}
	cast := h.newRelated(c.who)
	cast.contents(l.Items)
	if err := cast.load(c.ctx); err != nil {
		return nil, err
	}
	return func(p jsonWriter) { p.object(func() { cast.items(p, "contents", l.Items) }) }, nil
}

// getChannelConnections lists the channels that contain a channel.
func (h *handler) getChannelConnections(c call) (answer, error) {
	ch, err := h.app.Collections.Channel(c.ctx, c.who, c.ref(0))
	if err != nil {
		return nil, err
	}
	at := c.page()
	l, err := h.app.Collections.ChannelConnections(c.ctx, c.who, domain.Ref{ID: int64(ch.ID)},
		collections.ItemChannelsInput{Ownership: domain.AnyOwner, Desc: true, Page: at})
	if err != nil {
		return nil, err
	}
	return h.channelList(c, l, nil, func(p jsonWriter) { titled(p, at, l.Total, &ch.Title, "Channel", "Channel") })
}

// getChannelChannels lists the channels that share items with a channel, with the number of those.
func (h *handler) getChannelChannels(c call) (answer, error) {
	at := c.page()
	l, err := h.app.Collections.SharedChannels(c.ctx, c.who, c.ref(0), at)
	if err != nil {
		return nil, err
	}
	cast := h.newRelated(c.who)
	for i := range l.Items {
		cast.channel(&l.Items[i].Channel)
	}
	if err := cast.load(c.ctx); err != nil {
		return nil, err
	}
	return func(p jsonWriter) {
		p.object(func() {
			envelope(p, at, l.Total)
			p.list("channels", len(l.Items), func(i int) {
				p.object(func() {
					p.int("count", l.Items[i].Shared)
					p.field("channel")
					cast.related(p, &l.Items[i].Channel)
				})
			})
		})
	}, nil
}

// channelList writes channels as a list inside an envelope, with their previews or null.
func (h *handler) channelList(c call, l domain.List[domain.Channel], previews map[domain.ChannelID][]collections.Content, beside func(jsonWriter)) (answer, error) {
	cast := h.newRelated(c.who)
	for i := range l.Items {
		cast.channel(&l.Items[i])
		cast.contents(previews[l.Items[i].ID])
	}
	if err := cast.load(c.ctx); err != nil {
		return nil, err
	}
	return func(p jsonWriter) {
		p.object(func() {
			beside(p)
			cast.listAll(p, "channels", l.Items, previews)
		})
	}, nil
}

// listAll writes a field with channels. Without previews their contents are null.
func (c *related) listAll(p jsonWriter, name string, all []domain.Channel, previews map[domain.ChannelID][]collections.Content) {
	p.list(name, len(all), func(i int) {
		preview := previews[all[i].ID]
		if previews != nil && preview == nil {
			preview = []collections.Content{}
		}
		c.listed(p, &all[i], preview, nil)
	})
}

// previews reads the newest items of channels for lists.
func (h *handler) previews(c call, all []domain.Channel, highest bool) (map[domain.ChannelID][]collections.Content, error) {
	ids := make([]domain.ChannelID, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	found, err := h.app.Collections.PreviewContents(c.ctx, c.who, ids, previewItems, highest)
	if found == nil {
		found = map[domain.ChannelID][]collections.Content{}
	}
	return found, err
}
