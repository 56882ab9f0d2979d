package accounts

import (
	"cmp"
	"context"
	"fmt"

	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// CreateOwnToken creates a personal access token of the actor. (CreateToken does so for the command line.) Errors name
// the fields of the input; `channels` also if the actor cannot see one. The limit is domain.MaxOwnTokens tokens, expired ones
// included.
func (a *Accounts) CreateOwnToken(ctx context.Context, actor domain.Actor, in TokenInput) (secret string, t domain.Token, err error) {
	if err := a.checkToken(ctx, actor.UserID, in); err != nil {
		return "", t, err
	}
	secret, hash, hint := auth.NewToken(auth.Personal)
	t = in.token(actor.UserID, a.Now())
	t.Hint = hint
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if in.admin() {
			if may, err := lockOperator(ctx, tx, actor.UserID); err != nil || !may {
				return cmp.Or(err, errNotOperator())
			}
		}
		if _, err := tx.Users().LockUser(ctx, actor.UserID); err != nil {
			return err
		}
		live, err := tx.Account().OwnTokens(ctx, actor.UserID)
		if err != nil {
			return err
		}
		if len(live) >= domain.MaxOwnTokens {
			return domain.NewUnprocessable(fmt.Sprintf("You have %d tokens: revoke one first", domain.MaxOwnTokens))
		}
		if t.ID, err = tx.Account().CreateToken(ctx, t, hash); err != nil {
			return err
		}
		return a.Audit(ctx, tx, actor, domain.ActTokenCreated, domain.AboutToken(t), map[string]any{"scope": t.Limits.ScopeText(t.Scope)})
	})
	if err != nil {
		return "", domain.Token{}, err
	}
	return secret, t, nil
}

// OwnTokens lists the live personal access tokens of the actor, newest first.
func (a *Accounts) OwnTokens(ctx context.Context, actor domain.Actor) ([]domain.Token, error) {
	return a.Store.Account().OwnTokens(ctx, actor.UserID)
}

// RevokeOwnToken revokes a personal access token of the actor, or returns NotFound if it is not theirs.
func (a *Accounts) RevokeOwnToken(ctx context.Context, actor domain.Actor, id domain.TokenID) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.Account().RevokeOwnToken(ctx, actor.UserID, id, a.Now()); err != nil {
			return err
		}
		return a.Audit(ctx, tx, actor, domain.ActTokenRevoked, domain.AboutToken(domain.Token{ID: id}), nil)
	})
}
