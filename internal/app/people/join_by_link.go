package people

import (
	"context"

	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// JoinByLink makes the actor, who already has an account, a member of the group of a link and takes a place of the link,
// except for members. It returns NotFound if the link is full, expired or has no group, and Forbidden if it is for
// another address.
func (a *People) JoinByLink(ctx context.Context, actor domain.Actor, token string) error {
	if kind, ok := auth.TokenKind(token); !ok || kind != auth.Admitted {
		return domain.NewNotFound()
	}
	now := a.Now()
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		l, err := tx.Account().UsableSignUpLink(ctx, auth.HashToken(token), now)
		if err != nil {
			return err
		}
		group, err := a.LockToEnter(ctx, tx, l.Group)
		if err != nil {
			return err
		}
		if group == 0 {
			return domain.NewNotFound()
		}
		u, err := tx.Users().User(ctx, domain.Ref{ID: int64(actor.UserID)})
		if err != nil {
			return err
		}
		if l.Email != "" && l.Email != u.Email {
			return domain.NewForbidden("This invitation is for somebody else")
		}
		member, err := tx.Membership().IsMember(ctx, group, u.ID)
		if err != nil || member {
			return err
		}
		free, err := tx.Account().UseSignUpLink(ctx, l.ID, u.ID, now)
		if err != nil {
			return err
		}
		if !free {
			return domain.NewNotFound()
		}
		return a.Enter(ctx, tx, group, u, now)
	})
}
