// Package oidc authenticates users with an OpenID Connect provider, using the authorization code flow with
// PKCE (OpenID Connect Core 1.0, RFC 7636, RFC 9700). It only caches the provider's metadata.
//
// The provider's address is a setting of the operator, so unlike links of users it may be a private one.
package oidc

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"

	"vitrine/internal/domain"
)

const (
	// defaultTimeout is the timeout of a request to the provider.
	defaultTimeout = 8 * time.Second
	// maxAnswer is the maximum size of a response in bytes.
	maxAnswer = 1 << 20
	// knownFor is how long the provider's metadata is cached. It is used for longer if the provider is
	// unavailable.
	knownFor = time.Hour
	// maxSubject is the maximum length of a subject (Core 1.0, section 2).
	maxSubject = 255
	// retryAfter is the wait that is suggested to clients when the provider is unavailable.
	retryAfter = 10 * time.Second
)

// Options configure a Provider.
type Options struct {
	Issuer       string // address of the provider, identical to the issuer in its metadata
	ClientID     string
	ClientSecret string
	RedirectURL  string           // our callback, which must be registered with the provider
	Scopes       []string         // must include openid
	GroupsClaim  string           // "" to request no groups
	Now          func() time.Time // clock
	Log          *slog.Logger

	// Watch, if not nil, wraps the HTTP transport. Requests have the context of the sign-in, except for
	// those for the provider's keys, which concurrent sign-ins share.
	Watch func(http.RoundTripper) http.RoundTripper

	// Timeout is the timeout of a request; 0 for the default.
	Timeout time.Duration
}

// Provider is a client of an OpenID Connect provider.
type Provider struct {
	o      Options
	client *http.Client

	requests singleflight.Group
	mu       sync.Mutex
	known    *discovered
}

// discovered is the metadata of the provider.
type discovered struct {
	provider *oidc.Provider
	verifier *oidc.IDTokenVerifier
	endpoint oauth2.Endpoint
	signOut  *url.URL  // RP-Initiated Logout 1.0, section 2.1; nil if not supported
	until    time.Time // when it expires
}

// New returns a client of a provider. It sends no requests before the first sign-in.
func New(o Options) *Provider {
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	var transport http.RoundTripper = http.DefaultTransport.(*http.Transport).Clone()
	if o.Watch != nil {
		transport = o.Watch(transport)
	}
	return &Provider{o: o, client: &http.Client{Timeout: o.Timeout, Transport: limited{transport},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// Issuer returns the issuer of the provider, which is its address.
func (p *Provider) Issuer() string { return p.o.Issuer }

// Attempt identifies a sign-in: State to the browser that started it, Nonce in its ID token, and Verifier
// in the exchange of the code.
type Attempt struct{ State, Nonce, Verifier string }

// NewAttempt returns a random attempt.
func NewAttempt() Attempt {
	return Attempt{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier()}
}

// Begin returns the URL of the provider that starts an attempt. With again, users must sign in there even
// if they are already signed in. The error is Unavailable if the provider cannot be reached.
func (p *Provider) Begin(ctx context.Context, a Attempt, again bool) (string, error) {
	d, err := p.discover(ctx)
	if err != nil {
		return "", err
	}
	options := []oauth2.AuthCodeOption{oidc.Nonce(a.Nonce), oauth2.S256ChallengeOption(a.Verifier)}
	if again { // OpenID Connect Core 1.0, section 3.1.2.1
		options = append(options, oauth2.SetAuthURLParam("prompt", "login"), oauth2.SetAuthURLParam("max_age", "0"))
	}
	return p.config(d).AuthCodeURL(a.State, options...), nil
}

// Identity is a user of the provider. Only Issuer and Subject identify them permanently. Everything else can
// change or be reassigned.
type Identity struct {
	Issuer   string   `json:"issuer"`
	Subject  string   `json:"subject"`
	Email    string   `json:"email"`    // as returned by the provider; may be empty
	Verified bool     `json:"verified"` // the provider has verified the address
	Name     string   `json:"name"`     // may be empty
	Username string   `json:"username"` // may be empty
	Groups   []string `json:"groups"`   // from GroupsClaim
	Unsure   bool     `json:"unsure"`   // the list of groups is incomplete

	AuthTime time.Time `json:"auth_time"` // when they signed in there, according to the ID token; zero if unknown
}

// Finish exchanges the code of an attempt for the identity of the user. The error is Unavailable if the
// provider is unavailable or rejects this server, and Forbidden if its response is invalid. Both are
// logged with their cause.
func (p *Provider) Finish(ctx context.Context, a Attempt, code string) (Identity, error) {
	d, err := p.discover(ctx)
	if err != nil {
		return Identity{}, err
	}
	ctx = oidc.ClientContext(ctx, p.client)
	token, err := p.config(d).Exchange(ctx, code, oauth2.VerifierOption(a.Verifier))
	if err != nil {
		return Identity{}, p.exchangeFailed(ctx, err)
	}
	raw, _ := token.Extra("id_token").(string)
	if raw == "" {
		return Identity{}, p.refuse(ctx, errors.New("the response has no ID token"))
	}
	id, err := d.verifier.Verify(ctx, raw)
	if err != nil && strings.Contains(err.Error(), "fetching keys") { // the library does not wrap the cause
		return Identity{}, p.unavailable(ctx, err)
	}
	if err != nil {
		return Identity{}, p.refuse(ctx, err)
	}
	if err := p.checkToken(id, a); err != nil {
		return Identity{}, p.refuse(ctx, err)
	}
	c, err := p.claims(ctx, d, id, token)
	if err != nil {
		return Identity{}, err
	}
	who := c.identity(p.o.Issuer, id.Subject, p.o.GroupsClaim)
	var signedIn struct {
		At int64 `json:"auth_time"`
	}
	if err := id.Claims(&signedIn); err != nil {
		return Identity{}, p.refuse(ctx, err)
	}
	if signedIn.At > 0 {
		who.AuthTime = time.Unix(signedIn.At, 0)
	}
	return who, nil
}

// checkToken makes the checks that the library omits: that a verified token belongs to this attempt, and that we
// are its only audience.
func (p *Provider) checkToken(id *oidc.IDToken, a Attempt) error {
	if a.Nonce == "" || subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(a.Nonce)) == 0 {
		return errors.New("the nonce of the token does not match")
	}
	if id.Subject == "" || len(id.Subject) > maxSubject || strings.ContainsRune(id.Subject, 0) {
		return fmt.Errorf("the subject must have 1 to %d characters", maxSubject)
	}
	var c struct {
		Party string `json:"azp"`
	}
	if err := id.Claims(&c); err != nil {
		return err
	}
	if c.Party != "" && c.Party != p.o.ClientID {
		return fmt.Errorf("the token was issued to %q", c.Party)
	}
	return nil
}

// SignOut returns the URL that signs a user out at the provider and then redirects to an address of ours,
// which must be registered there. It is "" if the provider does not support that or is unavailable. It
// contains our client id but no ID token, which we do not store, so the provider asks for confirmation.
func (p *Provider) SignOut(ctx context.Context, back string) string {
	d, err := p.discover(ctx)
	if err != nil || d.signOut == nil {
		return ""
	}
	to := *d.signOut
	q := to.Query()
	q.Set("client_id", p.o.ClientID)
	q.Set("post_logout_redirect_uri", back)
	to.RawQuery = q.Encode()
	return to.String()
}

func (p *Provider) config(d *discovered) *oauth2.Config {
	return &oauth2.Config{ClientID: p.o.ClientID, ClientSecret: p.o.ClientSecret, Endpoint: d.endpoint,
		RedirectURL: p.o.RedirectURL, Scopes: p.o.Scopes}
}

// discover returns the provider's metadata. It requests the metadata on first use, after a failure, and
// when it has expired.
func (p *Provider) discover(ctx context.Context) (*discovered, error) {
	p.mu.Lock()
	known := p.known
	p.mu.Unlock()
	if known != nil && p.o.Now().Before(known.until) {
		return known, nil
	}
	// Concurrent callers share one request, which continues if one of them is cancelled.
	asked := p.requests.DoChan("", func() (any, error) { return p.ask(context.WithoutCancel(ctx)) })
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case result := <-asked:
		if result.Err == nil {
			return result.Val.(*discovered), nil
		}
		if known != nil {
			p.o.Log.WarnContext(ctx, "cannot fetch the metadata of the OpenID Connect provider: continuing with the previous metadata",
				"issuer", p.o.Issuer, "error", brief(result.Err))
			return known, nil
		}
		return nil, p.unavailable(ctx, result.Err)
	}
}

func (p *Provider) ask(ctx context.Context) (*discovered, error) {
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, p.client), p.o.Issuer)
	if err != nil {
		return nil, err
	}
	e := provider.Endpoint()
	if e.AuthURL == "" || e.TokenURL == "" {
		return nil, errors.New("the metadata of the provider lacks the authorization or token endpoint")
	}
	var about struct {
		Methods []string `json:"token_endpoint_auth_methods_supported"`
		SignOut string   `json:"end_session_endpoint"`
	}
	if err := provider.Claims(&about); err != nil {
		return nil, err
	}
	// Providers accept the secret in the header unless they announce otherwise (Discovery 1.0, section 3).
	// Trying both ways would use up the code.
	e.AuthStyle = oauth2.AuthStyleInHeader
	if p.o.ClientSecret == "" || len(about.Methods) > 0 && !slices.Contains(about.Methods, "client_secret_basic") {
		e.AuthStyle = oauth2.AuthStyleInParams
	}
	// The provider announces the signature algorithms. The library rejects "none" and those with a shared
	// secret. It fetches the keys again if a key is unknown.
	d := &discovered{provider: provider, endpoint: e, until: p.o.Now().Add(knownFor),
		verifier: provider.Verifier(&oidc.Config{ClientID: p.o.ClientID, Now: p.o.Now})}
	if to, err := url.Parse(about.SignOut); err == nil && to.Host != "" && (to.Scheme == "https" || to.Scheme == "http") {
		d.signOut = to
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known = d
	return d, nil
}

// exchangeFailed distinguishes an unavailable provider, one that rejects this server, and an invalid code.
func (p *Provider) exchangeFailed(ctx context.Context, err error) error {
	refused, ok := errors.AsType[*oauth2.RetrieveError](err)
	switch {
	case !ok || refused.Response.StatusCode >= http.StatusInternalServerError || refused.Response.StatusCode == http.StatusTooManyRequests:
		return p.unavailable(ctx, err)
	case refused.ErrorCode == "invalid_client" || refused.ErrorCode == "unauthorized_client" || refused.Response.StatusCode == http.StatusUnauthorized:
		p.o.Log.ErrorContext(ctx, "the OpenID Connect provider does not accept this server: check --oidc-client-id and --oidc-client-secret",
			"issuer", p.o.Issuer, "error", brief(err))
		return later(domain.Wrap(domain.Unavailable, "The sign-in provider does not accept this site. Its operator has to look into that", err))
	}
	return p.refuse(ctx, err)
}

// unavailable returns the error for an unavailable provider.
func (p *Provider) unavailable(ctx context.Context, cause error) error {
	p.o.Log.WarnContext(ctx, "the OpenID Connect provider is unavailable", "issuer", p.o.Issuer, "error", brief(cause))
	return later(domain.Wrap(domain.Unavailable, "The sign-in provider does not answer just now: try again in a moment, or sign in another way", cause))
}

// refuse returns the error for an invalid response of the provider.
func (p *Provider) refuse(ctx context.Context, cause error) error {
	p.o.Log.WarnContext(ctx, "rejected a sign-in with OpenID Connect", "issuer", p.o.Issuer, "error", brief(cause))
	return domain.Wrap(domain.Forbidden, "The sign-in provider's answer could not be confirmed: start again", cause)
}

func later(e *domain.Error) error {
	e.Wait = retryAfter
	return e
}

// brief shortens an error for the log, because some providers return whole pages.
func brief(err error) string {
	const most = 300
	if s := err.Error(); len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return err.Error()
}

// limited limits the size of responses.
type limited struct{ next http.RoundTripper }

func (l limited) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := l.next.RoundTrip(r)
	if err == nil {
		response.Body = http.MaxBytesReader(nil, response.Body, maxAnswer)
	}
	return response, err
}
