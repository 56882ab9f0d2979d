package app

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Content is an item as it stands in a channel: exactly one of Block and Channel is set.
type Content struct {
	Connection domain.Connection
	Block      *domain.Block
	Channel    *domain.Channel
}

// ContentsInput asks for a page of a channel's contents. By 0 means by anyone.
type ContentsInput struct {
	Sort domain.ContentSort
	By   domain.UserID
	Page domain.Page
}

// Contents lists what is in a channel and the actor may see
// (behaviour.md sections 5 and 13).
func (a *App) Contents(ctx context.Context, actor domain.Actor, ref domain.Ref, in ContentsInput) (l domain.List[Content], err error) {
	err = a.store.InSnapshot(ctx, func(v *store.Snapshot) error {
		c, err := v.Channel(ctx, actor.UserID, ref)
		if err != nil {
			return err
		}
		conns, err := v.Contents(ctx, store.ContentsQuery{
			Viewer: actor.UserID, Channel: c, Sort: in.Sort, By: in.By, Page: in.Page})
		if err != nil {
			return err
		}
		l.Total = conns.Total
		l.Items, err = items(ctx, v, actor, conns.Items)
		return err
	})
	return l, err
}

// items reads the blocks and channels of connections, a query for each kind.
func items(ctx context.Context, v *store.Snapshot, actor domain.Actor, conns []domain.Connection) ([]Content, error) {
	var blockIDs []domain.BlockID
	var channelIDs []domain.ChannelID
	for _, c := range conns {
		if c.Item.Type == domain.ItemBlock {
			blockIDs = append(blockIDs, domain.BlockID(c.Item.ID))
		} else {
			channelIDs = append(channelIDs, domain.ChannelID(c.Item.ID))
		}
	}
	blocks, err := v.BlocksByID(ctx, blockIDs)
	if err != nil {
		return nil, err
	}
	channels, err := v.ChannelsByID(ctx, actor.UserID, channelIDs)
	if err != nil {
		return nil, err
	}
	all := make([]Content, 0, len(conns))
	for _, c := range conns {
		content := Content{Connection: c}
		if b, ok := blocks[domain.BlockID(c.Item.ID)]; ok && c.Item.Type == domain.ItemBlock {
			content.Block = b
		} else if ch, ok := channels[domain.ChannelID(c.Item.ID)]; ok && c.Item.Type == domain.ItemChannel {
			content.Channel = &ch
		} else {
			continue // nothing is shown of what is not there
		}
		all = append(all, content)
	}
	return all, nil
}

// ItemChannelsInput asks for a page of the channels that an item is in.
type ItemChannelsInput struct {
	Ownership domain.Ownership
	Desc      bool
	Page      domain.Page
}

// ChannelConnections lists the channels that a channel is in.
func (a *App) ChannelConnections(ctx context.Context, actor domain.Actor, ref domain.Ref, in ItemChannelsInput) (l domain.List[domain.Channel], err error) {
	err = a.store.InSnapshot(ctx, func(v *store.Snapshot) error {
		c, err := v.Channel(ctx, actor.UserID, ref)
		if err != nil {
			return err
		}
		l, err = itemChannels(ctx, v, actor, domain.ChannelRef(c.ID), in)
		return err
	})
	return l, err
}

// BlockConnections lists the channels that a block is in.
func (a *App) BlockConnections(ctx context.Context, actor domain.Actor, id domain.BlockID, in ItemChannelsInput) (l domain.List[domain.Channel], err error) {
	err = a.store.InSnapshot(ctx, func(v *store.Snapshot) error {
		b, err := v.Block(ctx, actor.UserID, id)
		if err != nil {
			return err
		}
		l, err = itemChannels(ctx, v, actor, domain.BlockRef(b.ID), in)
		return err
	})
	return l, err
}

func itemChannels(ctx context.Context, v *store.Snapshot, actor domain.Actor, item domain.ItemRef, in ItemChannelsInput) (domain.List[domain.Channel], error) {
	return v.ItemChannels(ctx, store.ItemChannelsQuery{
		Viewer: actor.UserID, Item: item, Ownership: in.Ownership, Desc: in.Desc, Page: in.Page})
}
