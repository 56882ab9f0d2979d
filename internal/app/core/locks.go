package core

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// LockedChannel locks a channel that the actor sees and reads its current state. It returns NotFound without waiting for
// the lock if the actor does not see it.
func LockedChannel(ctx context.Context, tx *store.Tx, actor domain.Actor, ref domain.Ref) (domain.Channel, error) {
	return lockedBy(ctx, tx, actor, ref, func(id domain.ChannelID) error { return tx.Channels().LockChannels(ctx, id) })
}

// LockedWithParents is LockedChannel for a change that also affects the channels that contain it.
func LockedWithParents(ctx context.Context, tx *store.Tx, actor domain.Actor, ref domain.Ref) (domain.Channel, error) {
	return lockedBy(ctx, tx, actor, ref, func(id domain.ChannelID) error { return tx.Channels().LockWithParents(ctx, id) })
}

func lockedBy(ctx context.Context, tx *store.Tx, actor domain.Actor, ref domain.Ref, lock func(domain.ChannelID) error) (domain.Channel, error) {
	c, err := tx.Channels().Channel(ctx, actor.UserID, ref)
	if err != nil || !tx.Channels().Locks() {
		return c, err
	}
	if err := lock(c.ID); err != nil {
		return domain.Channel{}, err
	}
	return tx.Channels().Channel(ctx, actor.UserID, domain.Ref{ID: int64(c.ID)})
}
