package oauth_test

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/app/accounts"
	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/domain"
)

const (
	tokenPath      = "/v3/oauth/token"
	tokenPathV2    = "/oauth/token"
	revokePath     = "/ext/v1/oauth/revoke"
	introspectPath = "/ext/v1/oauth/introspect"
	registerPath   = "/ext/v1/oauth/register"
	metadataPath   = "/.well-known/oauth-authorization-server"

	back     = "https://app.test/back?a=b"
	verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" // RFC 7636 appendix B
)

// challenge returns the S256 challenge of a verifier.
func challenge(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// world is a server with two confidential applications and a public one.
type world struct {
	*apptest.Rig
	web, other, native client
}

// client is an application with its secret.
type client struct {
	domain.Application
	secret string
}

func newWorld(r *apptest.Rig) *world {
	r.T.Helper()
	w := &world{Rig: r}
	w.web = w.register("grace", accounts.ApplicationInput{Name: "Web", RedirectURIs: []string{back, "https://app.test/else"}})
	w.other = w.register("grace", accounts.ApplicationInput{Name: "Other", RedirectURIs: []string{back}})
	w.native = w.register("grace", accounts.ApplicationInput{Name: "Native", Public: true, RedirectURIs: []string{"http://127.0.0.1/back"}})
	return w
}

// each runs f in a world on each database.
func each(t *testing.T, f func(t *testing.T, w *world), options ...apptest.Option) {
	t.Helper()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) { f(t, newWorld(r)) }, options...)
}

func registering(c *config.Config) { c.OAuthRegistration = true }

func (w *world) register(as string, in accounts.ApplicationInput) client {
	w.T.Helper()
	secret, made, err := w.S.App.Accounts.CreateApplication(w.T.Context(), w.actor(as), in)
	if err != nil {
		w.T.Fatal(err)
	}
	return client{made, secret}
}

// actor returns a signed-in user of the website.
func (w *world) actor(name string) domain.Actor {
	return domain.Actor{UserID: w.Person(name).ID, Tier: domain.TierSupporter, Scope: domain.ScopeWrite}
}

// asks returns a valid authorization request of a client.
func asks(c client) accounts.AuthorizationRequest {
	r := accounts.AuthorizationRequest{ClientID: c.ClientID, RedirectURI: c.RedirectURIs[0], ResponseType: "code", Scope: "write", State: "s t&a=t"}
	if c.Public {
		r.RedirectURI = "http://127.0.0.1:4711/back"
		r.CodeChallenge, r.CodeChallengeMethod = challenge(verifier), "S256"
	}
	return r
}

// code returns the code after a user has granted a request.
func (w *world) code(as string, r accounts.AuthorizationRequest) string {
	w.T.Helper()
	redirect, err := w.S.App.Accounts.Allow(w.T.Context(), w.actor(as), r)
	if err != nil {
		w.T.Fatal(err)
	}
	u, err := url.Parse(redirect)
	if err != nil {
		w.T.Fatal(err)
	}
	return u.Query().Get("code")
}

// exchanges returns a valid token request for the code of an authorization request.
func exchanges(c client, r accounts.AuthorizationRequest, code string) url.Values {
	v := url.Values{"grant_type": {"authorization_code"}, "client_id": {c.ClientID}, "code": {code}, "redirect_uri": {r.RedirectURI}}
	if c.secret != "" {
		v.Set("client_secret", c.secret)
	}
	if r.CodeChallenge != "" {
		v.Set("code_verifier", verifier)
	}
	return v
}

// with returns a copy of values with a changed value, or without it for "".
func with(v url.Values, name, value string) url.Values {
	made := url.Values{}
	for k := range v {
		made.Set(k, v.Get(k))
	}
	if made.Set(name, value); value == "" {
		made.Del(name)
	}
	return made
}

// post sends a form, and checks that the response forbids caching.
func (w *world) post(path string, form url.Values, headers ...string) *apptest.Response {
	w.T.Helper()
	return w.send(path, "application/x-www-form-urlencoded", form.Encode(), headers...)
}

func (w *world) send(path, contentType, body string, headers ...string) *apptest.Response {
	w.T.Helper()
	res := w.Do("", http.MethodPost, path, body, append([]string{"Content-Type", contentType}, headers...)...)
	if res.Header.Get("Cache-Control") != "no-store" || res.Header.Get("Pragma") != "no-cache" {
		w.T.Errorf("%s may be kept: %v", path, res.Header)
	}
	if res.Header.Get("X-RateLimit-Limit") == "" || res.Header.Get("Access-Control-Allow-Origin") != "*" {
		w.T.Errorf("%s lacks headers: %v", path, res.Header)
	}
	return res
}

// token returns an access token for a user.
func (w *world) token(as string, c client) string {
	w.T.Helper()
	r := asks(c)
	return w.post(tokenPath, exchanges(c, r, w.code(as, r))).Want(http.StatusOK).Str("access_token")
}

// own returns a token with which an application acts for itself.
func (w *world) own(c client) string {
	w.T.Helper()
	return w.post(tokenPath, url.Values{"grant_type": {"client_credentials"}, "client_id": {c.ClientID}, "client_secret": {c.secret}}).
		Want(http.StatusOK).Str("access_token")
}

// as sends a request with a token.
func (w *world) as(token, method, path string, body any) *apptest.Response {
	w.T.Helper()
	return w.Do("", method, path, body, "Authorization", "Bearer "+token)
}

// works reports whether a token is accepted.
func (w *world) works(token string) bool {
	w.T.Helper()
	return w.as(token, http.MethodGet, "/v3/me", nil).Status == http.StatusOK
}

// refused checks that an error conforms to RFC 6749 section 5.2.
func refused(t *testing.T, name string, res *apptest.Response, status int, code string) {
	t.Helper()
	if res.Status != status {
		t.Errorf("%s: status %d, want %d: %s", name, res.Status, status, res.Body)
		return
	}
	if got, _ := res.Lookup("error"); got != code {
		t.Errorf("%s: %s, want %s", name, res.Body, code)
	}
	if text, _ := res.Lookup("error_description"); text == "" || text == nil {
		t.Errorf("%s: nothing is said: %s", name, res.Body)
	}
	if basic := strings.HasPrefix(res.Header.Get("WWW-Authenticate"), "Basic "); basic != (status == http.StatusUnauthorized) {
		t.Errorf("%s: %d with WWW-Authenticate %q", name, status, res.Header.Get("WWW-Authenticate"))
	}
}

// oauthError returns the error of an authorization request.
func oauthError(t *testing.T, name string, err error) *accounts.OAuthError {
	t.Helper()
	known, ok := errors.AsType[*accounts.OAuthError](err)
	if !ok {
		t.Errorf("%s: %v", name, err)
		return &accounts.OAuthError{}
	}
	return known
}
