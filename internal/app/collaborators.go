package app

import (
	"context"
	"fmt"
	"time"

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

// AddCollaborator lets a user or group add to a channel, and reports whether that is
// new. The channel's owner may.
func (a *App) AddCollaborator(ctx context.Context, actor domain.Actor, ref domain.Ref, who domain.PrincipalRef) (p domain.Principal, added bool, err error) {
	err = a.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := manageCollaborators(ctx, tx, actor, ref)
		if err != nil {
			return err
		}
		var news []domain.News
		if p, news, err = addCollaborator(ctx, tx, actor, c, who, a.now()); err != nil {
			return err
		}
		added = news != nil
		_, err = tx.RecordAll(ctx, news...)
		return err
	})
	return p, added, err
}

// AddCollaborators adds several users, all or none, and gives all collaborators of the
// channel. Of users that do not exist each is named.
func (a *App) AddCollaborators(ctx context.Context, actor domain.Actor, ref domain.Ref, users ...domain.PrincipalRef) (all []domain.Principal, err error) {
	err = a.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := manageCollaborators(ctx, tx, actor, ref)
		if err != nil {
			return err
		}
		var news []domain.News
		missing, now := domain.NewNotFound(), a.now()
		for _, who := range users {
			_, n, err := addCollaborator(ctx, tx, actor, c, who, now)
			if domain.KindOf(err) == domain.NotFound {
				missing.Fields = append(missing.Fields, fmt.Sprintf("collaborator_ids: there is no user %d", who.ID))
				continue
			}
			if err != nil {
				return err
			}
			news = append(news, n...)
		}
		if missing.Fields != nil {
			return missing
		}
		if all, err = tx.Collaborators(ctx, c.ID); err != nil {
			return err
		}
		_, err = tx.RecordAll(ctx, news...)
		return err
	})
	return all, err
}

// manageCollaborators locks a channel whose owner the actor must be.
func manageCollaborators(ctx context.Context, tx *store.Tx, actor domain.Actor, ref domain.Ref) (domain.Channel, error) {
	c, err := lockedChannel(ctx, tx, actor, ref)
	if err == nil && !domain.CanOwn(actor, c) {
		err = forbidden("manage the collaborators of this channel")
	}
	return c, err
}

// addCollaborator adds a user or group to a channel that manageCollaborators has locked.
// There is no news when they collaborated already.
func addCollaborator(ctx context.Context, tx *store.Tx, actor domain.Actor, c domain.Channel, who domain.PrincipalRef, now time.Time) (p domain.Principal, news []domain.News, err error) {
	if who.Type == domain.TypeGroup { // it must not go away meanwhile
		if err := tx.LockGroup(ctx, domain.GroupID(who.ID)); err != nil {
			return p, nil, err
		}
	}
	if p, err = tx.Principal(ctx, who); err != nil {
		return p, nil, err
	}
	if c.Owner.PrincipalRef == who {
		return p, nil, domain.NewUnprocessable("The owner of a channel cannot be its collaborator")
	}
	added, err := tx.AddCollaborator(ctx, c.ID, who, now)
	if err != nil || !added {
		return p, nil, err
	}
	n, err := newsOfCollaborator(ctx, tx, actor, c, who, now)
	return p, []domain.News{n}, err
}

// RemoveCollaborators ends collaborations; one that is not there stays so. The channel's
// owner may, and anyone for themselves.
func (a *App) RemoveCollaborators(ctx context.Context, actor domain.Actor, ref domain.Ref, all ...domain.PrincipalRef) error {
	return a.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := lockedChannel(ctx, tx, actor, ref)
		if err != nil {
			return err
		}
		for _, who := range all {
			if !domain.CanOwn(actor, c) && who != domain.UserRef(actor.UserID) {
				return forbidden("manage the collaborators of this channel")
			}
			if _, err := tx.RemoveCollaborator(ctx, c.ID, who); err != nil {
				return err
			}
		}
		return nil
	})
}
