package people

import (
	"context"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/membership"
)

// Invitations lists the open invitations of a group for its members, newest first.
func (a *People) Invitations(ctx context.Context, actor domain.Actor, ref domain.Ref, page domain.Page) (l domain.List[domain.Invitation], err error) {
	if err := page.Validate(); err != nil {
		return l, err
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		g, err := v.Groups().Group(ctx, actor.UserID, ref)
		if err != nil {
			return err
		}
		if !domain.CanSeeInvitations(actor, g) {
			return core.Forbidden("see the invitations of this group")
		}
		l, err = v.Membership().Invitations(ctx, g.ID, a.Now(), page)
		return err
	})
	return l, err
}

// InviteInput is the person to invite: exactly one field is set.
type InviteInput struct {
	User  domain.UserID
	Email string
}

// Validate checks that exactly one field is set, and that it is valid.
func (in InviteInput) Validate() error {
	var f domain.Faults
	switch {
	case in.User == 0 && in.Email == "":
		f.Add("user_id", domain.FieldRequired, "give either user_id or email")
	case in.User != 0 && in.Email != "":
		f.Add("user_id", domain.FieldExclusive, "give either user_id or email")
	case in.Email != "":
		core.CheckEmail(&f, in.Email)
	default:
		f.Positive("user_id", int64(in.User))
	}
	return f.Err()
}

// Invited is the result of an invitation. User is only set if a user was invited as such: inviting an address does not
// reveal its owner.
type Invited struct {
	Outcome    domain.InviteOutcome
	User       *domain.Principal
	Invitation *domain.Invitation
}

// Invite invites somebody to a group (behaviour.md section 6). Every member may. Too many invitations return TooMany.
func (a *People) Invite(ctx context.Context, actor domain.Actor, ref domain.Ref, in InviteInput) (r Invited, err error) {
	if err := in.Validate(); err != nil {
		return r, err
	}
	in.Email = core.CanonicalEmail(in.Email)
	now := a.Now()
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		r = Invited{}
		g, err := lockedGroup(ctx, tx, actor, ref)
		if err != nil {
			return err
		}
		if !domain.CanInvite(actor, g) {
			return core.Forbidden("invite to this group")
		}
		u, err := invitedUser(ctx, tx, in)
		if err != nil {
			return err
		}
		if in.User != 0 {
			p, err := tx.Principals().Principal(ctx, domain.UserRef(u.ID))
			if err != nil {
				return err
			}
			r.User = &p
		}
		return a.invite(ctx, tx, actor, g, u, in, now, &r)
	})
	return r, err
}

// invitedUser reads the invited account. For an address without an account, it returns a user with only the address.
func invitedUser(ctx context.Context, tx *store.Tx, in InviteInput) (domain.User, error) {
	if in.User != 0 {
		return tx.Users().User(ctx, domain.Ref{ID: int64(in.User)})
	}
	u, err := tx.Users().UserByEmail(ctx, in.Email)
	if domain.KindOf(err) == domain.NotFound {
		return domain.User{Email: in.Email}, nil
	}
	return u, err
}

// invite invites a user to a locked group, or adds them at once.
func (a *People) invite(ctx context.Context, tx *store.Tx, actor domain.Actor, g domain.Group, u domain.User, in InviteInput, now time.Time, r *Invited) error {
	member, err := tx.Membership().IsMember(ctx, g.ID, u.ID)
	if err != nil {
		return err
	}
	if member {
		r.Outcome = domain.OutcomeAlreadyMember
		return nil
	}
	open, err := tx.Membership().OpenInvitation(ctx, g.ID, membership.Invitee{User: u.ID, Email: u.Email}, now)
	if err == nil {
		r.Outcome, r.Invitation = domain.OutcomePending, &open
		return nil
	}
	if domain.KindOf(err) != domain.NotFound {
		return err
	}
	if in.User != 0 { // an address must not reveal that its owner follows the actor
		follows, err := tx.Activity().IsFollowing(ctx, u.ID, domain.Subject{Type: domain.SubjectUser, ID: int64(actor.UserID)})
		if err != nil {
			return err
		}
		if follows {
			r.Outcome = domain.OutcomeAdded
			_, err = enter(ctx, tx, g.ID, u, actor.UserID, now)
			return err
		}
	}
	r.Outcome = domain.OutcomeInvited
	r.Invitation, err = a.newInvitation(ctx, tx, actor, g, u, in, now)
	return err
}

func (a *People) newInvitation(ctx context.Context, tx *store.Tx, actor domain.Actor, g domain.Group, u domain.User, in InviteInput, now time.Time) (*domain.Invitation, error) {
	if err := countInvitation(ctx, tx, actor.UserID, g.ID, in, now); err != nil {
		return nil, err
	}
	who := membership.Invitee{User: u.ID, Email: u.Email}
	if err := tx.Membership().ExpireInvitations(ctx, g.ID, who, now); err != nil {
		return nil, err
	}
	_, hash, _ := auth.NewToken(auth.Invited) // a placeholder: the mail creates the real token
	id, err := tx.Membership().CreateInvitation(ctx, membership.NewInvitation{Group: g.ID, Invitee: u.ID, Email: core.NonEmpty(&in.Email),
		InvitedBy: actor.UserID, TokenHash: hash, ExpiresAt: now.Add(a.invitationTTL), Now: now})
	if err != nil {
		return nil, err
	}
	i, err := tx.Membership().Invitation(ctx, g.ID, id)
	if err != nil {
		return nil, err
	}
	return &i, a.mailInvitation(ctx, tx, actor.UserID, id)
}

// RevokeInvitation revokes an open invitation. Its creator and every member may. The answer to others does not reveal
// whether it exists.
func (a *People) RevokeInvitation(ctx context.Context, actor domain.Actor, ref domain.Ref, id domain.InvitationID) error {
	now := a.Now()
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		g, err := lockedGroup(ctx, tx, actor, ref)
		if err != nil {
			return err
		}
		i, err := tx.Membership().Invitation(ctx, g.ID, id)
		if err != nil && domain.KindOf(err) != domain.NotFound {
			return err
		}
		if !domain.CanRevoke(actor, g, i) {
			return core.Forbidden("revoke invitations to this group")
		}
		if err != nil {
			return err
		}
		if !i.Open(now) {
			return domain.NewUnprocessable("The invitation is not pending any more")
		}
		return tx.Membership().EndInvitation(ctx, i.ID, domain.InvitationRevoked, now)
	})
}
