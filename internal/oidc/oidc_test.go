package oidc_test

import (
	"log/slog"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/oidc"
	"vitrine/internal/oidc/oidctest"
)

const callback = "https://vitrine.test/sign-in/sso/callback"

// clock is a clock that tests can set.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func rig(t *testing.T, change func(*oidc.Options)) (*oidc.Provider, *oidctest.Provider, *clock) {
	t.Helper()
	c := &clock{now: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)}
	fake := oidctest.New(t, c.Now)
	o := oidc.Options{Issuer: fake.Issuer(), ClientID: oidctest.ClientID, ClientSecret: oidctest.ClientSecret, RedirectURL: callback,
		Scopes: []string{"openid", "profile", "email"}, Now: c.Now, Log: slog.New(slog.DiscardHandler)}
	if change != nil {
		change(&o)
	}
	return oidc.New(o), fake, c
}

// signIn runs a complete sign-in.
func signIn(t *testing.T, p *oidc.Provider, fake *oidctest.Provider) (oidc.Identity, error) {
	t.Helper()
	a := oidc.NewAttempt()
	to, err := p.Begin(t.Context(), a, false)
	if err != nil {
		return oidc.Identity{}, err
	}
	back, err := url.Parse(fake.Visit(to))
	if err != nil {
		t.Fatal(err)
	}
	if q := back.Query(); !strings.HasPrefix(back.String(), callback+"?") || q.Get("state") != a.State {
		t.Fatalf("the provider redirects to %s", back)
	}
	return p.Finish(t.Context(), a, back.Query().Get("code"))
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	p, fake, _ := rig(t, func(o *oidc.Options) { o.GroupsClaim = "groups" })
	fake.Is("1", "email", "Ada@Example.org", "name", "Ada", "preferred_username", "ada", "groups", []string{"staff", "all"})
	got, err := signIn(t, p, fake)
	want := oidc.Identity{Issuer: fake.Issuer(), Subject: "1", Email: "Ada@Example.org", Verified: true, Name: "Ada", Username: "ada", Groups: []string{"staff", "all"}}
	if at := got.AuthTime; at.IsZero() {
		t.Error("the time of the sign-in is unknown")
	} else {
		want.AuthTime = at
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	if n := fake.Asked("/.well-known/openid-configuration"); n != 1 {
		t.Errorf("the provider was asked %d times how it is reached", n)
	}
}

func TestClaims(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		claim  string
		who    []any
		groups []string
		unsure bool
		proved bool
	}{
		"verified as text":  {"groups", []any{"email", "a@b.c", "email_verified", "true"}, nil, false, true},
		"not verified":      {"groups", []any{"email", "a@b.c", "email_verified", false}, nil, false, false},
		"verified by what?": {"groups", []any{"email", "a@b.c", "email_verified", 1}, nil, false, false},
		"one group as text": {"groups", []any{"email", "a@b.c", "groups", "staff"}, []string{"staff"}, false, true},
		"no list of groups": {"groups", []any{"email", "a@b.c", "groups", 7}, nil, false, true},
		"a path":            {"realm_access.roles", []any{"email", "a@b.c", "realm_access", map[string]any{"roles": []string{"x"}}}, []string{"x"}, false, true},
		"a name with dots":  {"https://x.y/groups", []any{"email", "a@b.c", "https://x.y/groups", []string{"x"}}, []string{"x"}, false, true},
		"too many to tell":  {"groups", []any{"email", "a@b.c", "_claim_names", map[string]string{"groups": "src1"}, "_claim_sources", map[string]any{"src1": map[string]string{"endpoint": "https://x.y"}}}, nil, true, true},
	} {
		p, fake, _ := rig(t, func(o *oidc.Options) { o.GroupsClaim = tt.claim })
		fake.Is("1", tt.who...)
		got, err := signIn(t, p, fake)
		if err != nil || !reflect.DeepEqual(got.Groups, tt.groups) || got.Unsure != tt.unsure || got.Verified != tt.proved {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// Claims that the token lacks come from the UserInfo endpoint, which must return the same subject.
func TestUserInfo(t *testing.T) {
	t.Parallel()
	p, fake, _ := rig(t, nil)
	fake.Is("1", "name", "Ada")
	fake.Informs(map[string]any{"sub": "1", "email": "ada@example.org", "email_verified": true, "name": "Another"})
	got, err := signIn(t, p, fake)
	if err != nil || got.Email != "ada@example.org" || !got.Verified || got.Name != "Ada" {
		t.Errorf("%+v, %v", got, err)
	}
	fake.Informs(map[string]any{"sub": "2", "email": "eve@example.org", "email_verified": true})
	if got, err := signIn(t, p, fake); domain.KindOf(err) != domain.Forbidden {
		t.Errorf("of somebody else: %+v, %v", got, err)
	}
	fake.Is("1", "email", "mine@example.org", "email_verified", false)
	if got, err := signIn(t, p, fake); err != nil || got.Verified {
		t.Errorf("an address is verified by what is said of another: %+v, %v", got, err)
	}
}

func TestTokensNotBelieved(t *testing.T) {
	t.Parallel()
	for name, tamper := range map[string]func(header, claims map[string]any){
		"another nonce":     func(_, c map[string]any) { c["nonce"] = "x" },
		"no nonce":          func(_, c map[string]any) { delete(c, "nonce") },
		"another audience":  func(_, c map[string]any) { c["aud"] = "somebody" },
		"no audience":       func(_, c map[string]any) { delete(c, "aud") },
		"for another party": func(_, c map[string]any) { c["aud"] = []string{"vitrine", "x"}; c["azp"] = "x" },
		"another issuer":    func(_, c map[string]any) { c["iss"] = "https://evil.example" },
		"expired":           func(_, c map[string]any) { c["exp"] = c["iat"].(int64) - 1 },
		"no expiry":         func(_, c map[string]any) { delete(c, "exp") },
		"no subject":        func(_, c map[string]any) { delete(c, "sub") },
		"a long subject":    func(_, c map[string]any) { c["sub"] = strings.Repeat("x", 256) },
		"NUL in a subject":  func(_, c map[string]any) { c["sub"] = "a\x00b" },
		"not signed":        func(h, _ map[string]any) { h["alg"] = "none" },
		"a shared secret":   func(h, _ map[string]any) { h["alg"] = "HS256" },
		"another algorithm": func(h, _ map[string]any) { h["alg"] = "PS256" },
		"an unknown key":    func(h, _ map[string]any) { h["kid"] = "x" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, fake, _ := rig(t, nil)
			fake.Is("1", "email", "ada@example.org")
			if _, err := signIn(t, p, fake); err != nil {
				t.Fatalf("as it should be: %v", err)
			}
			fake.Tampers(tamper)
			if got, err := signIn(t, p, fake); domain.KindOf(err) != domain.Forbidden {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

// For an unknown key, the provider's keys are fetched again.
func TestKeysRotate(t *testing.T) {
	t.Parallel()
	p, fake, _ := rig(t, nil)
	fake.Is("1", "email", "ada@example.org")
	for range 3 {
		if _, err := signIn(t, p, fake); err != nil {
			t.Fatal(err)
		}
		fake.Rotate()
	}
	if n := fake.Asked("/keys"); n != 3 {
		t.Errorf("the keys were asked for %d times", n)
	}
}

func TestCodes(t *testing.T) {
	t.Parallel()
	p, fake, _ := rig(t, nil)
	fake.Is("1", "email", "ada@example.org")
	a := oidc.NewAttempt()
	to, err := p.Begin(t.Context(), a, false)
	if err != nil {
		t.Fatal(err)
	}
	back, _ := url.Parse(fake.Visit(to))
	code := back.Query().Get("code")
	other := oidc.NewAttempt()
	other.Nonce = a.Nonce
	if _, err := p.Finish(t.Context(), other, code); domain.KindOf(err) != domain.Forbidden {
		t.Errorf("a code without its verifier: %v", err)
	}
	if _, err := p.Finish(t.Context(), a, code); domain.KindOf(err) != domain.Forbidden {
		t.Errorf("a code for the second time: %v", err)
	}
}

// If the provider is unavailable, a sign-in fails and the next one tries again. Its cached metadata is used.
func TestAway(t *testing.T) {
	t.Parallel()
	p, fake, c := rig(t, nil)
	fake.Is("1", "email", "ada@example.org")
	fake.Away(true)
	for range 2 {
		if _, err := p.Begin(t.Context(), oidc.NewAttempt(), false); domain.KindOf(err) != domain.Unavailable {
			t.Fatalf("away: %v", err)
		}
	}
	fake.Away(false)
	if _, err := signIn(t, p, fake); err != nil {
		t.Fatal(err)
	}
	a := oidc.NewAttempt()
	to, err := p.Begin(t.Context(), a, false)
	if err != nil {
		t.Fatal(err)
	}
	back, _ := url.Parse(fake.Visit(to))
	fake.Away(true)
	if _, err := p.Finish(t.Context(), a, back.Query().Get("code")); domain.KindOf(err) != domain.Unavailable {
		t.Errorf("away when the code is exchanged: %v", err)
	}
	c.advance(2 * time.Hour)
	if _, err := p.Begin(t.Context(), a, false); err != nil {
		t.Errorf("what it said is forgotten: %v", err)
	}
	fake.Away(false)
	fake.Rotate()
	fake.Answers(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/keys" {
			w.WriteHeader(http.StatusBadGateway)
		}
		return r.URL.Path == "/keys"
	})
	if _, err := signIn(t, p, fake); domain.KindOf(err) != domain.Unavailable {
		t.Errorf("the keys are away: %v", err)
	}
}

func TestAnswersThatAreNone(t *testing.T) {
	t.Parallel()
	const discovery, token = "/.well-known/openid-configuration", "/token"
	for name, tt := range map[string]struct {
		path string
		kind domain.Kind
		say  func(w http.ResponseWriter)
	}{
		"another issuer": {discovery, domain.Unavailable, func(w http.ResponseWriter) { _, _ = w.Write([]byte(`{"issuer":"https://evil.example"}`)) }},
		"no endpoints":   {discovery, domain.Unavailable, func(w http.ResponseWriter) { _, _ = w.Write([]byte(`{}`)) }},
		"no JSON":        {discovery, domain.Unavailable, func(w http.ResponseWriter) { _, _ = w.Write([]byte(`<html>`)) }},
		"elsewhere":      {discovery, domain.Unavailable, func(w http.ResponseWriter) { w.Header().Set("Location", "/x"); w.WriteHeader(http.StatusFound) }},
		"without end":    {discovery, domain.Unavailable, func(w http.ResponseWriter) { flood(w) }},
		"no token":       {token, domain.Forbidden, func(w http.ResponseWriter) { json(w, `{"access_token":"x","token_type":"Bearer"}`) }},
		"no JWT":         {token, domain.Forbidden, func(w http.ResponseWriter) { json(w, `{"access_token":"x","token_type":"Bearer","id_token":"x"}`) }},
		"tokens no end":  {token, domain.Unavailable, func(w http.ResponseWriter) { flood(w) }},
		"a wrong secret": {token, domain.Unavailable, func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusUnauthorized)
			json(w, `{"error":"invalid_client"}`)
		}},
		"too many of them": {token, domain.Unavailable, func(w http.ResponseWriter) { w.WriteHeader(http.StatusTooManyRequests) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, fake, _ := rig(t, nil)
			fake.Is("1", "email", "ada@example.org")
			fake.Answers(func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == tt.path {
					tt.say(w)
				}
				return r.URL.Path == tt.path
			})
			if got, err := signIn(t, p, fake); domain.KindOf(err) != tt.kind {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

func json(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(text))
}

// flood writes a response that is too large.
func flood(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	for range 40 {
		if _, err := w.Write([]byte(strings.Repeat(" ", 64<<10))); err != nil {
			return
		}
	}
}

// A provider that is too slow counts as unavailable, and concurrent sign-ins wait only once.
func TestSlow(t *testing.T) {
	t.Parallel()
	p, fake, _ := rig(t, func(o *oidc.Options) { o.Timeout = 50 * time.Millisecond })
	release := make(chan struct{})
	defer close(release)
	fake.Answers(func(_ http.ResponseWriter, r *http.Request) bool {
		select {
		case <-release:
		case <-r.Context().Done():
		}
		return true
	})
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := p.Begin(t.Context(), oidc.NewAttempt(), false); domain.KindOf(err) != domain.Unavailable {
				t.Errorf("slow: %v", err)
			}
		})
	}
	all.Wait()
}
