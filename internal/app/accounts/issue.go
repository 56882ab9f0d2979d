package accounts

import (
	"context"
	"time"

	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/account"
)

// keptTokens is the number of concurrent tokens of an application per user, or of its own. A new token replaces the
// oldest.
const keptTokens = 100

// keptOfFamily is the number of access tokens that one refresh token has at once.
const keptOfFamily = 10

// TokenRequest is a request to the token endpoint (RFC 6749 sections 4.1.3, 4.4.2 and 6, RFC 7636 section 4.5).
type TokenRequest struct {
	Client       ClientCredentials
	GrantType    string
	Code         string
	RedirectURI  string
	CodeVerifier string
	Resource     string // RFC 8707; "" for that of the code
	RefreshToken string
	Scope        string // of an access token for a refresh token; "" for that of the refresh token
}

// AccessToken is a token of an application. The secret is not stored.
type AccessToken struct {
	Secret    string
	Scope     domain.Scope
	Limits    *domain.TokenLimits
	CreatedAt time.Time
	ExpiresAt *time.Time // nil: never
	Refresh   string     // the refresh token, or ""
}

// IssueToken issues a token to a client. Errors are *OAuthError, TooMany, or internal ones.
func (a *Accounts) IssueToken(ctx context.Context, from domain.Visitor, r TokenRequest) (AccessToken, error) {
	give := a.exchange
	switch r.GrantType {
	case "":
		return AccessToken{}, &OAuthError{Code: "invalid_request", Description: "grant_type is required"}
	case "authorization_code":
	case "client_credentials":
		give = a.ownToken
	case "refresh_token":
		give = a.refresh
	default:
		return AccessToken{}, &OAuthError{Code: "unsupported_grant_type",
			Description: "The grant types are authorization_code, client_credentials and refresh_token"}
	}
	app, err := a.client(ctx, from, r.Client)
	if err != nil {
		return AccessToken{}, err
	}
	return give(ctx, from, app, r)
}

// exchange exchanges an authorization code for a token. If a code is used twice by otherwise valid requests, its token
// is revoked (RFC 6749 section 4.1.2), because one of the two senders stole it. Invalid requests change nothing, so that
// a leaked code cannot be used to sign somebody out.
func (a *Accounts) exchange(ctx context.Context, from domain.Visitor, app domain.Application, r TokenRequest) (AccessToken, error) {
	if r.Code == "" {
		return AccessToken{}, &OAuthError{Code: "invalid_request", Description: "code is required"}
	}
	wanted, unknown := a.audience(r.Resource)
	if unknown != nil {
		return AccessToken{}, badTarget(unknown.Description)
	}
	code, err := a.Store.Account().Code(ctx, auth.HashToken(r.Code))
	if err == nil && !madeFor(code, app, r) {
		err = domain.NewNotFound()
	}
	if err == nil && r.Resource != "" {
		if code.Audience != domain.Everything && code.Audience != wanted {
			return AccessToken{}, badTarget("resource is another than in the authorization request")
		}
		code.Audience = wanted
	}
	var t AccessToken
	if err == nil {
		t, err = a.redeem(ctx, app, code)
	}
	if domain.KindOf(err) == domain.NotFound {
		err = a.clientFailed(ctx, from, app.ClientID, &OAuthError{Code: "invalid_grant",
			Description: "The code is not valid: used, expired, or not for this client, redirect_uri and code_verifier"})
	}
	return t, err
}

// badTarget returns the error for a resource. The description of the endpoint has no code invalid_target (RFC 8707 section 2).
func badTarget(description string) error {
	return &OAuthError{Code: "invalid_request", Description: description}
}

// madeFor reports whether a code was issued for a request. A verifier without an earlier challenge is refused, because
// somebody may have removed the challenge (RFC 9700 section 4.8.2).
func madeFor(code account.Code, app domain.Application, r TokenRequest) bool {
	if code.ApplicationID != app.ID || code.RedirectURI != r.RedirectURI {
		return false
	}
	if code.Challenge == "" {
		return r.CodeVerifier == "" && !app.Public
	}
	return auth.VerifierMatches(r.CodeVerifier, code.Challenge)
}

// redeem uses up a code and creates its token, or returns NotFound if the code cannot be used any more. If it is used in
// parallel, the first request gets a token and the others revoke it.
func (a *Accounts) redeem(ctx context.Context, app domain.Application, code account.Code) (t AccessToken, err error) {
	now := a.Now()
	family := newFamily(app, code, now)
	var again bool
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := stillGranted(ctx, tx, app.ID, code.UserID, code.Scope); err != nil {
			return err
		}
		first, err := tx.Account().UseCode(ctx, code.Hash, now)
		if err != nil {
			return err
		}
		if again = !first; again {
			live, err := tx.Account().RevokeCode(ctx, code.Hash)
			if err != nil || !live {
				return err
			}
			return a.auditRevoked(ctx, tx, app, code.UserID, "its code, which was sent again")
		}
		if !now.Before(code.ExpiresAt) {
			return domain.NewNotFound()
		}
		if err := a.createFamily(ctx, tx, &family); err != nil {
			return err
		}
		t, err = a.createToken(ctx, tx, app, domain.Token{UserID: code.UserID, ApplicationID: app.ID, Name: app.Name, Scope: code.Scope, Limits: code.Limits,
			Audience: code.Audience, CreatedAt: now, RefreshID: family.stored.ID, ExpiresAt: family.accessEnds(now)}, code.Hash, false)
		return err
	})
	if err == nil && again {
		err = domain.NewNotFound()
	}
	t.Refresh = family.token
	return t, err
}

// createToken creates an access token of an application for a code, or for none. The audit log does not contain those that
// only replace one that expires.
func (a *Accounts) createToken(ctx context.Context, tx *store.Tx, app domain.Application, t domain.Token, code []byte, replaces bool) (AccessToken, error) {
	secret, hash, hint := auth.NewToken(auth.OAuth)
	t.Hint = hint
	keep := keptTokens
	if t.RefreshID != 0 {
		keep = keptOfFamily
	}
	err := tx.Account().CreateApplicationToken(ctx, t, hash, code, keep)
	if err == nil && !replaces {
		err = a.Audit(ctx, tx, domain.Actor{UserID: t.UserID}, domain.ActTokenCreated, domain.AboutApplication(app), map[string]any{"scope": t.Limits.ScopeText(t.Scope)})
	}
	return AccessToken{Secret: secret, Scope: t.Scope, Limits: t.Limits, CreatedAt: t.CreatedAt, ExpiresAt: t.ExpiresAt}, err
}

// stillGranted checks that the application and the user exist and that the grant still covers a scope, and locks them
// until the end of the transaction. Otherwise it returns NotFound.
func stillGranted(ctx context.Context, tx *store.Tx, app domain.ApplicationID, user domain.UserID, scope domain.Scope) error {
	if _, err := tx.Account().ShareApplication(ctx, app); err != nil {
		return err
	}
	if _, err := tx.Account().MayAct(ctx, user); err != nil {
		return err
	}
	granted, err := tx.Account().ShareGrant(ctx, app, user)
	if err == nil && !granted.Allows(scope) {
		err = domain.NewNotFound()
	}
	return err
}

// ownToken issues a token with which an application acts as itself. Only applications that a user registered get one,
// and only to read, even if they request write.
func (a *Accounts) ownToken(ctx context.Context, _ domain.Visitor, app domain.Application, r TokenRequest) (AccessToken, error) {
	refused := &OAuthError{Code: "unauthorized_client", Description: "This client may not act as itself"}
	if app.Public || app.UserID == 0 {
		return AccessToken{}, refused
	}
	t := domain.Token{ApplicationID: app.ID, Name: app.Name, Scope: domain.ScopeRead, CreatedAt: a.Now()}
	var made AccessToken
	err := a.Store.InTx(ctx, func(tx *store.Tx) (err error) {
		if _, err := tx.Account().ShareApplication(ctx, app.ID); err != nil {
			return err
		}
		if _, err := tx.Account().MayAct(ctx, app.UserID); err != nil {
			return err
		}
		made, err = a.createToken(ctx, tx, app, t, nil, false)
		return err
	})
	if domain.KindOf(err) == domain.NotFound {
		return AccessToken{}, refused
	}
	return made, err
}
