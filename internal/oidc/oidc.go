// Package oidc asks an OpenID Connect provider who somebody is: the authorization code flow
// with PKCE (OpenID Connect Core 1.0, RFC 7636, RFC 9700). It keeps nothing but what the
// provider publishes of itself.
//
// Unlike what users link to, the provider's address is the operator's own setting, so it may
// well be a private one.
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
	// patience is how long one request to the provider may take.
	patience = 8 * time.Second
	// maxAnswer is how large an answer of the provider may be, in bytes.
	maxAnswer = 1 << 20
	// knownFor is how long what the provider says of itself is good. If it is away then, what
	// it said before serves on.
	knownFor = time.Hour
	// maxSubject is how many characters the name of an identity may have (Core 1.0, section 2).
	maxSubject = 255
	// again is how long a client is asked to wait where the provider is away.
	again = 10 * time.Second
)

// Options are how a provider is reached and what is asked of it.
type Options struct {
	Issuer       string // its address, which must be what it calls itself, letter for letter
	ClientID     string
	ClientSecret string
	RedirectURL  string           // ours, which the provider must know
	Scopes       []string         // openid is among them
	GroupsClaim  string           // "" asks for no groups
	Now          func() time.Time // the clock
	Log          *slog.Logger

	// Watch wraps what requests to the provider go through; nil for nothing. It sees the context of the
	// sign-in that asks, but for the provider's keys, which the library fetches for all who wait.
	Watch func(http.RoundTripper) http.RoundTripper

	// Patience is how long a request may take, where that is not the usual time.
	Patience time.Duration
}

// Provider is an OpenID Connect provider.
type Provider struct {
	o      Options
	client *http.Client

	asking singleflight.Group
	mu     sync.Mutex
	known  *discovered
}

// discovered is what the provider says of itself.
type discovered struct {
	provider *oidc.Provider
	verifier *oidc.IDTokenVerifier
	endpoint oauth2.Endpoint
	signOut  *url.URL  // RP-Initiated Logout 1.0, section 2.1; nil where there is none
	until    time.Time // when it is asked again
}

// New makes the client of a provider. Nothing is asked before somebody signs in.
func New(o Options) *Provider {
	if o.Patience == 0 {
		o.Patience = patience
	}
	var transport http.RoundTripper = http.DefaultTransport.(*http.Transport).Clone()
	if o.Watch != nil {
		transport = o.Watch(transport)
	}
	return &Provider{o: o, client: &http.Client{Timeout: o.Patience, Transport: limited{transport},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// Issuer is the provider's name, which is its address.
func (p *Provider) Issuer() string { return p.o.Issuer }

// Attempt is what one sign-in is known by: the state to the browser that began it, the nonce to
// the token that ends it, the verifier to who exchanges the code.
type Attempt struct{ State, Nonce, Verifier string }

// NewAttempt makes one of random values.
func NewAttempt() Attempt {
	return Attempt{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier()}
}

// Begin returns the URL of the provider at which an attempt begins. With again, the provider is asked to
// make people sign in even if they are signed in there. The error is Unavailable if the provider cannot be
// reached.
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

// Identity is who somebody is to the provider. Issuer and Subject name them for ever; all else
// may change, or be somebody else's tomorrow.
type Identity struct {
	Issuer   string   `json:"issuer"`
	Subject  string   `json:"subject"`
	Email    string   `json:"email"`    // as the provider writes it; "" if it does not say
	Verified bool     `json:"verified"` // the provider has verified the address
	Name     string   `json:"name"`     // "" if it does not say
	Username string   `json:"username"` // the same
	Groups   []string `json:"groups"`   // of the claim that was asked for
	Unsure   bool     `json:"unsure"`   // the provider has not told all groups

	AuthTime time.Time `json:"auth_time"` // when they signed in there, according to the ID token; zero if unknown
}

// Finish exchanges the code of an attempt for who has come. Unavailable says that the provider
// is away, or does not accept this server; Forbidden that its answer is not to be believed.
// Both are logged with their cause.
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
		return Identity{}, p.refuse(ctx, errors.New("there is no ID token in the answer"))
	}
	id, err := d.verifier.Verify(ctx, raw)
	if err != nil && strings.Contains(err.Error(), "fetching keys") { // the library keeps no more of the cause
		return Identity{}, p.away(ctx, err)
	}
	if err != nil {
		return Identity{}, p.refuse(ctx, err)
	}
	if err := p.meant(id, a); err != nil {
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

// meant checks what the library leaves to us: that a verified token is for this attempt, and
// for nobody but us.
func (p *Provider) meant(id *oidc.IDToken, a Attempt) error {
	if a.Nonce == "" || subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(a.Nonce)) == 0 {
		return errors.New("the token has another nonce")
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
		return fmt.Errorf("the token is for %q", c.Party)
	}
	return nil
}

// SignOut gives the address at which somebody signs out at the provider, who then leads back to an
// address of ours that it must know; "" where the provider has none, or is away. It names us by
// our client id: tokens are not kept, so the provider asks the person whether they mean it.
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

// discover gives what the provider says of itself, which it is asked for when it is first
// needed, after a failure, and once in a while.
func (p *Provider) discover(ctx context.Context) (*discovered, error) {
	p.mu.Lock()
	known := p.known
	p.mu.Unlock()
	if known != nil && p.o.Now().Before(known.until) {
		return known, nil
	}
	// All who wait share one request, and none of them ends it by going away.
	asked := p.asking.DoChan("", func() (any, error) { return p.ask(context.WithoutCancel(ctx)) })
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case result := <-asked:
		if result.Err == nil {
			return result.Val.(*discovered), nil
		}
		if known != nil {
			p.o.Log.WarnContext(ctx, "the OpenID Connect provider does not say how it is reached; what it said before is used",
				"issuer", p.o.Issuer, "error", brief(result.Err))
			return known, nil
		}
		return nil, p.away(ctx, result.Err)
	}
}

func (p *Provider) ask(ctx context.Context) (*discovered, error) {
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, p.client), p.o.Issuer)
	if err != nil {
		return nil, err
	}
	e := provider.Endpoint()
	if e.AuthURL == "" || e.TokenURL == "" {
		return nil, errors.New("the provider names no endpoint for authorization or tokens")
	}
	var about struct {
		Methods []string `json:"token_endpoint_auth_methods_supported"`
		SignOut string   `json:"end_session_endpoint"`
	}
	if err := provider.Claims(&about); err != nil {
		return nil, err
	}
	// Every provider takes the secret in the header unless it says otherwise (Discovery 1.0,
	// section 3). Trying both would spend the code.
	e.AuthStyle = oauth2.AuthStyleInHeader
	if p.o.ClientSecret == "" || len(about.Methods) > 0 && !slices.Contains(about.Methods, "client_secret_basic") {
		e.AuthStyle = oauth2.AuthStyleInParams
	}
	// Which algorithms may sign is the provider's word, less "none" and those with a shared
	// secret, which the library never accepts. The keys are fetched anew for one that is not known.
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

// exchangeFailed tells a provider that is away from one that refuses us, and from a code that
// is not good.
func (p *Provider) exchangeFailed(ctx context.Context, err error) error {
	refused, ok := errors.AsType[*oauth2.RetrieveError](err)
	switch {
	case !ok || refused.Response.StatusCode >= http.StatusInternalServerError || refused.Response.StatusCode == http.StatusTooManyRequests:
		return p.away(ctx, err)
	case refused.ErrorCode == "invalid_client" || refused.ErrorCode == "unauthorized_client" || refused.Response.StatusCode == http.StatusUnauthorized:
		p.o.Log.ErrorContext(ctx, "the OpenID Connect provider does not accept this server: check --oidc-client-id and --oidc-client-secret",
			"issuer", p.o.Issuer, "error", brief(err))
		return later(domain.Wrap(domain.Unavailable, "The sign-in provider does not accept this site. Its operator has to look into that", err))
	}
	return p.refuse(ctx, err)
}

// away says that the provider cannot be reached.
func (p *Provider) away(ctx context.Context, cause error) error {
	p.o.Log.WarnContext(ctx, "the OpenID Connect provider is away", "issuer", p.o.Issuer, "error", brief(cause))
	return later(domain.Wrap(domain.Unavailable, "The sign-in provider does not answer just now: try again in a moment, or sign in another way", cause))
}

// refuse says that what the provider answered is not to be believed.
func (p *Provider) refuse(ctx context.Context, cause error) error {
	p.o.Log.WarnContext(ctx, "a sign-in by OpenID Connect was not believed", "issuer", p.o.Issuer, "error", brief(cause))
	return domain.Wrap(domain.Forbidden, "The sign-in provider's answer could not be confirmed: start again", cause)
}

func later(e *domain.Error) error {
	e.Wait = again
	return e
}

// brief is an error as it is logged: providers answer with whole pages.
func brief(err error) string {
	const most = 300
	if s := err.Error(); len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return err.Error()
}

// limited bounds what the provider may answer.
type limited struct{ next http.RoundTripper }

func (l limited) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := l.next.RoundTrip(r)
	if err == nil {
		response.Body = http.MaxBytesReader(nil, response.Body, maxAnswer)
	}
	return response, err
}
