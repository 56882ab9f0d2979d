package api

import (
	"vitrine/internal/app"
	"vitrine/internal/domain"
	"vitrine/internal/oas/v3"
	"vitrine/internal/oas/wire"
)

// channel is a channel in a list.
func (h *handler) channel(c domain.Channel) *v3.Channel {
	self := path("channels", int64(c.ID))
	return &v3.Channel{
		ID: int64(c.ID), Type: v3.ChannelTypeChannel, Slug: c.Slug, Title: c.Title,
		Description: markdown(c.Description), State: v3.ChannelStateAvailable,
		Visibility: v3.ChannelVisibility(c.Visibility),
		CreatedAt:  wire.Time{Time: c.CreatedAt}, UpdatedAt: wire.Time{Time: c.UpdatedAt},
		Metadata: metadata(c.Metadata), Owner: h.embedded(c.Owner),
		Counts: v3.ChannelCounts{Blocks: c.Blocks, Channels: c.Channels, Contents: c.Contents(),
			Collaborators: c.Collaborators},
		Links: h.links(self, wire.Rel{Name: "contents", Path: self + "/contents"},
			wire.Rel{Name: "connections", Path: self + "/connections"}),
	}
}

// fullChannel is a channel as a resource of its own.
func (h *handler) fullChannel(who domain.Actor, c app.FullChannel) *v3.Channel {
	w := h.channel(c.Channel)
	can := domain.AbilitiesOnChannel(who, c.Channel)
	w.Can = v3.NewOptNilChannelAbilities(v3.ChannelAbilities{AddTo: can.AddTo, Update: can.Update,
		Destroy: can.Destroy, ManageCollaborators: can.ManageCollaborators})
	w.Collaborators = h.embeddedAll(c.Collaborators)
	return w
}

func (h *handler) embeddedAll(all []domain.Principal) []wire.Item {
	items := make([]wire.Item, len(all))
	for i, p := range all {
		items[i] = h.embedded(p)
	}
	return items
}

func (h *handler) channelList(l domain.List[domain.Channel], p domain.Page) *v3.ChannelListResponse {
	w := &v3.ChannelListResponse{Data: make([]v3.Channel, len(l.Items)), Meta: meta(p, l.Total)}
	for i, c := range l.Items {
		w.Data[i] = *h.channel(c)
	}
	return w
}

// contents is a page of blocks and channels with their connections.
func (h *handler) contents(l domain.List[app.Content], p domain.Page) *v3.ConnectableListResponse {
	w := &v3.ConnectableListResponse{Data: make([]wire.Item, len(l.Items)), Meta: meta(p, l.Total)}
	for i, content := range l.Items {
		connection := v3.NewOptNilEmbeddedConnection(h.embeddedConnection(content.Connection))
		if content.Channel != nil {
			c := h.channel(*content.Channel)
			c.Connection = connection
			w.Data[i] = wire.Item{Value: c}
			continue
		}
		w.Data[i] = h.block(*content.Block, func(b blockSetter) { b.SetConnection(connection) })
	}
	return w
}

func (h *handler) embeddedConnection(c domain.Connection) v3.EmbeddedConnection {
	return v3.EmbeddedConnection{ID: int64(c.ID), Position: c.Position, Pinned: c.Pinned, Metadata: metadata(c.Metadata),
		ConnectedAt: wire.Time{Time: c.CreatedAt}, ConnectedBy: v3.NewNilEmbeddedUser(h.embeddedUser(c.Maker))}
}

// connection is a connection as a resource of its own.
func (h *handler) connection(who domain.Actor, c app.PlacedConnection) *v3.Connection {
	e := h.embeddedConnection(c.Connection)
	items := "blocks"
	if c.Item.Type == domain.ItemChannel {
		items = "channels"
	}
	return &v3.Connection{ID: e.ID, Position: e.Position, Pinned: e.Pinned, Metadata: e.Metadata,
		ConnectedAt: e.ConnectedAt, ConnectedBy: e.ConnectedBy,
		Can: v3.ConnectionAbilities{Remove: domain.CanRemove(who, c.Channel, c.Connection)},
		Links: h.links(path("connections", e.ID),
			wire.Rel{Name: "channel", Path: path("channels", int64(c.ChannelID))},
			wire.Rel{Name: "item", Path: path(items, c.Item.ID)}),
	}
}
