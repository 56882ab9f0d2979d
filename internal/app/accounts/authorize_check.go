package accounts

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// consent checks a request. Until the redirect address is known to belong to the client, nothing is sent to it (RFC 6749
// section 4.1.2.1, RFC 9700 section 4.11).
func (a *Accounts) consent(ctx context.Context, r AuthorizationRequest) (Consent, error) {
	known, redirect, err := a.redirectTarget(ctx, r)
	if err != nil {
		return Consent{}, err
	}
	c := Consent{Application: known, RedirectURI: redirect, State: r.State}
	why := badState(r)
	if why != "" {
		c.State = ""
	}
	code := "invalid_request"
	if why == "" {
		code, why = badRequest(known, r)
	}
	var unknown *OAuthError
	if c.Audience, unknown = a.audience(r.Resource); why == "" && unknown != nil {
		code, why = unknown.Code, unknown.Description
	}
	limits, wrong := domain.ParseTokenLimits(r.Scope)
	if why == "" && wrong != "" {
		code, why = "invalid_scope", "scope has an unknown kind of change, a channel without a number, or more than "+strconv.Itoa(domain.MaxTokenChannels)+" channels"
	}
	if why != "" {
		return Consent{}, &OAuthError{Code: code, Description: why, Redirect: a.refusal(redirect, c.State, code, why)}
	}
	c.Scope, c.Limits = known.Asked(r.Scope), limits
	return c, nil
}

// redirectTarget returns the client of a request and the address for the answer.
func (a *Accounts) redirectTarget(ctx context.Context, r AuthorizationRequest) (known domain.Application, redirect string, err error) {
	for _, name := range []string{"client_id", "redirect_uri"} {
		if slices.Contains(r.Repeated, name) {
			return known, "", &OAuthError{Code: "invalid_request", Description: name + " was given more than once"}
		}
	}
	if IsClientDocument(r.ClientID) {
		known, err = a.described(ctx, r.From, r.ClientID)
	} else {
		known, err = a.application(ctx, r.ClientID)
	}
	if domain.KindOf(err) == domain.NotFound {
		return known, "", &OAuthError{Code: "invalid_client", Description: "There is no application with this client_id"}
	}
	if err != nil {
		return known, "", err
	}
	if r.RedirectURI == "" && len(known.RedirectURIs) == 1 {
		return known, known.RedirectURIs[0], nil
	}
	if r.RedirectURI == "" {
		return known, "", &OAuthError{Code: "invalid_request", Description: "redirect_uri is required: the application has several"}
	}
	for _, registered := range known.RedirectURIs {
		if domain.MatchRedirectURI(registered, r.RedirectURI) {
			return known, r.RedirectURI, nil
		}
	}
	return known, "", &OAuthError{Code: "invalid_request", Description: "redirect_uri is none that the application registered"}
}

// application reads an application by the client id of a request. If it is the browser extension, its row is created
// when it is first needed, and again after an operator has deleted it. Only its id and creation time are read from the
// row, so a new version may have other redirect addresses.
func (a *Accounts) application(ctx context.Context, clientID string) (domain.Application, error) {
	if clientID != domain.ExtensionClient {
		return a.stored(ctx, clientID)
	}
	if !a.accounts.Extension {
		return domain.Application{}, domain.NewNotFound()
	}
	app, err := a.stored(ctx, clientID)
	if domain.KindOf(err) == domain.NotFound {
		app, err = a.createExtension(ctx)
	}
	if err == nil {
		wanted := domain.ExtensionApplication()
		app.Name, app.RedirectURIs = wanted.Name, wanted.RedirectURIs
	}
	return app, err
}

// createExtension creates the application of the browser extension.
func (a *Accounts) createExtension(ctx context.Context) (app domain.Application, err error) {
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		app = domain.ExtensionApplication()
		app.CreatedAt = a.Now()
		restored, err := tx.Account().RestoreApplication(ctx, app)
		if err != nil {
			return err
		}
		if app, err = tx.Account().ApplicationByClientID(ctx, app.ClientID); err != nil || !restored {
			return err
		}
		return a.Audit(ctx, tx, domain.Actor{}, domain.ActAppCreated, domain.AboutApplication(app), nil)
	})
	return app, err
}

// stored reads an application by its client id.
func (a *Accounts) stored(ctx context.Context, clientID string) (domain.Application, error) {
	if clientID == "" || len(clientID) > domain.MaxClientID || strings.ContainsFunc(clientID, notVisible) {
		return domain.Application{}, domain.NewNotFound()
	}
	return a.Store.Account().ApplicationByClientID(ctx, clientID)
}

// notVisible reports whether a character is not printable ASCII (RFC 6749 appendix A).
func notVisible(r rune) bool { return r < ' ' || r > '~' }

// badState returns why a state cannot be passed through unchanged.
func badState(r AuthorizationRequest) string {
	switch {
	case slices.Contains(r.Repeated, "state"):
		return "state was given more than once"
	case len(r.State) > domain.MaxState:
		return "state has more than " + strconv.Itoa(domain.MaxState) + " bytes"
	case !utf8.ValidString(r.State) || strings.ContainsFunc(r.State, unicode.IsControl):
		return "state has characters that cannot be passed on"
	}
	return ""
}

// badRequest returns any other fault of a client's request.
func badRequest(client domain.Application, r AuthorizationRequest) (code, why string) {
	switch {
	case len(r.Repeated) > 0:
		why = "a parameter was given more than once"
	case r.ResponseType == "":
		why = "response_type is required"
	case r.ResponseType != "code":
		return "unsupported_response_type", "The only response_type is code"
	case r.ResponseMode != "" && r.ResponseMode != "query":
		why = "The only response_mode is query"
	case r.CodeChallenge == "" && r.CodeChallengeMethod != "":
		why = "code_challenge_method was given without a code_challenge"
	case r.CodeChallenge == "" && client.Public:
		why = "code_challenge is required of an application without a secret"
	case r.CodeChallenge == "":
	case r.CodeChallengeMethod != "S256":
		why = "code_challenge_method must be S256"
	case !auth.ValidChallenge(r.CodeChallenge):
		why = "code_challenge must be 43 base64url characters"
	}
	return "invalid_request", why
}
