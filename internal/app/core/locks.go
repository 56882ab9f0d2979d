package core

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// LockedChannel locks a channel that the actor sees, and reads it as it then is. To those
// who do not see it it is NotFound, whoever holds the lock.
func LockedChannel(ctx context.Context, tx *store.Tx, actor domain.Actor, ref domain.Ref) (domain.Channel, error) {
	return lockedBy(ctx, tx, actor, ref, func(id domain.ChannelID) error { return tx.LockChannels(ctx, id) })
}

// LockedWithParents does the same for a change that also concerns the channels it is in.
func LockedWithParents(ctx context.Context, tx *store.Tx, actor domain.Actor, ref domain.Ref) (domain.Channel, error) {
	return lockedBy(ctx, tx, actor, ref, func(id domain.ChannelID) error { return tx.LockWithParents(ctx, id) })
}

func lockedBy(ctx context.Context, tx *store.Tx, actor domain.Actor, ref domain.Ref, lock func(domain.ChannelID) error) (domain.Channel, error) {
	c, err := tx.Channel(ctx, actor.UserID, ref)
	if err != nil || !tx.Locks() {
		return c, err
	}
	if err := lock(c.ID); err != nil {
		return domain.Channel{}, err
	}
	return tx.Channel(ctx, actor.UserID, domain.Ref{ID: int64(c.ID)})
}
