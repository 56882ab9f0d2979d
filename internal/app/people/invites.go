package people

import (
	"context"
	"crypto/subtle"

	"vitrine/internal/app/core"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// GroupInvite is the reusable invite of a group, with the group.
type GroupInvite struct {
	domain.GroupInvite
	Group domain.Group
}

// GroupInvite reads the invite of a group for its members. It returns NotFound if the group has no
// invite.
func (a *People) GroupInvite(ctx context.Context, actor domain.Actor, ref domain.Ref) (i GroupInvite, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if i.Group, err = v.Groups().Group(ctx, actor.UserID, ref); err != nil {
			return err
		}
		if !domain.CanSeeInvitations(actor, i.Group) {
			return core.Forbidden("see the invite of this group")
		}
		i.GroupInvite, err = v.Membership().GroupInvite(ctx, i.Group.ID)
		return err
	})
	return i, err
}

// InviteeGroup reads the group of a reusable invite code, for the page to join it. It returns NotFound for a wrong code.
func (a *People) InviteeGroup(ctx context.Context, actor domain.Actor, ref domain.Ref, code string) (g domain.Group, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if g, err = v.Groups().Group(ctx, actor.UserID, ref); err != nil {
			return err
		}
		i, err := v.Membership().GroupInvite(ctx, g.ID)
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

// CreateGroupInvite returns the invite of a group, creating it if needed, and reports whether it is new.
func (a *People) CreateGroupInvite(ctx context.Context, actor domain.Actor, ref domain.Ref) (i GroupInvite, created bool, err error) {
	now := a.Now()
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if i.Group, err = lockedGroup(ctx, tx, actor, ref); err != nil {
			return err
		}
		if !domain.CanInvite(actor, i.Group) {
			return core.Forbidden("make an invite to this group")
		}
		i.GroupInvite, err = tx.Membership().GroupInvite(ctx, i.Group.ID)
		if created = domain.KindOf(err) == domain.NotFound; !created {
			return err
		}
		if err := tx.Membership().CreateGroupInvite(ctx, i.Group.ID, auth.NewCode(), now); err != nil {
			return err
		}
		i.GroupInvite, err = tx.Membership().GroupInvite(ctx, i.Group.ID)
		return err
	})
	return i, created, err
}

// DeleteGroupInvite deletes the invite of a group. Doing it again changes nothing.
func (a *People) DeleteGroupInvite(ctx context.Context, actor domain.Actor, ref domain.Ref) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		g, err := lockedGroup(ctx, tx, actor, ref)
		if err != nil {
			return err
		}
		if !domain.CanInvite(actor, g) {
			return core.Forbidden("end the invite of this group")
		}
		return tx.Membership().DeleteGroupInvite(ctx, g.ID)
	})
}
