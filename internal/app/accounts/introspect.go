package accounts

import (
	"context"

	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Introspection is the answer about a client's own token (RFC 7662 section 2.2).
type Introspection struct {
	Active bool
	Token  domain.Token // without its secret
	Client domain.Application
	User   string // slug; "" if the application acts as itself
}

// Introspect describes a client's own token to a client with a secret. Any other token or text is reported as inactive.
func (a *Accounts) Introspect(ctx context.Context, from domain.Visitor, c ClientCredentials, token string) (Introspection, error) {
	app, err := a.client(ctx, from, c)
	if err != nil {
		return Introspection{}, err
	}
	if app.Public {
		return Introspection{}, errClient()
	}
	t, err := a.issued(ctx, app, token)
	expired := err == nil && t.ExpiresAt != nil && !a.Now().Before(*t.ExpiresAt)
	if domain.KindOf(err) == domain.NotFound || err == nil && t.ApplicationID != app.ID || expired {
		return Introspection{}, nil
	}
	i := Introspection{Active: err == nil, Token: t, Client: app}
	if err == nil && t.UserID != 0 {
		var u domain.User
		u, err = a.Store.Users().User(ctx, domain.Ref{ID: int64(t.UserID)})
		i.User = u.Slug
	}
	return i, err
}

// issued reads an access token, or the current refresh token of a family as if it were one.
func (a *Accounts) issued(ctx context.Context, app domain.Application, token string) (domain.Token, error) {
	if kind, _ := auth.TokenKind(token); kind != auth.Refresh {
		return a.Store.Account().ApplicationToken(ctx, auth.HashToken(token))
	}
	t, err := a.refreshToken(ctx, app, token)
	if err == nil && !auth.SameSecret(token, t.Hash) {
		err = domain.NewNotFound()
	}
	return domain.Token{UserID: t.UserID, ApplicationID: t.ApplicationID, Scope: t.Scope, Limits: t.Limits, CreatedAt: t.CreatedAt, ExpiresAt: &t.ExpiresAt}, err
}

// auditRevoked records that somebody other than the user ended an application's token for a user, or its own token if of
// is 0.
func (a *Accounts) auditRevoked(ctx context.Context, tx *store.Tx, app domain.Application, of domain.UserID, by string) error {
	details := map[string]any{"by": by}
	if of != 0 {
		details["user"] = of
	}
	return a.Audit(ctx, tx, domain.Actor{}, domain.ActTokenRevoked, domain.AboutApplication(app), details)
}

// RevokeApplicationToken revokes a token of a client (RFC 7009), with its refresh token and everything that follows from that. It ignores anything else without an error.
func (a *Accounts) RevokeApplicationToken(ctx context.Context, from domain.Visitor, c ClientCredentials, token string) error {
	app, err := a.client(ctx, from, c)
	if err != nil {
		return err
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if kind, _ := auth.TokenKind(token); kind == auth.Refresh {
			return a.revokeFamily(ctx, tx, app, token)
		}
		of, err := tx.Account().DeleteApplicationToken(ctx, app.ID, auth.HashToken(token))
		if err != nil {
			return err
		}
		return a.auditRevoked(ctx, tx, app, of, "the application")
	})
	if domain.KindOf(err) == domain.NotFound {
		return nil
	}
	return err
}
