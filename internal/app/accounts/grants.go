package accounts

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Grants lists the actor's grants to applications, newest first.
func (a *Accounts) Grants(ctx context.Context, actor domain.Actor) ([]domain.Grant, error) {
	return a.Store.Account().Grants(ctx, actor.UserID)
}

// RevokeGrant deletes a grant with the tokens and codes of its application for the actor.
func (a *Accounts) RevokeGrant(ctx context.Context, actor domain.Actor, id domain.GrantID) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.Account().DeleteGrant(ctx, id, actor.UserID); err != nil {
			return err
		}
		return a.Audit(ctx, tx, actor, domain.ActAccessTaken, domain.AuditTarget{Kind: "Grant", ID: int64(id)}, nil)
	})
}
