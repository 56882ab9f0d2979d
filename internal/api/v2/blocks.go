package v2

import (
	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
)

// connectionsShown is the number of channels in the representation of a block.
const connectionsShown = 100

// getBlock returns a block with its channels.
func (h *handler) getBlock(c call) (answer, error) {
	b, err := h.app.Collections.Block(c.ctx, c.who, domain.BlockID(c.id(0)))
	if err != nil {
		return nil, err
	}
	l, err := h.app.Collections.BlockConnections(c.ctx, c.who, b.ID, collections.ItemChannelsInput{Ownership: domain.AnyOwner, Desc: true,
		Page: domain.Page{Number: 1, Per: connectionsShown}})
	if err != nil {
		return nil, err
	}
	cast := h.newRelated(c.who)
	cast.principal(b.Author)
	for i := range l.Items {
		cast.channel(&l.Items[i])
	}
	if err := cast.load(c.ctx); err != nil {
		return nil, err
	}
	return func(p jsonWriter) {
		cast.block(p, &b, func() {
			p.list("connections", len(l.Items), func(i int) { cast.brief(p, &l.Items[i]) })
		})
	}, nil
}

// getBlockChannels lists the channels of a block.
func (h *handler) getBlockChannels(c call) (answer, error) {
	b, err := h.app.Collections.Block(c.ctx, c.who, domain.BlockID(c.id(0)))
	if err != nil {
		return nil, err
	}
	at := c.page()
	l, err := h.app.Collections.BlockConnections(c.ctx, c.who, b.ID,
		collections.ItemChannelsInput{Ownership: domain.AnyOwner, Desc: true, Page: at})
	if err != nil {
		return nil, err
	}
	previews, err := h.previews(c, l.Items, true)
	if err != nil {
		return nil, err
	}
	return h.channelList(c, l, previews, func(p jsonWriter) { titled(p, at, l.Total, nil, "Block", classes[b.Type]) })
}
