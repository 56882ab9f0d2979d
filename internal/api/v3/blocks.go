package v3

import (
	"context"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	v3 "vitrine/internal/oas/v3"
	"vitrine/internal/oas/wire"
	"vitrine/internal/scope"
)

// GetBlock implements getBlock.
func (h *handler) GetBlock(ctx context.Context, p v3.GetBlockParams) (wire.Item, error) {
	who, id := httpedge.Actor(ctx), domain.BlockID(p.ID)
	if k, _ := blockKey(domain.BlockRevision{ID: id}); !h.fragments.Holds(k) {
		return h.readBlock(ctx, who, id)
	}
	s, err := h.app.Collections.BlockRevision(ctx, who, id)
	if err != nil {
		return wire.Item{}, err
	}
	if err := httpedge.Fresh(ctx, h.tags.BlockRevision(who, s)); err != nil {
		return wire.Item{}, err
	}
	if fragment, ok := h.fragments.Get(blockKey(s)); ok {
		return blockItem(who, s, fragment), scope.Charge(ctx, int64(len(fragment)))
	}
	return h.readBlock(ctx, who, id)
}

// readBlock reads a block and caches its encoding.
func (h *handler) readBlock(ctx context.Context, who domain.Actor, id domain.BlockID) (wire.Item, error) {
	b, err := h.app.Collections.Block(ctx, who, id)
	if err != nil {
		return wire.Item{}, err
	}
	if err := httpedge.Fresh(ctx, h.tags.Block(who, b)); err != nil {
		return wire.Item{}, err
	}
	if h.fragments != nil {
		if fragment := h.blockFragment(&b); fragment != nil {
			return blockItem(who, b.Revision(), fragment), nil
		}
	}
	return h.fullBlock(who, b), nil
}

// CreateBlock implements createBlock.
func (h *handler) CreateBlock(ctx context.Context, r *v3.CreateBlockReq) (wire.Item, error) {
	who := httpedge.Actor(ctx)
	b, err := h.app.Collections.CreateBlock(ctx, who, collections.CreateBlockInput{
		BlockInput: collections.BlockInput{Value: r.Value, Title: httpedge.Given(r.Title), Description: httpedge.Given(r.Description),
			OriginalSourceURL: httpedge.Given(r.OriginalSourceURL), OriginalSourceTitle: httpedge.Given(r.OriginalSourceTitle),
			AltText: httpedge.Given(r.AltText), Metadata: rawMetadata(r.Metadata)},
		Targets: targets(r.ChannelIds, r.InsertAt, r.Channels)})
	if err != nil {
		return wire.Item{}, err
	}
	return h.fullBlock(who, b), nil
}

// UpdateBlock implements updateBlock.
func (h *handler) UpdateBlock(ctx context.Context, r *v3.UpdateBlockReq, p v3.UpdateBlockParams) (wire.Item, error) {
	who := httpedge.Actor(ctx)
	b, err := h.app.Collections.UpdateBlock(ctx, who, domain.BlockID(p.ID), collections.UpdateBlockInput{
		Title: httpedge.Given(r.Title), Description: httpedge.Given(r.Description), Content: httpedge.Given(r.Content),
		AltText: httpedge.Given(r.AltText), Metadata: rawMetadata(r.Metadata)})
	if err != nil {
		return wire.Item{}, err
	}
	return h.fullBlock(who, b), nil
}

// GetBlockConnections implements getBlockConnections.
func (h *handler) GetBlockConnections(ctx context.Context, p v3.GetBlockConnectionsParams) (*v3.ChannelListResponse, error) {
	at := httpedge.Page(p.Page, p.Per)
	l, err := h.app.Collections.BlockConnections(ctx, httpedge.Actor(ctx), domain.BlockID(p.ID), collections.ItemChannelsInput{
		Ownership: domain.Ownership(p.Filter.Or(v3.ConnectionFilterALL)), Desc: newestFirst(p.Sort), Page: at})
	if err != nil {
		return nil, err
	}
	return h.channelList(l, at), nil
}

// targets returns the channels of a request: ids with one position for all, or each with its own. Request validation
// permits only one of the two.
func targets(ids v3.ChannelIds, at v3.OptInt64, channels []v3.ConnectTo) []collections.Target {
	all := make([]collections.Target, 0, len(ids)+len(channels))
	for _, id := range ids {
		ref := domain.Ref{ID: id.Int64}
		if id.IsString() {
			ref = domain.ParseRef(id.String)
		}
		all = append(all, collections.Target{Channel: ref, Position: at.Or(0)})
	}
	for _, c := range channels {
		ref := domain.Ref{ID: c.ID.Int64}
		if c.ID.IsString() {
			ref = domain.ParseRef(c.ID.String)
		}
		all = append(all, collections.Target{Channel: ref, Position: c.Position.Or(0), Metadata: rawMetadata(c.Metadata)})
	}
	return all
}
