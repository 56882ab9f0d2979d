package oauth_test

import (
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/app/accounts"
	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

// Requests with a wrong client or redirect address must not redirect the browser.
func TestNoRedirect(t *testing.T) {
	t.Parallel()
	w := newWorld(apptest.New(t))
	web, native := asks(w.web), asks(w.native)
	tests := map[string]func() accounts.AuthorizationRequest{
		"no client":            func() accounts.AuthorizationRequest { r := web; r.ClientID = ""; return r },
		"unknown client":       func() accounts.AuthorizationRequest { r := web; r.ClientID = "nobody"; return r },
		"client with NUL":      func() accounts.AuthorizationRequest { r := web; r.ClientID += "\x00"; return r },
		"client of bad UTF-8":  func() accounts.AuthorizationRequest { r := web; r.ClientID = "\xff"; return r },
		"huge client":          func() accounts.AuthorizationRequest { r := web; r.ClientID = strings.Repeat("a", 1<<20); return r },
		"client of other case": func() accounts.AuthorizationRequest { r := web; r.ClientID = strings.ToUpper(r.ClientID); return r },
		"several addresses":    func() accounts.AuthorizationRequest { r := web; r.RedirectURI = ""; return r },
		"client twice":         func() accounts.AuthorizationRequest { r := web; r.Repeated = []string{"client_id"}; return r },
		"address twice":        func() accounts.AuthorizationRequest { r := web; r.Repeated = []string{"redirect_uri"}; return r },
	}
	for name, make := range tests {
		if e := refusedConsent(t, w, name, make()); e.Redirect != "" {
			t.Errorf("%s: sent to %s", name, e.Redirect)
		}
	}
	for _, uri := range []string{
		"https://app.test/back", back + "&c=d", "https://app.test/Back?a=b", "https://app.test/back/?a=b", "https://app.test/x/../back?a=b",
		"https://app.test:443/back?a=b", "http://app.test/back?a=b", "https://app.test.evil.test/back?a=b", "https://app.test@evil.test/back?a=b",
		"https://evil@app.test/back?a=b", "https://app.test\\@evil.test/back?a=b", "https://app.test./back?a=b", "https://app%2etest/back?a=b",
		back + "#x", back + "\x00", back + "\n", "javascript:alert(1)//" + back, "//app.test/back?a=b", "/back?a=b", domain.OutOfBand,
	} {
		r := web
		r.RedirectURI = uri
		if e := refusedConsent(t, w, uri, r); e.Redirect != "" {
			t.Errorf("%q: sent to %s", uri, e.Redirect)
		}
	}
	for _, uri := range []string{
		"http://localhost:4711/back", "http://[::1]:4711/back", "http://localhost.evil.test/back", "http://127.0.0.1:80@evil.test/back",
		"http://127.0.0.1.evil.test/back", "http://127.0.0.1:4711/back?x", "http://127.0.0.1:4711/", "https://127.0.0.1:4711/back",
		"http://127.0.0.1:0/back", "http://127.0.0.1:99999/back", "http://good@127.0.0.1:1/back", "http://127.0.0.1:1\\@evil.test/back",
	} {
		r := native
		r.RedirectURI = uri
		if e := refusedConsent(t, w, uri, r); e.Redirect != "" {
			t.Errorf("%q: sent to %s", uri, e.Redirect)
		}
	}
}

// refusedConsent checks that a request is rejected in all three ways, and changes nothing.
func refusedConsent(t *testing.T, w *world, name string, r accounts.AuthorizationRequest) *accounts.OAuthError {
	t.Helper()
	who := w.actor("ada")
	before := w.Dump()
	_, first := w.S.App.Accounts.Authorization(t.Context(), who, r)
	_, second := w.S.App.Accounts.Allow(t.Context(), who, r)
	_, third := w.S.App.Accounts.Deny(t.Context(), who, r)
	e := oauthError(t, name, first)
	for _, err := range []error{second, third} {
		if got := oauthError(t, name, err); *got != *e {
			t.Errorf("%s: %v, but %v when asked", name, got, e)
		}
	}
	if diff := before.Diff(w.Dump()); len(diff) > 0 {
		t.Errorf("%s changed %v", name, diff)
	}
	return e
}

// Errors that are reported to the client by redirect.
func TestRedirectedErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(apptest.New(t))
	type change = func(r *accounts.AuthorizationRequest)
	tests := map[string]struct {
		of     client
		change change
		code   string
		state  bool
	}{
		"no response type":     {w.web, func(r *accounts.AuthorizationRequest) { r.ResponseType = "" }, "invalid_request", true},
		"implicit":             {w.web, func(r *accounts.AuthorizationRequest) { r.ResponseType = "token" }, "unsupported_response_type", true},
		"hybrid":               {w.web, func(r *accounts.AuthorizationRequest) { r.ResponseType = "code token" }, "unsupported_response_type", true},
		"form_post":            {w.web, func(r *accounts.AuthorizationRequest) { r.ResponseMode = "form_post" }, "invalid_request", true},
		"fragment":             {w.web, func(r *accounts.AuthorizationRequest) { r.ResponseMode = "fragment" }, "invalid_request", true},
		"scope twice":          {w.web, func(r *accounts.AuthorizationRequest) { r.Repeated = []string{"scope"} }, "invalid_request", true},
		"state twice":          {w.web, func(r *accounts.AuthorizationRequest) { r.Repeated = []string{"state"} }, "invalid_request", false},
		"huge state":           {w.web, func(r *accounts.AuthorizationRequest) { r.State = strings.Repeat("s", 4097) }, "invalid_request", false},
		"state of bad UTF-8":   {w.web, func(r *accounts.AuthorizationRequest) { r.State = "\xff" }, "invalid_request", false},
		"state with NUL":       {w.web, func(r *accounts.AuthorizationRequest) { r.State = "a\x00" }, "invalid_request", false},
		"public without PKCE":  {w.native, func(r *accounts.AuthorizationRequest) { r.CodeChallenge, r.CodeChallengeMethod = "", "" }, "invalid_request", true},
		"plain":                {w.native, func(r *accounts.AuthorizationRequest) { r.CodeChallengeMethod = "plain" }, "invalid_request", true},
		"plain by default":     {w.native, func(r *accounts.AuthorizationRequest) { r.CodeChallengeMethod = "" }, "invalid_request", true},
		"method of other case": {w.native, func(r *accounts.AuthorizationRequest) { r.CodeChallengeMethod = "s256" }, "invalid_request", true},
		"method alone":         {w.web, func(r *accounts.AuthorizationRequest) { r.CodeChallengeMethod = "S256" }, "invalid_request", true},
		"plain, confidential": {w.web, func(r *accounts.AuthorizationRequest) {
			r.CodeChallenge, r.CodeChallengeMethod = verifier, "plain"
		}, "invalid_request", true},
		"short challenge": {w.native, func(r *accounts.AuthorizationRequest) { r.CodeChallenge = r.CodeChallenge[1:] }, "invalid_request", true},
		"challenge of others": {w.native, func(r *accounts.AuthorizationRequest) {
			r.CodeChallenge = strings.Repeat("=", 43)
		}, "invalid_request", true},
	}
	for name, c := range tests {
		r := asks(c.of)
		c.change(&r)
		e := refusedConsent(t, w, name, r)
		u, err := url.Parse(e.Redirect)
		if err != nil || !strings.HasPrefix(e.Redirect, r.RedirectURI) {
			t.Errorf("%s: sent to %q", name, e.Redirect)
			continue
		}
		q := u.Query()
		if e.Code != c.code || q.Get("error") != c.code || q.Get("error_description") == "" || q.Get("iss") != apptest.Base || q.Has("code") {
			t.Errorf("%s: %s %v", name, e.Code, q)
		}
		if got := q.Get("state"); c.state && got != r.State || !c.state && q.Has("state") {
			t.Errorf("%s: state %q", name, got)
		}
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		ctx, ada := t.Context(), w.actor("ada")
		r := asks(w.web)
		c, err := w.S.App.Accounts.Authorization(ctx, domain.Actor{}, r)
		if err != nil || c.Application.Name != "Web" || c.Scope != domain.ScopeWrite || c.RedirectURI != back || c.State != r.State || c.Granted {
			t.Errorf("%+v, %v", c, err)
		}
		denied, err := w.S.App.Accounts.Deny(ctx, ada, r)
		if want := back + "&error=access_denied&error_description=The+user+has+not+allowed+this&iss=https%3A%2F%2Fvitrine.test&state=s+t%26a%3Dt"; denied != want || err != nil {
			t.Errorf("%s, %v", denied, err)
		}
		allowed, err := w.S.App.Accounts.Allow(ctx, ada, r)
		u, bad := url.Parse(allowed)
		if err != nil || bad != nil || !strings.HasPrefix(allowed, back+"&code=vitrine_cod_") || u.Query().Get("state") != r.State || u.Query().Get("iss") != apptest.Base {
			t.Errorf("%s, %v", allowed, err)
		}
		read := r
		read.Scope = ""
		for _, again := range []accounts.AuthorizationRequest{r, read} {
			if c, err = w.S.App.Accounts.Authorization(ctx, ada, again); err != nil || !c.Granted {
				t.Errorf("not granted: %+v, %v", c, err)
			}
		}
		if c, err = w.S.App.Accounts.Authorization(ctx, w.actor("bob"), r); err != nil || c.Granted {
			t.Errorf("granted by another: %+v, %v", c, err)
		}
		for _, who := range []domain.Actor{{}, {UserID: ada.UserID, ApplicationID: w.web.ID, Scope: domain.ScopeWrite}} {
			if to, err := w.S.App.Accounts.Allow(ctx, who, r); err == nil {
				t.Errorf("%+v allowed it: %s", who, to)
			}
		}
		grants, err := w.S.App.Accounts.Grants(ctx, ada)
		if err != nil || len(grants) != 1 || grants[0].Scope != domain.ScopeWrite || grants[0].Application.ClientID != w.web.ClientID {
			t.Errorf("%+v, %v", grants, err)
		}
	})
}

// For a client without a redirect address, a page displays the code.
func TestOutOfBand(t *testing.T) {
	t.Parallel()
	w := newWorld(apptest.New(t))
	c := w.register("grace", accounts.ApplicationInput{Name: "Printer", RedirectURIs: []string{domain.OutOfBand}})
	r := asks(c)
	r.State = ""
	w.post(tokenPath, exchanges(c, r, w.code("ada", r))).Want(200)
	if to, err := w.S.App.Accounts.Deny(t.Context(), w.actor("ada"), r); to != "" || err != nil {
		t.Errorf("%q, %v", to, err)
	}
	r.ResponseMode = "form_post"
	if e := refusedConsent(t, w, "response mode", r); e.Redirect != "" || e.Code != "invalid_request" {
		t.Errorf("%+v", e)
	}
}
