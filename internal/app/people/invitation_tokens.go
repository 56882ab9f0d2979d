package people

import (
	"context"

	"vitrine/internal/app/core"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/membership"
)

// InvitationByToken reads the open invitation that a mailed token is for. A token that
// is used, revoked, expired or none at all is NotFound.
func (a *People) InvitationByToken(ctx context.Context, token string) (domain.Invitation, error) {
	return a.OpenInvitation(ctx, a.Store.Queries, token)
}

// OpenInvitation is InvitationByToken within a transaction, or outside of one.
func (a *People) OpenInvitation(ctx context.Context, q store.Queries, token string) (domain.Invitation, error) {
	if kind, ok := auth.TokenKind(token); !ok || kind != auth.Invited {
		return domain.Invitation{}, domain.NewNotFound()
	}
	i, err := q.InvitationByToken(ctx, auth.HashToken(token))
	if err == nil && !i.Open(a.Now()) {
		err = domain.NewNotFound()
	}
	return i, err
}

// lockedInvitation locks the group of an open invitation, and reads the invitation as
// it then is.
func (a *People) lockedInvitation(ctx context.Context, tx *store.Tx, token string) (domain.Invitation, error) {
	i, err := a.OpenInvitation(ctx, tx.Queries, token)
	if err != nil {
		return i, err
	}
	if err := tx.LockGroup(ctx, domain.GroupID(i.Group.ID)); err != nil {
		return i, err
	}
	return a.OpenInvitation(ctx, tx.Queries, token)
}

// AcceptInvitation makes the actor a member of the group that a mailed token is for.
// Where a user was invited, only they may; where an address was, whoever has its token.
func (a *People) AcceptInvitation(ctx context.Context, actor domain.Actor, token string) (g domain.Group, err error) {
	now := a.Now()
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		i, err := a.lockedInvitation(ctx, tx, token)
		if err != nil {
			return err
		}
		if !domain.CanAccept(actor, i) {
			return core.Forbidden("accept an invitation of somebody else")
		}
		u, err := tx.User(ctx, domain.Ref{ID: int64(actor.UserID)})
		if err != nil {
			return err
		}
		if err := tx.AcceptInvitation(ctx, i.ID, u.ID, now); err != nil {
			return err
		}
		group := domain.GroupID(i.Group.ID)
		if _, err := enter(ctx, tx, group, u, actor.UserID, now); err != nil {
			return err
		}
		g, err = tx.Group(ctx, actor.UserID, domain.Ref{ID: int64(group)})
		return err
	})
	return g, err
}

// DeclineInvitation ends the invitation that a mailed token is for. It takes no
// account: the token came to whom the invitation is for.
func (a *People) DeclineInvitation(ctx context.Context, token string) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		i, err := a.lockedInvitation(ctx, tx, token)
		if err != nil {
			return err
		}
		return tx.EndInvitation(ctx, i.ID, domain.InvitationDeclined, a.Now())
	})
}

// AdoptInvitations gives a new account the invitations that its address has; they stay
// to be accepted or declined.
func (a *People) AdoptInvitations(ctx context.Context, tx *store.Tx, u domain.User) error {
	return tx.AdoptInvitations(ctx, membership.Invitee{User: u.ID, Email: u.Email})
}
