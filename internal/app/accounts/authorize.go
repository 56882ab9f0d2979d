package accounts

import (
	"context"
	"net/url"
	"strings"
	"time"

	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/account"
)

// codeLife is how long an authorization code can be used (behaviour.md section 8).
const codeLife = 10 * time.Minute

// AuthorizationRequest is what a client asks a user for (RFC 6749 section 4.1.1, RFC
// 7636 section 4.3), as it came.
type AuthorizationRequest struct {
	ClientID            string
	RedirectURI         string
	ResponseType        string
	ResponseMode        string
	Scope               string
	State               string
	CodeChallenge       string
	CodeChallengeMethod string
	Repeated            []string // parameters that came more than once
}

// Consent is a request that a user can be asked about.
type Consent struct {
	Application domain.Application
	Scope       domain.Scope
	RedirectURI string // where the answer goes; domain.OutOfBand for a page with the code
	State       string
	Granted     bool // the user has allowed the same or more before
}

// OAuthError is an error of RFC 6749 sections 4.1.2.1 and 5.2. Redirect is the address
// that may be told ("" where it must be said on a page, since the client or its address
// is not known, or has none), with error, error_description, state and iss set.
type OAuthError struct {
	Code        string // invalid_request, invalid_client, ...
	Description string
	Redirect    string
}

func (e *OAuthError) Error() string { return e.Code + ": " + e.Description }

// Authorization checks a request before anybody is asked; the actor may be a guest.
// Errors are *OAuthError, or the server's own.
func (a *Accounts) Authorization(ctx context.Context, actor domain.Actor, r AuthorizationRequest) (Consent, error) {
	c, err := a.consent(ctx, r)
	if err != nil || !actor.SignedIn() {
		return c, err
	}
	granted, err := a.Store.GrantScope(ctx, c.Application.ID, actor.UserID)
	if domain.KindOf(err) == domain.NotFound {
		return c, nil
	}
	c.Granted = err == nil && granted.Allows(c.Scope)
	return c, err
}

// Allow notes the grant, and gives the address to send the browser to, with a code. For
// domain.OutOfBand the address is that with a query, and is to be shown on a page.
func (a *Accounts) Allow(ctx context.Context, actor domain.Actor, r AuthorizationRequest) (redirect string, err error) {
	c, err := a.consent(ctx, r)
	if err != nil {
		return "", err
	}
	if !actor.SignedIn() || actor.ApplicationID != 0 {
		return "", domain.NewUnauthenticated("Only a user can allow this")
	}
	secret, hash, _ := auth.NewToken(auth.Code)
	now := a.Now()
	code := account.Code{Hash: hash, ApplicationID: c.Application.ID, UserID: actor.UserID, RedirectURI: r.RedirectURI,
		Challenge: r.CodeChallenge, Scope: c.Scope, CreatedAt: now, ExpiresAt: now.Add(codeLife)}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := allow(ctx, tx, code); err != nil {
			return err
		}
		return a.Audit(ctx, tx, actor, domain.ActAccessGiven, domain.AboutApplication(c.Application), map[string]any{"scope": c.Scope})
	})
	if domain.KindOf(err) == domain.NotFound {
		return "", &OAuthError{Code: "access_denied", Description: "The application or the account is no longer there",
			Redirect: a.refusal(c.RedirectURI, c.State, "access_denied", "The application or the account is no longer there")}
	}
	if err != nil {
		return "", err
	}
	return a.answer(c.RedirectURI, c.State, url.Values{"code": {secret}}), nil
}

// allow writes the grant and the code, if application and user are both still there.
func allow(ctx context.Context, tx *store.Tx, code account.Code) error {
	if _, err := tx.ShareApplication(ctx, code.ApplicationID); err != nil {
		return err
	}
	if _, err := tx.MayAct(ctx, code.UserID); err != nil {
		return err
	}
	if err := tx.Grant(ctx, code.ApplicationID, code.UserID, code.Scope, code.CreatedAt); err != nil {
		return err
	}
	return tx.CreateCode(ctx, code)
}

// Deny gives the address to send the browser to, with access_denied; "" where there is
// none (domain.OutOfBand), and the page just says so.
func (a *Accounts) Deny(ctx context.Context, actor domain.Actor, r AuthorizationRequest) (redirect string, err error) {
	c, err := a.consent(ctx, r)
	if err != nil {
		return "", err
	}
	return a.refusal(c.RedirectURI, c.State, "access_denied", "The user has not allowed this"), nil
}

// refusal is the address that tells a client of an error; "" where the client has none.
func (a *Accounts) refusal(redirectURI, state, code, description string) string {
	if redirectURI == domain.OutOfBand {
		return ""
	}
	return a.answer(redirectURI, state, url.Values{"error": {code}, "error_description": {description}})
}

// answer adds to a redirect address what a client is told, with its state and who says
// so (RFC 6749 section 4.1.2, RFC 9207 section 2). What the address had stays as it was.
func (a *Accounts) answer(redirectURI, state string, values url.Values) string {
	if state != "" {
		values.Set("state", state)
	}
	values.Set("iss", a.BaseURL)
	join := "?"
	if strings.Contains(redirectURI, "?") {
		join = "&"
	}
	return redirectURI + join + values.Encode()
}
