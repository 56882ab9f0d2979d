package app

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Collaborators lists who collaborates on a channel that the actor sees.
func (a *App) Collaborators(ctx context.Context, actor domain.Actor, ref domain.Ref) (all []domain.Principal, err error) {
	err = a.store.InSnapshot(ctx, func(v *store.Snapshot) error {
		full, err := fullChannel(ctx, v.Queries, actor, ref)
		all = full.Collaborators
		return err
	})
	return all, err
}

// AddCollaborator lets a user or group add to a channel, and tells whether that is
// new. The channel's owner may.
func (a *App) AddCollaborator(ctx context.Context, actor domain.Actor, ref domain.Ref, who domain.PrincipalRef) (p domain.Principal, added bool, err error) {
	err = a.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := lockedChannel(ctx, tx, actor, ref)
		if err != nil {
			return err
		}
		if !domain.CanOwn(actor, c) {
			return forbidden("manage the collaborators of this channel")
		}
		if who.Type == domain.TypeGroup { // it must not go away meanwhile
			if err := tx.LockGroup(ctx, domain.GroupID(who.ID)); err != nil {
				return err
			}
		}
		if p, err = tx.Principal(ctx, who); err != nil {
			return err
		}
		if c.Owner.PrincipalRef == who {
			return domain.NewUnprocessable("The owner of a channel cannot be its collaborator")
		}
		now := a.now()
		if added, err = tx.AddCollaborator(ctx, c.ID, who, now); err != nil || !added {
			return err
		}
		news, err := newsOfCollaborator(ctx, tx, actor, c, who, now)
		if err != nil {
			return err
		}
		_, err = tx.RecordAll(ctx, news)
		return err
	})
	return p, added, err
}

// RemoveCollaborator ends a collaboration; one that is not there stays so. The
// channel's owner may, and anyone for themselves.
func (a *App) RemoveCollaborator(ctx context.Context, actor domain.Actor, ref domain.Ref, who domain.PrincipalRef) error {
	return a.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := lockedChannel(ctx, tx, actor, ref)
		if err != nil {
			return err
		}
		if !domain.CanOwn(actor, c) && who != domain.UserRef(actor.UserID) {
			return forbidden("manage the collaborators of this channel")
		}
		_, err = tx.RemoveCollaborator(ctx, c.ID, who)
		return err
	})
}
