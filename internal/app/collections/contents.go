package collections

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/contents"
)

// Content is a block or a channel as it stands in a channel. Where a caller knows the
// connection or the block (Known), no more is there of the one than its stamp, item and
// position, and of the other nothing but its stamp.
type Content struct {
	Connection domain.Connection
	domain.Thing
	Stamp domain.BlockStamp // of a block that the caller knows
}

// ContentsInput asks for a page of a channel's contents. By 0 means by anyone.
type ContentsInput struct {
	Sort  domain.ContentSort
	By    domain.UserID
	Page  domain.Page
	Known Known // nil for a caller who knows nothing
}

// Known reports what a caller of Contents can show, in the state that a stamp tells, without
// reading it. It is asked within a snapshot, maybe several times.
type Known interface {
	KnowsBlock(domain.BlockStamp) bool
	KnowsConnection(domain.ConnectionStamp) bool
}

// Validate checks the page and how it is sorted and narrowed.
func (in ContentsInput) Validate() error {
	var f domain.Faults
	f.OptionalID("user_id", int64(in.By))
	f.Sort(int(in.Sort.Key), int(domain.ByUpdated))
	return domain.JoinFaults(f.Err(), in.Page.Validate())
}

// Contents lists what is in a channel and the actor may see
// (behaviour.md sections 5 and 13).
func (a *Collections) Contents(ctx context.Context, actor domain.Actor, ref domain.Ref, in ContentsInput) (l domain.List[Content], err error) {
	if err := in.Validate(); err != nil {
		return l, err
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		c, err := v.Channel(ctx, actor.UserID, ref)
		if err != nil {
			return err
		}
		q := contents.Query{Viewer: actor.UserID, Channel: c, Sort: in.Sort, By: in.By, Page: in.Page}
		if in.Known != nil {
			q.Stamps = make(map[domain.BlockID]domain.BlockStamp, min(in.Page.Per, c.Contents()))
		}
		conns, err := v.Contents(ctx, q)
		if err != nil {
			return err
		}
		l.Total = conns.Total
		if in.Known != nil {
			l.Items, err = unknown(ctx, v, actor, conns.Items, q.Stamps, in.Known)
		} else {
			l.Items, err = Items(ctx, v, actor, conns.Items)
		}
		return err
	})
	return l, err
}

// unknown reads what the caller does not know of connections and their items.
func unknown(ctx context.Context, v *store.Snapshot, actor domain.Actor, conns []domain.Connection,
	stamps map[domain.BlockID]domain.BlockStamp, known Known) ([]Content, error) {
	err := v.CompleteConnections(ctx, conns, func(c domain.Connection) bool { return !known.KnowsConnection(c.Stamp()) })
	if err != nil {
		return nil, err
	}
	return items(ctx, v.Queries, actor, conns, func(id domain.BlockID) (domain.BlockStamp, bool) {
		s, found := stamps[id]
		return s, found && known.KnowsBlock(s)
	})
}

// Items reads the blocks and channels of connections, a query for each kind.
func Items(ctx context.Context, v *store.Snapshot, actor domain.Actor, conns []domain.Connection) ([]Content, error) {
	return items(ctx, v.Queries, actor, conns, noneKnown)
}

func noneKnown(domain.BlockID) (s domain.BlockStamp, known bool) { return s, false }

// items is Items without the blocks that are known.
func items(ctx context.Context, q store.Queries, actor domain.Actor, conns []domain.Connection,
	known func(domain.BlockID) (domain.BlockStamp, bool)) ([]Content, error) {
	var blockIDs []domain.BlockID
	var channelIDs []domain.ChannelID
	all := make([]Content, len(conns))
	for i := range conns {
		c := &conns[i]
		all[i].Connection = *c
		if c.Item.Type == domain.ItemChannel {
			channelIDs = append(channelIDs, domain.ChannelID(c.Item.ID))
		} else if s, ok := known(domain.BlockID(c.Item.ID)); ok {
			all[i].Stamp = s
		} else {
			blockIDs = append(blockIDs, domain.BlockID(c.Item.ID))
		}
	}
	blocks, err := q.BlocksByID(ctx, blockIDs)
	if err != nil {
		return nil, err
	}
	channels, err := q.ChannelsByID(ctx, actor.UserID, channelIDs)
	if err != nil {
		return nil, err
	}
	shown := all[:0]
	for i := range all {
		content := &all[i]
		if item := content.Connection.Item; item.Type == domain.ItemBlock {
			content.Block = blocks[domain.BlockID(item.ID)]
		} else if ch, ok := channels[domain.ChannelID(item.ID)]; ok {
			content.Channel = new(ch)
		}
		if content.Block != nil || content.Channel != nil || content.Stamp.ID != 0 { // nothing is shown of what is not there
			shown = append(shown, *content)
		}
	}
	return shown, nil
}

// ItemChannelsInput asks for a page of the channels that an item is in.
type ItemChannelsInput struct {
	Ownership domain.Ownership
	Desc      bool
	Page      domain.Page
}

// Validate checks the page and whose connections count.
func (in ItemChannelsInput) Validate() error {
	var f domain.Faults
	domain.Among(&f, "filter", in.Ownership, domain.AnyOwner, domain.Own, domain.ExcludeOwn)
	return domain.JoinFaults(in.Page.Validate(), f.Err())
}

// ChannelConnections lists the channels that a channel is in.
func (a *Collections) ChannelConnections(ctx context.Context, actor domain.Actor, ref domain.Ref, in ItemChannelsInput) (domain.List[domain.Channel], error) {
	return a.itemChannels(ctx, actor, in, func(v *store.Snapshot) (domain.ItemRef, error) {
		c, err := v.Channel(ctx, actor.UserID, ref)
		return domain.ChannelRef(c.ID), err
	})
}

// BlockConnections lists the channels that a block is in.
func (a *Collections) BlockConnections(ctx context.Context, actor domain.Actor, id domain.BlockID, in ItemChannelsInput) (domain.List[domain.Channel], error) {
	return a.itemChannels(ctx, actor, in, func(v *store.Snapshot) (domain.ItemRef, error) {
		b, err := v.Block(ctx, actor.UserID, id)
		return domain.BlockRef(b.ID), err
	})
}

// itemChannels lists the channels that an item is in, which find looks for as the actor.
func (a *Collections) itemChannels(ctx context.Context, actor domain.Actor, in ItemChannelsInput, find func(v *store.Snapshot) (domain.ItemRef, error)) (l domain.List[domain.Channel], err error) {
	if err := in.Validate(); err != nil {
		return l, err
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		item, err := find(v)
		if err != nil {
			return err
		}
		l, err = v.ItemChannels(ctx, contents.ItemChannelsQuery{
			Viewer: actor.UserID, Item: item, Ownership: in.Ownership, Desc: in.Desc, Page: in.Page})
		return err
	})
	return l, err
}
