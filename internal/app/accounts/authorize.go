package accounts

import (
	"cmp"
	"context"
	"net/url"
	"strings"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/account"
)

// codeTTL is the lifetime of an authorization code (behaviour.md section 8).
const codeTTL = 10 * time.Minute

// AuthorizationRequest is an unchecked authorization request (RFC 6749 section 4.1.1, RFC 7636 section 4.3).
type AuthorizationRequest struct {
	ClientID            string
	RedirectURI         string
	ResponseType        string
	ResponseMode        string
	Scope               string
	State               string
	CodeChallenge       string
	CodeChallengeMethod string
	Resource            string         // RFC 8707: the endpoint that the token is for; "" for all
	From                domain.Visitor // who sends it
	Repeated            []string       // names of repeated parameters
	Operating           bool           // the operator agreed that the application may operate the server
}

// Consent is a valid request for the user's consent.
type Consent struct {
	Application domain.Application
	Scope       domain.Scope
	Limits      *domain.TokenLimits // nil: none
	Audience    domain.TokenAudience
	RedirectURI string // target of the answer; domain.OutOfBand shows the code on a page
	State       string
	Granted     bool             // the user allowed the same or more before
	Channels    []domain.Channel // to which the token is limited, if the user is known
}

// OAuthError is an error of RFC 6749 sections 4.1.2.1 and 5.2. Redirect is the client's address with error,
// error_description, state and iss. It is "" if the error must be shown on a page, because the client or its address is
// unknown, or because it has no address.
type OAuthError struct {
	Code        string // invalid_request, invalid_client, ...
	Description string
	Redirect    string
}

func (e *OAuthError) Error() string { return e.Code + ": " + e.Description }

// Authorization checks a request before the user is asked. The actor may be a guest. Errors are *OAuthError, or internal
// ones.
func (a *Accounts) Authorization(ctx context.Context, actor domain.Actor, r AuthorizationRequest) (Consent, error) {
	c, err := a.consent(ctx, r)
	if err == nil {
		c.Channels, err = a.limitedTo(ctx, actor, c)
	}
	if err != nil || !actor.SignedIn() {
		return c, err
	}
	if c.Limits.Admin() {
		if err := core.Operate(ctx, a.Store.Queries, actor); err != nil {
			return c, a.notOperator(c, err)
		}
	}
	granted, limits, err := a.Store.Account().Granted(ctx, c.Application.ID, actor.UserID)
	if domain.KindOf(err) == domain.NotFound {
		return c, nil
	}
	c.Granted = err == nil && granted.Allows(c.Scope) && (limits == nil && !c.Limits.Admin() || limits.String() == c.Limits.String())
	return c, err
}

// Allow records the grant and returns the address to redirect the browser to, with a code. For domain.OutOfBand this is
// that URN with a query, to be shown on a page.
func (a *Accounts) Allow(ctx context.Context, actor domain.Actor, r AuthorizationRequest) (redirect string, err error) {
	c, err := a.consent(ctx, r)
	if err != nil {
		return "", err
	}
	if !actor.SignedIn() || actor.ApplicationID != 0 {
		return "", domain.NewUnauthenticated("Only a user can allow this")
	}
	if _, err := a.limitedTo(ctx, actor, c); err != nil {
		return "", err
	}
	if c.Limits.Admin() && !r.Operating {
		return "", domain.InvalidField("operating", domain.FieldRequired, "must be ticked: the application asks to operate the server")
	}
	secret, hash, _ := auth.NewToken(auth.Code)
	now := a.Now()
	code := account.Code{Hash: hash, ApplicationID: c.Application.ID, UserID: actor.UserID, RedirectURI: r.RedirectURI,
		Challenge: r.CodeChallenge, Scope: c.Scope, Limits: c.Limits, Audience: c.Audience, CreatedAt: now, ExpiresAt: now.Add(codeTTL)}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if c.Limits.Admin() {
			if may, err := lockOperator(ctx, tx, actor.UserID); err != nil || !may {
				return cmp.Or(err, a.notOperator(c, core.Forbidden("run this server")))
			}
		}
		if err := allow(ctx, tx, code); err != nil {
			return err
		}
		return a.Audit(ctx, tx, actor, domain.ActAccessGiven, domain.AboutApplication(c.Application), map[string]any{"scope": c.Limits.ScopeText(c.Scope)})
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

// notOperator returns the error for a request to operate the server by somebody whom err refuses.
func (a *Accounts) notOperator(c Consent, err error) error {
	if domain.KindOf(err) != domain.Forbidden {
		return err
	}
	const why = "Only an operator can allow an application to operate the server"
	return &OAuthError{Code: "invalid_scope", Description: why, Redirect: a.refusal(c.RedirectURI, c.State, "invalid_scope", why)}
}

// allow writes the grant and the code if the application and the user still exist.
func allow(ctx context.Context, tx *store.Tx, code account.Code) error {
	if _, err := tx.Account().ShareApplication(ctx, code.ApplicationID); err != nil {
		return err
	}
	if _, err := tx.Account().MayAct(ctx, code.UserID); err != nil {
		return err
	}
	if err := tx.Account().Grant(ctx, code); err != nil {
		return err
	}
	return tx.Account().CreateCode(ctx, code)
}

// limitedTo returns the channels to which a request is limited. It refuses channels that the user cannot see.
func (a *Accounts) limitedTo(ctx context.Context, actor domain.Actor, c Consent) ([]domain.Channel, error) {
	if !c.Limits.InChannels() || !actor.SignedIn() {
		return nil, nil
	}
	all, missing, err := a.channels(ctx, actor.UserID, c.Limits.Channels)
	if missing >= 0 {
		const why = "A channel in scope does not exist, or you cannot see it"
		return nil, &OAuthError{Code: "invalid_scope", Description: why, Redirect: a.refusal(c.RedirectURI, c.State, "invalid_scope", why)}
	}
	return all, err
}

// channels returns the channels with some ids, in their order. missing is the index of the first one that the user cannot
// see, or -1.
func (a *Accounts) channels(ctx context.Context, user domain.UserID, ids []domain.ChannelID) (all []domain.Channel, missing int, err error) {
	found, err := a.Store.Channels().ChannelsByID(ctx, user, ids)
	if err != nil {
		return nil, -1, err
	}
	for i, id := range ids {
		c, ok := found[id]
		if !ok {
			return nil, i, nil
		}
		all = append(all, c)
	}
	return all, -1, nil
}

// Deny returns the redirect address with the error access_denied. It returns "" if the redirect URI
// is domain.OutOfBand, and the page then reports the denial.
func (a *Accounts) Deny(ctx context.Context, actor domain.Actor, r AuthorizationRequest) (redirect string, err error) {
	c, err := a.consent(ctx, r)
	if err != nil {
		return "", err
	}
	return a.refusal(c.RedirectURI, c.State, "access_denied", "The user has not allowed this"), nil
}

// refusal returns the address that reports an error to a client, or "" if the client has none.
func (a *Accounts) refusal(redirectURI, state, code, description string) string {
	if redirectURI == domain.OutOfBand {
		return ""
	}
	return a.answer(redirectURI, state, url.Values{"error": {code}, "error_description": {description}})
}

// answer adds parameters, the client's state and the issuer to a redirect address (RFC 6749 section 4.1.2, RFC 9207
// section 2). It keeps the existing query.
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
