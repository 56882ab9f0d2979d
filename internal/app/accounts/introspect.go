package accounts

import (
	"context"

	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Introspection is what a client is told of a token of its own (RFC 7662 section 2.2).
type Introspection struct {
	Active bool
	Token  domain.Token // with what is not secret
	Client domain.Application
	User   string // slug; "" where the application acts as itself
}

// Introspect tells a client with a secret about a token of its own. All others, and what
// is no token, are not active.
func (a *Accounts) Introspect(ctx context.Context, from domain.Visitor, c ClientCredentials, token string) (Introspection, error) {
	app, err := a.client(ctx, from, c)
	if err != nil {
		return Introspection{}, err
	}
	if app.Public {
		return Introspection{}, errClient()
	}
	t, err := a.Store.ApplicationToken(ctx, auth.HashToken(token))
	if domain.KindOf(err) == domain.NotFound || err == nil && t.ApplicationID != app.ID {
		return Introspection{}, nil
	}
	i := Introspection{Active: err == nil, Token: t, Client: app}
	if err == nil && t.UserID != 0 {
		var u domain.User
		u, err = a.Store.User(ctx, domain.Ref{ID: int64(t.UserID)})
		i.User = u.Slug
	}
	return i, err
}

// auditRevoked notes that a token of an application was ended for a user, 0 for its own, other
// than by who gave it access.
func (a *Accounts) auditRevoked(ctx context.Context, tx *store.Tx, app domain.Application, of domain.UserID, by string) error {
	details := map[string]any{"by": by}
	if of != 0 {
		details["user"] = of
	}
	return a.Audit(ctx, tx, domain.Actor{}, domain.ActTokenRevoked, domain.AboutApplication(app), details)
}

// RevokeApplicationToken ends a token of a client (RFC 7009). What is none of its tokens
// changes nothing, and is no error.
func (a *Accounts) RevokeApplicationToken(ctx context.Context, from domain.Visitor, c ClientCredentials, token string) error {
	app, err := a.client(ctx, from, c)
	if err != nil {
		return err
	}
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		of, err := tx.DeleteApplicationToken(ctx, app.ID, auth.HashToken(token))
		if domain.KindOf(err) == domain.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		return a.auditRevoked(ctx, tx, app, of, "the application")
	})
}
