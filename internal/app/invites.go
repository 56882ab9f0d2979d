package app

import (
	"context"
	"crypto/subtle"

	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// GroupInvite is the reusable invite of a group, with the group.
type GroupInvite struct {
	domain.GroupInvite
	Group domain.Group
}

// GroupInvite reads the invite of a group for its members; NotFound if there is none.
func (a *App) GroupInvite(ctx context.Context, actor domain.Actor, ref domain.Ref) (i GroupInvite, err error) {
	err = a.store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if i.Group, err = v.Group(ctx, actor.UserID, ref); err != nil {
			return err
		}
		if !domain.CanSeeInvitations(actor, i.Group) {
			return forbidden("see the invite of this group")
		}
		i.GroupInvite, err = v.GroupInvite(ctx, i.Group.ID)
		return err
	})
	return i, err
}

// InviteeGroup reads the group that a reusable invite code is for, for the page where
// people join; NotFound for a wrong code.
func (a *App) InviteeGroup(ctx context.Context, actor domain.Actor, ref domain.Ref, code string) (g domain.Group, err error) {
	err = a.store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if g, err = v.Group(ctx, actor.UserID, ref); err != nil {
			return err
		}
		i, err := v.GroupInvite(ctx, g.ID)
		if err != nil {
			return err
		}
		if subtle.ConstantTimeCompare([]byte(code), []byte(i.Code)) == 0 {
			return domain.NewNotFound()
		}
		return nil
	})
	if err != nil {
		return domain.Group{}, err
	}
	return g, nil
}

// CreateGroupInvite gives the invite of a group, making it if there is none, and reports
// whether it is new.
func (a *App) CreateGroupInvite(ctx context.Context, actor domain.Actor, ref domain.Ref) (i GroupInvite, created bool, err error) {
	now := a.now()
	err = a.store.InTx(ctx, func(tx *store.Tx) error {
		if i.Group, err = lockedGroup(ctx, tx, actor, ref); err != nil {
			return err
		}
		if !domain.CanInvite(actor, i.Group) {
			return forbidden("make an invite to this group")
		}
		i.GroupInvite, err = tx.GroupInvite(ctx, i.Group.ID)
		if created = domain.KindOf(err) == domain.NotFound; !created {
			return err
		}
		if err := tx.CreateGroupInvite(ctx, i.Group.ID, auth.NewCode(), now); err != nil {
			return err
		}
		i.GroupInvite, err = tx.GroupInvite(ctx, i.Group.ID)
		return err
	})
	return i, created, err
}

// DeleteGroupInvite ends the invite of a group; again changes nothing.
func (a *App) DeleteGroupInvite(ctx context.Context, actor domain.Actor, ref domain.Ref) error {
	return a.store.InTx(ctx, func(tx *store.Tx) error {
		g, err := lockedGroup(ctx, tx, actor, ref)
		if err != nil {
			return err
		}
		if !domain.CanInvite(actor, g) {
			return forbidden("end the invite of this group")
		}
		return tx.DeleteGroupInvite(ctx, g.ID)
	})
}
