package operating

import (
	"context"

	"vitrine/internal/app/accounts"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// TokensOf lists the personal access tokens of an account for an operator, newest first, including revoked ones, starting
// below an id; 0 means from the beginning.
func (a *Operating) TokensOf(ctx context.Context, by Operator, ref domain.Ref, below domain.TokenID, limit int) ([]domain.Token, error) {
	u, err := a.Account(ctx, by, ref)
	if err != nil {
		return nil, err
	}
	return a.Store.Account().TokensBelow(ctx, u.ID, below, limit)
}

// RevokeToken revokes a token for an operator. Revoking it again changes nothing.
func (a *Operating) RevokeToken(ctx context.Context, by Operator, id domain.TokenID) error {
	if err := by.Allowed(ctx, a.Store.Queries); err != nil {
		return err
	}
	return a.accounts.RevokeToken(ctx, by.actor, id)
}

// Applications lists the applications of all accounts for an operator by id, after the given one.
func (a *Operating) Applications(ctx context.Context, by Operator, after domain.ApplicationID, limit int) ([]domain.Application, error) {
	if err := by.Allowed(ctx, a.Store.Queries); err != nil {
		return nil, err
	}
	return a.accounts.AllApplications(ctx, after, limit)
}

// CreateApplication registers an application for an account, and returns its secret, which is not stored.
func (a *Operating) CreateApplication(ctx context.Context, by Operator, owner domain.Ref, in accounts.ApplicationInput) (secret string, app domain.Application, err error) {
	u, err := a.Account(ctx, by, owner)
	if err != nil {
		return "", app, err
	}
	return a.accounts.CreateApplicationOf(ctx, by.actor, u.ID, in)
}

// EndApplication deletes any application for an operator.
func (a *Operating) EndApplication(ctx context.Context, by Operator, clientID string) error {
	if err := by.Allowed(ctx, a.Store.Queries); err != nil {
		return err
	}
	return a.accounts.EndApplication(ctx, by.actor, clientID)
}

// CreateAccount creates an account for an operator.
func (a *Operating) CreateAccount(ctx context.Context, by Operator, in accounts.CreateUserInput) (domain.User, error) {
	if in.Tier == "" {
		in.Tier = a.accounts.DefaultTier()
	}
	return a.accounts.CreateUserAs(ctx, by.actor, in, func(q store.Queries) error { return by.Allowed(ctx, q) })
}
