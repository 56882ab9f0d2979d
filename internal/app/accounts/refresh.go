package accounts

import (
	"context"
	"time"

	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/account"
)

// Lifetimes of the tokens of applications that get refresh tokens.
const (
	accessTTL    = time.Hour
	refreshIdle  = 30 * 24 * time.Hour  // of a refresh token that is not used
	refreshTotal = 365 * 24 * time.Hour // of a family, after which people are asked again
	// refreshGrace is how long the last used refresh token can be sent once more, in case its answer was lost.
	refreshGrace = 30 * time.Second
)

// family is a new family of refresh tokens, or none if the application gets tokens that do not expire.
type family struct {
	token  string
	stored account.Refresh
}

// newFamily returns the family that begins with a code.
func newFamily(app domain.Application, code account.Code, now time.Time) (f family) {
	if !app.Expiring && code.Audience != domain.Assistants {
		return f
	}
	token, hash, _ := auth.NewToken(auth.Refresh)
	f.token = token
	f.stored = account.Refresh{ApplicationID: app.ID, UserID: code.UserID, CodeHash: code.Hash, Family: auth.RefreshFamily(token),
		Hash: hash, Scope: code.Scope, Limits: code.Limits, Audience: code.Audience,
		CreatedAt: now, ExpiresAt: now.Add(refreshIdle), EndsAt: now.Add(refreshTotal)}
	return f
}

// createFamily stores a family, if there is one. The audit log has its first access token.
func (a *Accounts) createFamily(ctx context.Context, tx *store.Tx, f *family) (err error) {
	if f.token != "" {
		f.stored.ID, err = tx.Account().CreateRefreshToken(ctx, f.stored, keptTokens)
	}
	return err
}

// accessEnds returns when an access token that is created now expires, or nil if there is no family.
func (f *family) accessEnds(now time.Time) *time.Time {
	if f.token == "" {
		return nil
	}
	return accessEnds(f.stored, now)
}

func accessEnds(t account.Refresh, now time.Time) *time.Time {
	ends := earlier(now.Add(accessTTL), t.EndsAt)
	return &ends
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// refresh exchanges a refresh token for an access token and the next refresh token (RFC 6749 section 6). A token that
// was used before ends its whole family, because one of its two senders stole it (RFC 9700 section 4.14.2).
func (a *Accounts) refresh(ctx context.Context, from domain.Visitor, app domain.Application, r TokenRequest) (AccessToken, error) {
	if r.RefreshToken == "" {
		return AccessToken{}, &OAuthError{Code: "invalid_request", Description: "refresh_token is required"}
	}
	key, err := a.Secret(ctx, &a.refreshKey, "refresh tokens")
	if err != nil {
		return AccessToken{}, err
	}
	t, err := a.refreshToken(ctx, app, r.RefreshToken)
	var made AccessToken
	if err == nil {
		if err = narrows(a, t, r); err == nil {
			made, err = a.renew(ctx, app, t, r, auth.NextRefreshToken(key, r.RefreshToken))
		}
	}
	if domain.KindOf(err) == domain.NotFound {
		err = a.clientFailed(ctx, from, app.ClientID, &OAuthError{Code: "invalid_grant",
			Description: "The refresh token is not valid: used, expired, revoked, or not for this client"})
	}
	return made, err
}

// refreshToken reads the family of a refresh token. It returns NotFound if it belongs to another application.
func (a *Accounts) refreshToken(ctx context.Context, app domain.Application, token string) (account.Refresh, error) {
	if kind, _ := auth.TokenKind(token); kind != auth.Refresh {
		return account.Refresh{}, domain.NewNotFound()
	}
	t, err := a.Store.Account().RefreshToken(ctx, auth.RefreshFamily(token))
	if err == nil && t.ApplicationID != app.ID {
		err = domain.NewNotFound()
	}
	return t, err
}

// narrows checks that a request asks for no more than the refresh token allows.
func narrows(a *Accounts, t account.Refresh, r TokenRequest) error {
	if !t.Scope.Allows(domain.ParseScopes(r.Scope)) {
		return &OAuthError{Code: "invalid_scope", Description: "scope is more than the refresh token allows"}
	}
	if r.Resource == "" {
		return nil
	}
	wanted, unknown := a.audience(r.Resource)
	if unknown != nil {
		return badTarget(unknown.Description)
	}
	if t.Audience != domain.Everything && t.Audience != wanted {
		return badTarget("resource is another than in the authorization request")
	}
	return nil
}

// renew uses a refresh token. Concurrent requests with the same token wait for each other: the first one replaces it, and
// another one within refreshGrace gets the same successor, once. The successor's own reuse then shows whether both
// requests came from the same client.
func (a *Accounts) renew(ctx context.Context, app domain.Application, t account.Refresh, r TokenRequest, next string) (made AccessToken, err error) {
	now := a.Now()
	ended := false
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		ended = false
		if err := stillGranted(ctx, tx, app.ID, t.UserID, t.Scope); err != nil {
			return err
		}
		t, err := tx.Account().LockRefreshToken(ctx, t.Family) // t outside stays, in case the transaction is repeated
		if err != nil {
			return err
		}
		switch {
		case !now.Before(t.ExpiresAt):
			return domain.NewNotFound()
		case auth.SameSecret(r.RefreshToken, t.Hash):
			err = tx.Account().RotateRefreshToken(ctx, t, auth.HashToken(next), now, earlier(now.Add(refreshIdle), t.EndsAt))
		case auth.SameSecret(r.RefreshToken, t.Previous) && now.Before(t.RotatedAt.Add(refreshGrace)) && auth.SameSecret(next, t.Hash):
			err = tx.Account().EndPreviousRefreshToken(ctx, t.ID)
		default:
			ended = true
			return a.endReused(ctx, tx, app, t)
		}
		if err != nil {
			return err
		}
		made, err = a.createToken(ctx, tx, app, renewed(app, t, r, now), t.CodeHash, true)
		return err
	})
	if err == nil && ended {
		err = domain.NewNotFound()
	}
	made.Refresh = next
	return made, err
}

// renewed returns the access token that a refresh token gives.
func renewed(app domain.Application, t account.Refresh, r TokenRequest, now time.Time) domain.Token {
	scope := t.Scope
	if asked := domain.ParseScopes(r.Scope); asked != domain.ScopeNone {
		scope = asked
	}
	return domain.Token{UserID: t.UserID, ApplicationID: app.ID, Name: app.Name, Scope: scope, Limits: t.Limits, Audience: t.Audience, CreatedAt: now,
		RefreshID: t.ID, ExpiresAt: accessEnds(t, now)}
}

// endReused ends a family after one of its tokens was used twice, and mails its user.
func (a *Accounts) endReused(ctx context.Context, tx *store.Tx, app domain.Application, t account.Refresh) error {
	if err := tx.Account().DeleteRefreshToken(ctx, t.ID); err != nil {
		return err
	}
	u, err := tx.Users().User(ctx, domain.Ref{ID: int64(t.UserID)})
	if err != nil {
		return err
	}
	if err := warnAbout(ctx, tx, u, TokenReused, app.Name); err != nil {
		return err
	}
	return a.Audit(ctx, tx, domain.Actor{}, domain.ActTokenReused, domain.AboutApplication(app), map[string]any{"user": t.UserID})
}

// revokeFamily ends the family of a refresh token, or returns NotFound if it is not one of the application.
func (a *Accounts) revokeFamily(ctx context.Context, tx *store.Tx, app domain.Application, token string) error {
	t, err := tx.Account().LockRefreshToken(ctx, auth.RefreshFamily(token))
	if err != nil {
		return err
	}
	if t.ApplicationID != app.ID {
		return domain.NewNotFound()
	}
	if err := tx.Account().DeleteRefreshToken(ctx, t.ID); err != nil {
		return err
	}
	return a.auditRevoked(ctx, tx, app, t.UserID, "the application")
}
