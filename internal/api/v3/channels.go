package v3

import (
	"context"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	v3 "vitrine/internal/oas/v3"
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
