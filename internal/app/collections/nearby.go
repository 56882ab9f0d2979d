package collections

import (
	"context"
	"fmt"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Neighbours are the items next to an item in a channel, as the actor sees it. Prev is nearer to the top, which lists
// show first. At an end, one is nil.
type Neighbours struct {
	Channel    domain.Channel
	Connection domain.Connection // of the item itself, without its position
	Prev, Next *Content
}

// Neighbours returns the items next to a block in a channel, by position. It returns NotFound if the actor does not see
// the channel, or if the block is not in it. It takes at most eight statements for a channel of any size.
func (a *Collections) Neighbours(ctx context.Context, actor domain.Actor, ref domain.Ref, block domain.BlockID) (n Neighbours, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if n.Channel, err = v.Channels().Channel(ctx, actor.UserID, ref); err != nil {
			return err
		}
		here, key, err := v.Nearby().Place(ctx, n.Channel.ID, domain.BlockRef(block))
		if err != nil {
			return err
		}
		above, below, err := v.Nearby().Neighbours(ctx, actor.UserID, n.Channel.ID, key)
		if err != nil {
			return err
		}
		ids := []domain.ConnectionID{here}
		for _, id := range []domain.ConnectionID{above, below} {
			if id != 0 {
				ids = append(ids, id)
			}
		}
		conns, err := v.Contents().ConnectionsInOrder(ctx, ids)
		if err != nil {
			return err
		}
		if len(conns) == 0 || conns[0].ID != here {
			return domain.NewNotFound()
		}
		n.Connection, conns = conns[0], conns[1:]
		found, err := Items(ctx, v.Queries, actor, conns)
		for i := range found {
			if found[i].Connection.ID == above {
				n.Prev = &found[i]
			} else {
				n.Next = &found[i]
			}
		}
		return err
	})
	return n, err
}

// Related is a channel with the number of items that it shares with another, among those examined.
type Related struct {
	domain.Channel
	Shared int64
}

// RelatedChannels lists channels that share items with a channel and that the actor may see, those with most shared
// items first. It examines the 200 items that were connected last, and for each the 25 channels to which it was
// connected last. It takes three statements.
func (a *Collections) RelatedChannels(ctx context.Context, actor domain.Actor, ref domain.Ref, limit int) (all []Related, err error) {
	if err := checkLimit(limit); err != nil {
		return nil, err
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		c, err := v.Channels().Channel(ctx, actor.UserID, ref)
		if err != nil {
			return err
		}
		shared, err := v.Nearby().Related(ctx, actor.UserID, c.ID, limit)
		if err != nil {
			return err
		}
		all, err = relatedBy(ctx, v, actor, shared)
		return err
	})
	return all, err
}

// SharedChannels is RelatedChannels by page. The total counts only the same examined items.
func (a *Collections) SharedChannels(ctx context.Context, actor domain.Actor, ref domain.Ref, page domain.Page) (l domain.List[Related], err error) {
	if err := page.Validate(); err != nil {
		return l, err
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		c, err := v.Channels().Channel(ctx, actor.UserID, ref)
		if err != nil {
			return err
		}
		shared, err := v.Nearby().RelatedPage(ctx, actor.UserID, c.ID, page)
		if err != nil {
			return err
		}
		l.Total = shared.Total
		l.Items, err = relatedBy(ctx, v, actor, shared.Items)
		return err
	})
	return l, err
}

// relatedBy reads the channels that were found.
func relatedBy(ctx context.Context, v *store.Snapshot, actor domain.Actor, shared []store.Shared) ([]Related, error) {
	ids := make([]domain.ChannelID, len(shared))
	for i, s := range shared {
		ids[i] = s.Channel
	}
	channels, err := v.Channels().ChannelsByID(ctx, actor.UserID, ids)
	all := make([]Related, 0, len(shared))
	for _, s := range shared {
		if c, ok := channels[s.Channel]; ok {
			all = append(all, Related{c, s.Items})
		}
	}
	return all, err
}

// Covers returns the blocks on the cover of each channel that the actor may see: the first ones whose content is
// available. It takes one statement for at most 100 channels.
func (a *Collections) Covers(ctx context.Context, actor domain.Actor, channels []domain.ChannelID) (map[domain.ChannelID][]domain.CoverBlock, error) {
	var f domain.Faults
	if f.Count("channels", len(channels), domain.MaxPerPage); f != nil {
		return nil, f.Err()
	}
	return a.Store.Nearby().Covers(ctx, actor.UserID, channels)
}

// RecentChannels lists channels that the actor owns or adds to, including those of groups and collaborations, last
// changed first. It takes two statements.
func (a *Collections) RecentChannels(ctx context.Context, actor domain.Actor, limit int) ([]domain.Channel, error) {
	if err := checkLimit(limit); err != nil {
		return nil, err
	}
	return a.Store.Nearby().RecentChannels(ctx, actor.UserID, limit)
}

// PinnedChannels lists the actor's pinned channels in the order in which they were pinned. It takes one statement.
func (a *Collections) PinnedChannels(ctx context.Context, actor domain.Actor) ([]domain.Channel, error) {
	if !actor.SignedIn() {
		return nil, nil
	}
	return a.Store.Nearby().PinnedChannels(ctx, actor.UserID)
}

// FeaturedChannels reads channels of the start page in the order of their ids, without those that not everybody may see.
// It takes one statement, or none without ids.
func (a *Collections) FeaturedChannels(ctx context.Context, actor domain.Actor, ids []domain.ChannelID) (all []domain.Channel, err error) {
	found, err := a.Store.Nearby().ChannelsWithRole(ctx, actor.UserID, ids)
	for _, id := range ids {
		if c, ok := found[id]; ok && c.Visibility != domain.Private {
			all = append(all, c)
		}
	}
	return all, err
}

// Pin pins a channel that the actor sees. Pinning it again changes nothing.
func (a *Collections) Pin(ctx context.Context, actor domain.Actor, ref domain.Ref) error {
	return a.changePins(ctx, actor, ref, func(tx *store.Tx, c domain.ChannelID) error {
		if err := tx.Nearby().Pin(ctx, actor.UserID, c, a.Now()); err != nil {
			return err
		}
		n, err := tx.Nearby().TrimPins(ctx, actor.UserID)
		if err == nil && n > domain.MaxPins {
			err = domain.NewUnprocessable(fmt.Sprintf("You have pinned %d channels: take one of them off first", domain.MaxPins))
		}
		return err
	})
}

// Unpin unpins a channel. Doing it again changes nothing.
func (a *Collections) Unpin(ctx context.Context, actor domain.Actor, ref domain.Ref) error {
	return a.changePins(ctx, actor, ref, func(tx *store.Tx, c domain.ChannelID) error {
		return tx.Nearby().Unpin(ctx, actor.UserID, c)
	})
}

// changePins locks the actor and changes their pins, so that they stay within the limit.
func (a *Collections) changePins(ctx context.Context, actor domain.Actor, ref domain.Ref, change func(tx *store.Tx, c domain.ChannelID) error) error {
	if !actor.SignedIn() {
		return domain.NewUnauthenticated("Sign in to pin channels")
	}
	if !actor.MayWrite() {
		return core.Forbidden("pin channels with this token")
	}
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		c, err := tx.Channels().Channel(ctx, actor.UserID, ref)
		if err != nil {
			return err
		}
		if _, err := tx.Users().LockUser(ctx, actor.UserID); err != nil {
			return err
		}
		return change(tx, c.ID)
	})
}

// checkLimit checks the requested length of a list.
func checkLimit(limit int) error {
	var f domain.Faults
	f.Between("limit", int64(limit), 1, domain.MaxPerPage)
	return f.Err()
}
