package collections

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Exports read a collection in small parts, so that they need little memory and do not hold one snapshot of the database
// for long. Rows that are removed in the meantime are missing from the later parts.

// Order returns a channel and the ids of the connections whose items the actor sees, lowest position first, at one
// moment.
func (a *Collections) Order(ctx context.Context, actor domain.Actor, ref domain.Ref) (full FullChannel, ids []domain.ConnectionID, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if full, err = fullChannel(ctx, v.Queries, actor, ref); err != nil {
			return err
		}
		ids, err = v.Contents().Order(ctx, actor.UserID, full.Channel)
		return err
	})
	return full, ids, err
}

// Ordered reads connections in the given order, without their positions. It omits those that have left the channel, or
// that the actor no longer sees.
func (a *Collections) Ordered(ctx context.Context, actor domain.Actor, channel domain.ChannelID, ids []domain.ConnectionID) (all []Content, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if _, err := v.Channels().Channel(ctx, actor.UserID, domain.Ref{ID: int64(channel)}); err != nil {
			return err
		}
		conns, err := v.Contents().StillIn(ctx, channel, ids)
		if err != nil {
			return err
		}
		all, err = Items(ctx, v.Queries, actor, conns)
		return err
	})
	return all, err
}

// OwnedChannels lists the channels of a user or group that the actor sees, by id, starting after above.
func (a *Collections) OwnedChannels(ctx context.Context, actor domain.Actor, owner domain.PrincipalRef, above domain.ChannelID, n int) (all []domain.Channel, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		all, err = v.Contents().OwnedChannels(ctx, actor.UserID, owner, above, n)
		return err
	})
	return all, err
}

// AuthoredBlocks lists the actor's own blocks by creation, starting after a block; the zero block means from the
// beginning.
func (a *Collections) AuthoredBlocks(ctx context.Context, actor domain.Actor, after domain.Block, n int) (all []*domain.Block, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		ids, err := v.Contents().AuthoredBlocks(ctx, actor.UserID, store.Mark{At: after.CreatedAt, ID: int64(after.ID)}, n)
		if err != nil {
			return err
		}
		found, err := v.Blocks().BlocksByID(ctx, ids)
		for _, id := range ids {
			all = append(all, found[id])
		}
		return err
	})
	return all, err
}

// AuthoredComments lists the actor's own comments on blocks that they still see, block by block, starting after a
// comment; the zero comment means from the beginning. last is the comment to continue after, or nil at the end.
func (a *Collections) AuthoredComments(ctx context.Context, actor domain.Actor, after domain.Comment, n int) (all []domain.Comment, last *domain.Comment, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		all, err = v.Comments().AuthoredComments(ctx, actor.UserID, after.BlockID, after.ID, n)
		if err != nil || len(all) == 0 {
			return err
		}
		last = new(domain.Comment)
		*last = all[len(all)-1]
		kept, seen := all[:0], map[domain.BlockID]bool{}
		for _, c := range all {
			sees, known := seen[c.BlockID]
			if !known {
				_, err := v.Blocks().Block(ctx, actor.UserID, c.BlockID)
				if sees = err == nil; err != nil && domain.KindOf(err) != domain.NotFound {
					return err
				}
				seen[c.BlockID] = sees
			}
			if sees {
				kept = append(kept, c)
			}
		}
		all = kept
		return nil
	})
	return all, last, err
}
