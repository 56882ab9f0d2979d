package people

import (
	"context"

	"vitrine/internal/app/core"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/membership"
)

// InvitationByToken reads the open invitation of a mailed token. It returns NotFound if the token is used, revoked,
// expired or unknown.
func (a *People) InvitationByToken(ctx context.Context, token string) (domain.Invitation, error) {
	return a.OpenInvitation(ctx, a.Store.Queries, token)
}

// OpenInvitation is InvitationByToken inside or outside of a transaction.
func (a *People) OpenInvitation(ctx context.Context, q store.Queries, token string) (domain.Invitation, error) {
	if kind, ok := auth.TokenKind(token); !ok || kind != auth.Invited {
		return domain.Invitation{}, domain.NewNotFound()
	}
	i, err := q.Membership().InvitationByToken(ctx, auth.HashToken(token))
	if err == nil && !i.Open(a.Now()) {
		err = domain.NewNotFound()
	}
	return i, err
}

// lockedInvitation locks the group of an open invitation and reads the invitation's current state.
func (a *People) lockedInvitation(ctx context.Context, tx *store.Tx, token string) (domain.Invitation, error) {
	i, err := a.OpenInvitation(ctx, tx.Queries, token)
	if err != nil {
		return i, err
	}
	if err := tx.Groups().LockGroup(ctx, domain.GroupID(i.Group.ID)); err != nil {
		return i, err
	}
	return a.OpenInvitation(ctx, tx.Queries, token)
}

// AcceptInvitation makes the actor a member of the group of a mailed token. An invitation of a user can only be accepted
// by that user, an invitation of an address by anyone with the token.
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
		u, err := tx.Users().User(ctx, domain.Ref{ID: int64(actor.UserID)})
		if err != nil {
			return err
		}
		if err := tx.Membership().AcceptInvitation(ctx, i.ID, u.ID, now); err != nil {
			return err
		}
		group := domain.GroupID(i.Group.ID)
		if _, err := enter(ctx, tx, group, u, actor.UserID, now); err != nil {
			return err
		}
		g, err = tx.Groups().Group(ctx, actor.UserID, domain.Ref{ID: int64(group)})
		return err
	})
	return g, err
}

// DeclineInvitation declines the invitation of a mailed token. It needs no account, because only the invited person got
// the token.
func (a *People) DeclineInvitation(ctx context.Context, token string) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		i, err := a.lockedInvitation(ctx, tx, token)
		if err != nil {
			return err
		}
		return tx.Membership().EndInvitation(ctx, i.ID, domain.InvitationDeclined, a.Now())
	})
}

// AdoptInvitations assigns the invitations of an address to its new account, which can then accept or decline them.
func (a *People) AdoptInvitations(ctx context.Context, tx *store.Tx, u domain.User) error {
	return tx.Membership().AdoptInvitations(ctx, membership.Invitee{User: u.ID, Email: u.Email})
}
