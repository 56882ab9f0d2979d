package app

import (
	"context"

	"vitrine/internal/domain"
)

// AuthorizationRequest is what a client asks a user for (RFC 6749 section 4.1.1, RFC
// 7636 section 4.3), as it came, with the number of times that each parameter did.
type AuthorizationRequest struct {
	ClientID            string
	RedirectURI         string
	ResponseType        string
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
	RedirectURI string // where the answer goes, the registered form's loopback port changed
	State       string
	Granted     bool // the user has allowed the same or more before
}

// OAuthError is an error of RFC 6749 sections 4.1.2.1 and 5.2. Redirect is the address
// that may be told ("" where it must be said on a page, since the client or its address
// is not known), with error, error_description, state and iss set.
type OAuthError struct {
	Code        string // invalid_request, invalid_client, ...
	Description string
	Redirect    string
}

func (e *OAuthError) Error() string { return e.Code + ": " + e.Description }

// Authorization checks a request before anybody is asked. Errors are *OAuthError.
func (a *App) Authorization(ctx context.Context, actor domain.Actor, r AuthorizationRequest) (Consent, error) {
	return Consent{}, errNotBuilt
}

// Allow notes the grant, and gives the address to send the browser to, with a code.
func (a *App) Allow(ctx context.Context, actor domain.Actor, r AuthorizationRequest) (redirect string, err error) {
	return "", errNotBuilt
}

// Deny gives the address to send the browser to, with access_denied.
func (a *App) Deny(ctx context.Context, actor domain.Actor, r AuthorizationRequest) (redirect string, err error) {
	return "", errNotBuilt
}

// ApplicationInput is an application to register or change.
type ApplicationInput struct {
	Name         string
	RedirectURIs []string
	Public       bool // not changed by an update
}

// CreateApplication registers an application of a user. The secret is not kept; "" for a
// public one. Errors name `name` or `redirect_uris`.
func (a *App) CreateApplication(ctx context.Context, actor domain.Actor, in ApplicationInput) (secret string, app domain.Application, err error) {
	return "", app, errNotBuilt
}

// Applications lists the applications that the actor registered, newest first.
func (a *App) Applications(ctx context.Context, actor domain.Actor) ([]domain.Application, error) {
	return nil, errNotBuilt
}

// Application reads one of them; NotFound if it is not the actor's.
func (a *App) Application(ctx context.Context, actor domain.Actor, id domain.ApplicationID) (domain.Application, error) {
	return domain.Application{}, errNotBuilt
}

// UpdateApplication changes the name and redirect addresses.
func (a *App) UpdateApplication(ctx context.Context, actor domain.Actor, id domain.ApplicationID, in ApplicationInput) (domain.Application, error) {
	return domain.Application{}, errNotBuilt
}

// RotateSecret gives a confidential application a new secret; the old one ends at once.
func (a *App) RotateSecret(ctx context.Context, actor domain.Actor, id domain.ApplicationID) (secret string, err error) {
	return "", errNotBuilt
}

// DeleteApplication ends an application, and with it its grants, codes and tokens.
func (a *App) DeleteApplication(ctx context.Context, actor domain.Actor, id domain.ApplicationID) error {
	return errNotBuilt
}

// Grants lists what the actor lets applications do, newest first.
func (a *App) Grants(ctx context.Context, actor domain.Actor) ([]domain.Grant, error) {
	return nil, errNotBuilt
}

// RevokeGrant takes a grant back, and with it the tokens and codes of that application
// for the actor.
func (a *App) RevokeGrant(ctx context.Context, actor domain.Actor, id domain.GrantID) error {
	return errNotBuilt
}
