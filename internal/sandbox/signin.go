package sandbox

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/app/accounts"
	"vitrine/internal/domain"
)

const redirectURI = "https://client.example/back"

// SignIn is a request for tokens, as if a person had allowed the application of the sandbox.
type SignIn struct {
	Account string `json:"account"` // its slug
	Scope   string `json:"scope"`   // as in OAuth
}

// SignedIn has the tokens, as the token endpoint returns them.
type SignedIn struct {
	ClientID  string `json:"client_id"`
	Access    string `json:"access_token"`
	Refresh   string `json:"refresh_token"`
	TokenType string `json:"token_type"`
	Scope     string `json:"scope"`
	Seconds   int64  `json:"expires_in"`
}

// ParseSignIn reads a request. Errors name the field.
func ParseSignIn(body []byte) (in SignIn, err error) {
	if json.Unmarshal(body, &in) != nil {
		return in, domain.InvalidField("body", domain.FieldMalformed, `must be an object such as {"account": "ada", "scope": "write"}`)
	}
	return in, nil
}

// createClient creates the application of the sandbox: a public one, whose tokens expire.
func (w *world) createClient(owner domain.Actor) (id string) {
	w.step(func() error {
		_, made, err := w.app.Accounts.CreateApplication(w.ctx, owner, accounts.ApplicationInput{Name: "A client", RedirectURIs: []string{redirectURI}, Public: true, Expiring: true})
		id = made.ClientID
		return err
	})
	return id
}

// Do signs in by an authorization code.
func (in SignIn) Do(ctx context.Context, a *app.App, clientID string) (SignedIn, error) {
	u, err := a.People.User(ctx, domain.ParseRef(in.Account))
	if domain.KindOf(err) == domain.NotFound {
		err = domain.InvalidField("account", domain.FieldUnknown, "must be the slug of an account")
	}
	if err != nil {
		return SignedIn{}, err
	}
	verifier := rand.Text() + rand.Text()
	sum := sha256.Sum256([]byte(verifier))
	redirect, err := a.Accounts.Allow(ctx, domain.Actor{UserID: u.ID, Tier: u.Tier, Scope: domain.ScopeWrite}, accounts.AuthorizationRequest{ClientID: clientID,
		RedirectURI: redirectURI, ResponseType: "code", Scope: in.Scope, Operating: true, CodeChallenge: base64.RawURLEncoding.EncodeToString(sum[:]), CodeChallengeMethod: "S256"})
	if refused := (*accounts.OAuthError)(nil); errors.As(err, &refused) {
		err = domain.InvalidField("scope", domain.FieldUnknown, refused.Description)
	}
	if err != nil {
		return SignedIn{}, err
	}
	to, err := url.Parse(redirect)
	if err != nil {
		return SignedIn{}, err
	}
	t, err := a.Accounts.IssueToken(ctx, domain.Visitor{}, accounts.TokenRequest{GrantType: "authorization_code", Client: accounts.ClientCredentials{ID: clientID},
		Code: to.Query().Get("code"), RedirectURI: redirectURI, CodeVerifier: verifier})
	if err != nil {
		return SignedIn{}, err
	}
	return SignedIn{ClientID: clientID, Access: t.Secret, Refresh: t.Refresh, TokenType: "Bearer", Scope: t.Limits.ScopeText(t.Scope),
		Seconds: int64(time.Until(*t.ExpiresAt).Round(time.Second).Seconds())}, nil
}
