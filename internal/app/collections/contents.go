package collections

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/contents"
)

// Content is a block or channel with its connection to a channel.
type Content struct {
	Connection domain.Connection
	domain.Entity
}

// ContentsInput requests a page of a channel's contents. If By is 0, connections of any user match.
type ContentsInput struct {
	Sort domain.ContentSort
	By   domain.UserID
	Page domain.Page
}

// Validate checks the page, its order and its filters.
func (in ContentsInput) Validate() error {
	var f domain.Faults
	f.OptionalID("user_id", int64(in.By))
	f.Sort(int(in.Sort.Key), int(domain.ByTitle))
	if in.Sort.Key == domain.ByTitle && in.By != 0 {
		f.Add("user_id", domain.FieldExclusive, "cannot be combined with the order by title")
	}
	return domain.JoinFaults(f.Err(), in.Page.Validate())
}

// sortable refuses an order that would read too much of a channel.
func (in ContentsInput) sortable(c domain.Channel) error {
	if in.Sort.Key == domain.ByTitle && c.Contents() > domain.MaxByTitle {
		return domain.InvalidField("sort", domain.FieldOutOfRange, fmt.Sprintf("lists a channel by title only up to %d items", domain.MaxByTitle))
	}
	return nil
}

// Contents lists the contents of a channel that the actor may see (behaviour.md sections 5 and 13).
func (a *Collections) Contents(ctx context.Context, actor domain.Actor, ref domain.Ref, in ContentsInput) (l domain.List[Content], err error) {
	err = a.contents(ctx, actor, ref, in, nil, func(v *store.Snapshot, conns domain.List[domain.Connection]) error {
		l.Total = conns.Total
		l.Items, err = Items(ctx, v.Queries, actor, conns.Items)
		return err
	})
	return l, err
}

// contents finds the connections of a page, or only their outline, and calls use to read their items.
func (a *Collections) contents(ctx context.Context, actor domain.Actor, ref domain.Ref, in ContentsInput, outline *contents.Outline,
	use func(*store.Snapshot, domain.List[domain.Connection]) error) error {
	if err := in.Validate(); err != nil {
		return err
	}
	return a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		c, err := v.Channels().ChannelSize(ctx, actor.UserID, ref)
		if err == nil {
			err = in.sortable(c)
		}
		if err != nil {
			return err
		}
		conns, err := v.Contents().Contents(ctx, contents.Query{Viewer: actor.UserID, Channel: c, Sort: in.Sort, By: in.By, Page: in.Page, Outline: outline})
		if err != nil {
			return err
		}
		return use(v, conns)
	})
}

// Items reads the blocks and channels of connections with one query for each kind.
func Items(ctx context.Context, q store.Queries, actor domain.Actor, conns []domain.Connection) ([]Content, error) {
	var ids []domain.BlockID
	for i := range conns {
		if item := conns[i].Item; item.Type == domain.ItemBlock {
			ids = append(ids, domain.BlockID(item.ID))
		}
	}
	blocks, err := q.Blocks().BlocksByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	all, err := channelItems(ctx, q, actor, conns)
	if err != nil {
		return nil, err
	}
	for i, c := range conns {
		if c.Item.Type == domain.ItemBlock {
			all[i].Block = blocks[domain.BlockID(c.Item.ID)]
		}
	}
	return slices.DeleteFunc(all, func(c Content) bool { return c.Entity == (domain.Entity{}) }), nil // without deleted items
}

// channelItems pairs each connection with its channel. It reads all channels in one query, and no blocks.
func channelItems(ctx context.Context, q store.Queries, actor domain.Actor, conns []domain.Connection) ([]Content, error) {
	var ids []domain.ChannelID
	for i := range conns {
		if item := conns[i].Item; item.Type == domain.ItemChannel {
			ids = append(ids, domain.ChannelID(item.ID))
		}
	}
	channels, err := q.Channels().ChannelsByID(ctx, actor.UserID, ids)
	if err != nil {
		return nil, err
	}
	all := make([]Content, len(conns))
	for i, c := range conns {
		all[i].Connection = c
		if ch, ok := channels[domain.ChannelID(c.Item.ID)]; ok && c.Item.Type == domain.ItemChannel {
			all[i].Channel = new(ch)
		}
	}
	return all, nil
}

// ItemChannelsInput requests a page of an item's channels.
type ItemChannelsInput struct {
	Ownership domain.Ownership
	Desc      bool
	Page      domain.Page
}

// Validate checks the page and the creator of the connections.
func (in ItemChannelsInput) Validate() error {
	var f domain.Faults
	domain.Among(&f, "filter", in.Ownership, domain.AnyOwner, domain.Own, domain.ExcludeOwn)
	return domain.JoinFaults(in.Page.Validate(), f.Err())
}

// ChannelConnections lists the channels that a channel is in.
func (a *Collections) ChannelConnections(ctx context.Context, actor domain.Actor, ref domain.Ref, in ItemChannelsInput) (domain.List[domain.Channel], error) {
	return a.itemChannels(ctx, actor, in, func(v *store.Snapshot) (domain.ItemRef, error) {
		c, err := v.Channels().ChannelSize(ctx, actor.UserID, ref)
		return domain.ChannelRef(c.ID), err
	})
}

// BlockConnections lists the channels that a block is in.
func (a *Collections) BlockConnections(ctx context.Context, actor domain.Actor, id domain.BlockID, in ItemChannelsInput) (domain.List[domain.Channel], error) {
	return a.itemChannels(ctx, actor, in, func(v *store.Snapshot) (domain.ItemRef, error) {
		b, err := v.Blocks().Block(ctx, actor.UserID, id)
		return domain.BlockRef(b.ID), err
	})
}

// itemChannels lists the channels of an item that find returns for the actor.
func (a *Collections) itemChannels(ctx context.Context, actor domain.Actor, in ItemChannelsInput, find func(v *store.Snapshot) (domain.ItemRef, error)) (l domain.List[domain.Channel], err error) {
	if err := in.Validate(); err != nil {
		return l, err
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		item, err := find(v)
		if err != nil {
			return err
		}
		l, err = v.Contents().ItemChannels(ctx, contents.ItemChannelsQuery{
			Viewer: actor.UserID, Item: item, Ownership: in.Ownership, Desc: in.Desc, Page: in.Page})
		return err
	})
	return l, err
}

// Known provides the blocks and connections that a caller of KnownContents has cached, in the state of a stamp, or nil.
// It is called within a snapshot, possibly several times.
type Known interface {
	Block(domain.BlockRevision) []byte
	Connection(domain.ConnectionRevision) []byte
}

// KnownContent is an item of a channel without the parts that Known provides. Content is nil if Known provides
// everything. Otherwise its connection is complete if Known lacks it, and its item is set unless it is a known block.
type KnownContent struct {
	Position          int64
	Block, Connection []byte
	Content           *Content
}

// outlines are reused, because the memory of a page would be a third of its allocated bytes.
var outlines = sync.Pool{New: func() any { return contents.NewOutline() }}

// KnownContents is Contents for a caller with a cache. It reads only the stamps of cached items.
func (a *Collections) KnownContents(ctx context.Context, actor domain.Actor, ref domain.Ref, in ContentsInput,
	known Known) (l domain.List[KnownContent], err error) {
	outline, complete := outlines.Get().(*contents.Outline), false
	err = a.contents(ctx, actor, ref, in, outline, func(v *store.Snapshot, conns domain.List[domain.Connection]) error {
		l.Total = conns.Total
		if l.Items, complete = allKnown(conns.Items, known); complete {
			return nil
		}
		l.Items, err = missingDetails(ctx, v, actor, conns.Items, l.Items)
		return err
	})
	if complete { // nothing refers to the memory of the outline
		outlines.Put(outline)
	}
	return l, err
}

// allKnown returns the items of connections with the parts that known contains, and reports whether
// they are complete.
func allKnown(conns []domain.Connection, known Known) (all []KnownContent, complete bool) {
	all, complete = make([]KnownContent, len(conns)), true
	for i := range conns {
		c, k := &conns[i], &all[i]
		k.Position, k.Connection = c.Position, known.Connection(c.Revision())
		if c.Block != nil {
			k.Block = known.Block(*c.Block)
		}
		complete = complete && k.Connection != nil && k.Block != nil
	}
	return all, complete
}

// missingDetails reads the missing parts of connections and items.
func missingDetails(ctx context.Context, v *store.Snapshot, actor domain.Actor, conns []domain.Connection, all []KnownContent) ([]KnownContent, error) {
	var ids []domain.ConnectionID
	for i := range conns {
		if all[i].Connection == nil {
			ids = append(ids, conns[i].ID)
		}
	}
	if err := v.Contents().CompleteConnections(ctx, conns, ids); err != nil {
		return nil, err
	}
	var unknown []domain.Connection
	for i := range conns {
		if all[i].Block == nil {
			unknown = append(unknown, conns[i])
		}
	}
	items, err := Items(ctx, v.Queries, actor, unknown)
	if err != nil {
		return nil, err
	}
	shown := all[:0]
	for i, k := range all {
		switch {
		case k.Block == nil && len(items) > 0 && items[0].Connection.ID == conns[i].ID:
			k.Content, items = &items[0], items[1:]
		case k.Block == nil:
			continue // skip items that were deleted
		case k.Connection == nil:
			k.Content = &Content{Connection: conns[i]}
		}
		shown = append(shown, k)
	}
	return shown, nil
}
