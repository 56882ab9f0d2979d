package people

import (
	"context"
	"crypto/subtle"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/membership"
)

// Members lists the members of a group, its owner first.
func (a *People) Members(ctx context.Context, actor domain.Actor, ref domain.Ref, page domain.Page) (l domain.List[domain.Member], err error) {
	if err := page.Validate(); err != nil {
		return l, err
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		g, err := v.Groups().Group(ctx, actor.UserID, ref)
		if err != nil {
			return err
		}
		l, err = v.Membership().Members(ctx, g, page)
		return err
	})
	return l, err
}

// JoinGroup makes the actor a member by the code of the group's invite, and reports whether they are new. A missing or
// wrong code is Forbidden, for members too.
func (a *People) JoinGroup(ctx context.Context, actor domain.Actor, ref domain.Ref, code string) (m domain.Member, joined bool, err error) {
	var f domain.Faults
	if !f.Text("invite_token", code, domain.MaxInvitationToken) {
		return m, false, f.Err()
	}
	now := a.Now()
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		g, err := lockedGroup(ctx, tx, actor, ref)
		if err != nil {
			return err
		}
		invite, err := tx.Membership().GroupInvite(ctx, g.ID)
		if err != nil && domain.KindOf(err) != domain.NotFound {
			return err
		}
		if err != nil || subtle.ConstantTimeCompare([]byte(code), []byte(invite.Code)) == 0 {
			return core.Forbidden("join this group without a valid invite_token")
		}
		u, err := tx.Users().User(ctx, domain.Ref{ID: int64(actor.UserID)})
		if err != nil {
			return err
		}
		p, err := tx.Principals().Principal(ctx, domain.UserRef(u.ID))
		if err != nil {
			return err
		}
		m = domain.Member{Principal: p, Owner: g.Owner.PrincipalRef == p.PrincipalRef}
		joined, err = enter(ctx, tx, g.ID, u, actor.UserID, now)
		return err
	})
	return m, joined, err
}

// enter adds a user to a locked group, settles their invitations to it, and records who added them. It reports whether
// the user is new, and must come last in its transaction.
func enter(ctx context.Context, tx *store.Tx, group domain.GroupID, u domain.User, by domain.UserID, now time.Time) (bool, error) {
	isNew, err := settleIn(ctx, tx, group, u, now)
	if err != nil || !isNew {
		return false, err
	}
	return true, core.Publish(ctx, tx, by, now, domain.MemberAdded{Group: group, User: u.ID})
}

// settleIn is enter without the record.
func settleIn(ctx context.Context, tx *store.Tx, group domain.GroupID, u domain.User, now time.Time) (bool, error) {
	isNew, err := tx.Membership().AddMember(ctx, group, u.ID, now)
	if err != nil || !isNew {
		return false, err
	}
	who := membership.Invitee{User: u.ID, Email: u.Email}
	if err := tx.Membership().ExpireInvitations(ctx, group, who, now); err != nil {
		return false, err
	}
	return true, tx.Membership().AcceptInvitations(ctx, group, who, now)
}

// LockToEnter locks the group of a link and returns its id, or 0 if it has none or the group was deleted.
func (a *People) LockToEnter(ctx context.Context, tx *store.Tx, group *domain.Principal) (domain.GroupID, error) {
	if group == nil {
		return 0, nil
	}
	id := domain.GroupID(group.ID)
	err := tx.Groups().LockGroup(ctx, id)
	if domain.KindOf(err) == domain.NotFound {
		return 0, nil
	}
	return id, err
}

// Enter adds a user to a group that LockToEnter has locked, as having joined on their own; 0 does nothing. It must come
// last in its transaction.
func (a *People) Enter(ctx context.Context, tx *store.Tx, group domain.GroupID, u domain.User, now time.Time) error {
	if group == 0 {
		return nil
	}
	_, err := enter(ctx, tx, group, u, u.ID, now)
	return err
}

// LeaveGroup ends the actor's membership, if any. The owner cannot leave.
func (a *People) LeaveGroup(ctx context.Context, actor domain.Actor, ref domain.Ref) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		g, err := lockedGroup(ctx, tx, actor, ref)
		if err != nil {
			return err
		}
		if g.Owner.PrincipalRef == domain.UserRef(actor.UserID) {
			return core.Forbidden("leave a group that you own; delete it instead")
		}
		return a.removeMember(ctx, tx, actor, g.ID, actor.UserID)
	})
}

// RemoveMember ends the membership of a user, if any. The group's owner may remove anyone except themselves.
func (a *People) RemoveMember(ctx context.Context, actor domain.Actor, ref domain.Ref, user domain.UserID) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		g, err := lockedGroup(ctx, tx, actor, ref)
		if err != nil {
			return err
		}
		if !domain.CanOwnGroup(actor, g) {
			return core.Forbidden("remove members of this group")
		}
		if g.Owner.PrincipalRef == domain.UserRef(user) {
			return core.Forbidden("remove the owner of a group")
		}
		if _, err := tx.Principals().Principal(ctx, domain.UserRef(user)); err != nil {
			return err
		}
		return a.removeMember(ctx, tx, actor, g.ID, user)
	})
}

func (a *People) removeMember(ctx context.Context, tx *store.Tx, actor domain.Actor, group domain.GroupID, user domain.UserID) error {
	was, err := tx.Membership().RemoveMember(ctx, group, user)
	if err != nil || !was {
		return err
	}
	return core.Publish(ctx, tx, actor.UserID, a.Now(), domain.MemberRemoved{Group: group, User: user})
}
