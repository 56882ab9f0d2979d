package v3

import (
	"context"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	v3 "vitrine/internal/oas/v3"
	"vitrine/internal/oas/wire"
	"vitrine/internal/present"
)

// GetChannel implements getChannel.
func (h *handler) GetChannel(ctx context.Context, p v3.GetChannelParams) (*v3.Channel, error) {
	who := httpedge.Actor(ctx)
	c, err := h.app.Collections.Channel(ctx, who, domain.ParseRef(p.ID))
	if err != nil {
		return nil, err
	}
	if err := httpedge.Fresh(ctx, h.tags.Channel(who, c.Channel, c.Collaborators)); err != nil {
		return nil, err
	}
	return h.fullChannel(who, c), nil
}

// CreateChannel implements createChannel.
func (h *handler) CreateChannel(ctx context.Context, r *v3.CreateChannelReq) (*v3.Channel, error) {
	who := httpedge.Actor(ctx)
	c, err := h.app.Collections.CreateChannel(ctx, who, collections.CreateChannelInput{
		Title: r.Title, Description: httpedge.Given(r.Description),
		Visibility: domain.Visibility(r.Visibility.Or(v3.ChannelVisibilityClosed)),
		Owner:      owner(r.Owner), Metadata: rawMetadata(r.Metadata)})
	if err != nil {
		return nil, err
	}
	return h.fullChannel(who, c), nil
}

// UpdateChannel implements updateChannel.
func (h *handler) UpdateChannel(ctx context.Context, r *v3.UpdateChannelReq, p v3.UpdateChannelParams) (*v3.Channel, error) {
	who := httpedge.Actor(ctx)
	c, err := h.app.Collections.UpdateChannel(ctx, who, domain.ParseRef(p.ID), collections.UpdateChannelInput{
		Title: httpedge.Given(r.Title), Description: httpedge.Patch(r.Description), Visibility: visibility(r.Visibility),
		Owner: owner(r.Owner), Metadata: rawMetadata(r.Metadata)})
	if err != nil {
		return nil, err
	}
	return h.fullChannel(who, c), nil
}

// DeleteChannel implements deleteChannel.
func (h *handler) DeleteChannel(ctx context.Context, p v3.DeleteChannelParams) error {
	return h.app.Collections.DeleteChannel(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID))
}

// contentSorts maps the orders of contents.
var contentSorts = map[v3.ChannelContentSort]domain.ContentSort{
	v3.ChannelContentSortPositionAsc:   {Key: domain.ByPosition},
	v3.ChannelContentSortPositionDesc:  {Key: domain.ByPosition, Desc: true},
	v3.ChannelContentSortCreatedAtAsc:  {Key: domain.ByConnected},
	v3.ChannelContentSortCreatedAtDesc: {Key: domain.ByConnected, Desc: true},
	v3.ChannelContentSortUpdatedAtAsc:  {Key: domain.ByUpdated},
	v3.ChannelContentSortUpdatedAtDesc: {Key: domain.ByUpdated, Desc: true},
}

// GetChannelContents implements getChannelContents.
func (h *handler) GetChannelContents(ctx context.Context, p v3.GetChannelContentsParams) (*v3.ConnectableListResponse, error) {
	at := httpedge.Page(p.Page, p.Per)
	in := collections.ContentsInput{Sort: contentSorts[p.Sort.Or(v3.ChannelContentSortPositionDesc)],
		By: domain.UserID(p.UserID.Or(0)), Page: at}
	who, ref := httpedge.Actor(ctx), domain.ParseRef(p.ID)
	if h.fragments != nil {
		l, err := h.app.Collections.KnownContents(ctx, who, ref, in, known{h.fragments})
		if err != nil {
			return nil, err
		}
		return h.knownList(ctx, l, at)
	}
	l, err := h.app.Collections.Contents(ctx, who, ref, in)
	if err != nil {
		return nil, err
	}
	return h.contents(l, at), nil
}

// GetChannelConnections implements getChannelConnections.
func (h *handler) GetChannelConnections(ctx context.Context, p v3.GetChannelConnectionsParams) (*v3.ChannelListResponse, error) {
	at := httpedge.Page(p.Page, p.Per)
	l, err := h.app.Collections.ChannelConnections(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID), collections.ItemChannelsInput{
		Ownership: domain.AnyOwner, Desc: newestFirst(p.Sort), Page: at})
	if err != nil {
		return nil, err
	}
	return h.channelList(l, at), nil
}

func newestFirst(s v3.OptConnectionSort) bool {
	return s.Or(v3.ConnectionSortCreatedAtDesc) == v3.ConnectionSortCreatedAtDesc
}

func visibility(o v3.OptChannelVisibility) *domain.Visibility {
	if !o.Set {
		return nil
	}
	v := domain.Visibility(o.Value)
	return &v
}

func owner(o v3.OptChannelOwnerInput) *domain.PrincipalRef {
	if !o.Set {
		return nil
	}
	return &domain.PrincipalRef{Type: domain.PrincipalType(o.Value.Type.Or(v3.ChannelOwnerInputTypeUser)), ID: o.Value.ID}
}

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

// GetConnection implements getConnection.
func (h *handler) GetConnection(ctx context.Context, p v3.GetConnectionParams) (*v3.Connection, error) {
	who := httpedge.Actor(ctx)
	c, err := h.app.Collections.Connection(ctx, who, domain.ConnectionID(p.ID))
	if err != nil {
		return nil, err
	}
	if err := httpedge.Fresh(ctx, h.tags.Connection(who, c.Channel, c.Connection)); err != nil {
		return nil, err
	}
	return h.connection(who, c), nil
}

// CreateConnection implements createConnection.
func (h *handler) CreateConnection(ctx context.Context, r *v3.CreateConnectionReq) (*v3.CreateConnectionCreated, error) {
	who := httpedge.Actor(ctx)
	item := domain.ItemRef{Type: domain.ItemType(r.ConnectableType), ID: r.ConnectableID}
	made, err := h.app.Collections.Connect(ctx, who, item, targets(r.ChannelIds, r.Position, r.Channels))
	if err != nil {
		return nil, err
	}
	w := &v3.CreateConnectionCreated{Data: make([]v3.Connection, len(made))}
	for i, c := range made {
		w.Data[i] = *h.connection(who, c)
	}
	return w, nil
}

// UpdateConnection implements updateConnection.
func (h *handler) UpdateConnection(ctx context.Context, r *v3.UpdateConnectionReq, p v3.UpdateConnectionParams) (*v3.Connection, error) {
	who := httpedge.Actor(ctx)
	c, err := h.app.Collections.UpdateConnection(ctx, who, domain.ConnectionID(p.ID), rawMetadata(r.Metadata))
	if err != nil {
		return nil, err
	}
	return h.connection(who, c), nil
}

// DeleteConnection implements deleteConnection.
func (h *handler) DeleteConnection(ctx context.Context, p v3.DeleteConnectionParams) error {
	return h.app.Collections.DeleteConnection(ctx, httpedge.Actor(ctx), domain.ConnectionID(p.ID))
}

// MoveConnection implements moveConnection.
func (h *handler) MoveConnection(ctx context.Context, r *v3.MoveConnectionReq, p v3.MoveConnectionParams) (*v3.Connection, error) {
	who := httpedge.Actor(ctx)
	var position *int64
	if r.Position.Set {
		position = &r.Position.Value
	}
	c, err := h.app.Collections.MoveConnection(ctx, who, domain.ConnectionID(p.ID),
		domain.Movement(r.Movement.Or(v3.MovementInsertAt)), position)
	if err != nil {
		return nil, err
	}
	return h.connection(who, c), nil
}
