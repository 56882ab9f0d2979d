package v3

import (
	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	v3 "vitrine/internal/oas/v3"
	"vitrine/internal/oas/wire"
	"vitrine/internal/present"
)

// channel converts a channel of a list.
func (h *handler) channel(c present.Channel) *v3.Channel {
	return &v3.Channel{
		ID: int64(c.ID), Type: v3.ChannelTypeChannel, Slug: c.Slug, Title: c.Title,
		Description: markdown(c.Description), State: v3.ChannelStateAvailable,
		Visibility: v3.ChannelVisibility(c.Visibility),
		CreatedAt:  wire.Time{Time: c.CreatedAt}, UpdatedAt: wire.Time{Time: c.UpdatedAt},
		Metadata: metadata(c.Metadata), Owner: embedded(c.Owner()),
		Counts: v3.ChannelCounts{Blocks: c.Blocks, Channels: c.Channels, Contents: c.Contents(),
			Collaborators: c.Collaborators},
		Links: h.links(c.Links()),
	}
}

// fullChannel converts a channel to its form as a resource.
func (h *handler) fullChannel(who domain.Actor, c collections.FullChannel) *v3.Channel {
	shown := h.at.Channel(&c.Channel)
	w, can := h.channel(shown), shown.Can(who)
	w.Can = v3.NewOptNilChannelAbilities(v3.ChannelAbilities{AddTo: can.AddTo, Update: can.Update,
		Destroy: can.Destroy, ManageCollaborators: can.ManageCollaborators})
	w.Collaborators = h.embeddedAll(c.Collaborators)
	return w
}

func (h *handler) embeddedAll(all []domain.Principal) []wire.Item {
	items := make([]wire.Item, len(all))
	for i := range all {
		items[i] = embedded(h.at.Principal(&all[i]))
	}
	return items
}

func (h *handler) channelList(l domain.List[domain.Channel], p domain.Page) *v3.ChannelListResponse {
	w := &v3.ChannelListResponse{Data: make([]v3.Channel, len(l.Items)), Meta: meta(p, l.Total)}
	for i := range l.Items {
		w.Data[i] = *h.channel(h.at.Channel(&l.Items[i]))
	}
	return w
}

// contents converts a page of blocks and channels with their connections.
func (h *handler) contents(l domain.List[collections.Content], p domain.Page) *v3.ConnectableListResponse {
	w := &v3.ConnectableListResponse{Data: make([]wire.Item, len(l.Items)), Meta: meta(p, l.Total)}
	for i, content := range l.Items {
		w.Data[i] = h.content(content)
	}
	return w
}

// content converts a block or a channel with its connection.
func (h *handler) content(content collections.Content) wire.Item {
	return h.placed(content.Entity, embeddedConnection(h.at.Connection(&content.Connection)))
}

func (h *handler) placed(item domain.Entity, connection wire.Encoder) wire.Item {
	within := v3.NewOptItem(wire.Item{Value: connection})
	if item.Channel != nil {
		c := h.channel(h.at.Channel(item.Channel))
		c.Connection = within
		return wire.Item{Value: c}
	}
	return h.block(h.at.Block(item.Block), func(b blockSetter) { b.SetConnection(within) })
}

func embeddedConnection(c present.Connection) *v3.EmbeddedConnection {
	return &v3.EmbeddedConnection{ID: int64(c.ID), Position: wire.Item{Value: wire.Int(c.Position)}, Pinned: c.Pinned, Metadata: metadata(c.Metadata),
		ConnectedAt: wire.Time{Time: c.CreatedAt}, ConnectedBy: v3.NewNilEmbeddedUser(embeddedUser(c.Maker()))}
}

// connection converts a connection to its form as a resource.
func (h *handler) connection(who domain.Actor, c collections.PlacedConnection) *v3.Connection {
	shown := h.at.Connection(&c.Connection)
	e := embeddedConnection(shown)
	return &v3.Connection{ID: e.ID, Position: e.Position, Pinned: e.Pinned, Metadata: e.Metadata,
		ConnectedAt: e.ConnectedAt, ConnectedBy: e.ConnectedBy,
		Can:   v3.ConnectionAbilities{Remove: domain.CanRemove(who, c.Channel, c.Connection)},
		Links: h.links(shown.Links()),
	}
}
