package site_test

import (
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

// asking returns the address of the consent page for a request.
func asking(client, redirect string, more ...string) string {
	q := url.Values{"client_id": {client}, "redirect_uri": {redirect}, "response_type": {"code"}, "state": {"a b&c"},
		"code_challenge": {challenge}, "code_challenge_method": {"S256"}, "scope": {"write"}}
	for i := 0; i+1 < len(more); i += 2 {
		q.Set(more[i], more[i+1])
	}
	return "/oauth/authorize?" + q.Encode()
}

// registered registers an application for the signed-in user, and returns its client id.
func registered(b *browser, name, kind string, addresses ...string) string {
	b.t.Helper()
	p := b.post("/oauth/applications", "name", name, "kind", kind, "redirect_uris", strings.Join(addresses, "\r\n"))
	if kind == "public" {
		p = p.follow()
	}
	return p.want(200).find(`<dt>Client id</dt><dd><code class="secret">([^<]+)<`)
}

func TestConsent(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada := first(t, r)
		client := registered(ada, "<script>alert(1)</script>", "confidential", "https://app.example/back?x=1")
		account(t, r, "eve")
		eve := newBrowser(t, r)
		at := asking(client, "https://app.example/back?x=1")

		signIn := eve.get(at).want(303).header.Get("Location")
		next := eve.get(signIn).want(200).find(`name="next" value="([^"]+)"`)
		if next != at {
			t.Fatalf("after signing in: %s, want %s", next, at)
		}
		eve.post("/sign-in", "email", "eve@example.org", "password", password, "next", next).leads(at)
		p := eve.get(at).want(200).says("Allow <script>alert(1)</script>?", "an application by ada", "app.example", "Eve (eve)", "in your name")
		if csp := p.header.Get("Content-Security-Policy"); !strings.HasSuffix(csp, "; form-action 'self' https://app.example") {
			t.Errorf("policy %s", csp)
		}
		if action := p.find(`<form method="post" action="(/oauth/authorize[^"]+)">`); action != at {
			t.Errorf("the answer goes to %s, want %s", action, at)
		}
		denied := landed(t, eve.post(at, "answer", "deny"))
		if denied.Get("error") != "access_denied" || denied.Get("state") != "a b&c" || denied.Get("x") != "1" {
			t.Errorf("denied: %v", denied)
		}
		eve.get("/settings/applications").want(200).says("No application has access")
		eve.post(at, "answer", "").want(400)
		eve.post(at).want(400)
		allowed := landed(t, eve.post(at, "answer", "allow"))
		if allowed.Get("code") == "" || allowed.Get("state") != "a b&c" {
			t.Errorf("allowed: %v", allowed)
		}
		if again := landed(t, eve.post(at, "answer", "allow")); again.Get("code") == allowed.Get("code") {
			t.Error("allowing twice gives one code twice")
		}
		eve.get(at).want(200).says("You have already given this application the same access.")

		grants := eve.get("/settings/applications").want(200).says("<script>alert(1)</script>", "reading and writing")
		id := grants.find(`name="revoke" value="(\d+)"`)
		ada.post("/settings/applications", "revoke", id).want(404)
		eve.post("/settings/applications", "revoke", id).leads("/settings/applications").follow().says("The application no longer has access.")
		eve.post("/settings/applications", "revoke", id).want(404)

		newBrowser(t, r).post(at, "answer", "allow").leads("/sign-in?next=" + url.QueryEscape(at))
	}, people)
}

func landed(t *testing.T, p *page) url.Values {
	t.Helper()
	u, err := url.Parse(p.want(303).header.Get("Location"))
	if err != nil || u.Host != "app.example" || u.Path != "/back" {
		t.Fatalf("%s leads to %s", p.from, u)
	}
	return u.Query()
}

// Errors are reported only to a registered address, and before anyone signs in.
func TestConsentRefused(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	ada := first(t, r)
	client := registered(ada, "App", "confidential", "https://app.example/back")
	guest := newBrowser(t, r)
	for name, at := range map[string]string{
		"no client":            asking("nobody", "https://app.example/back"),
		"another address":      asking(client, "https://evil.example/back"),
		"another path":         asking(client, "https://app.example/back/"),
		"another host by user": asking(client, "https://app.example@evil.example/back"),
		"a script":             asking(client, "javascript:alert(1)"),
		"twice a client":       asking(client, "https://app.example/back") + "&client_id=x",
		"twice an address":     asking(client, "https://app.example/back") + "&redirect_uri=https://evil.example",
		"NUL in the client":    asking(client+"\x00", "https://app.example/back"),
		"no UTF-8 as a client": asking("\xff", "https://app.example/back"),
		"nothing":              "/oauth/authorize",
		"bad escapes":          "/oauth/authorize?client_id=%zz",
	} {
		for _, b := range []*browser{guest, ada} {
			if p := b.get(at).want(400); p.header.Get("Location") != "" {
				t.Errorf("%s leads to %s", name, p.header.Get("Location"))
			}
		}
		if p := ada.post(at, "answer", "allow").want(400); p.header.Get("Location") != "" {
			t.Errorf("%s leads to %s", name, p.header.Get("Location"))
		}
	}
	for name, tt := range map[string]struct{ at, code string }{
		"mode":        {asking(client, "https://app.example/back", "response_mode", "form_post"), "invalid_request"},
		"type":        {asking(client, "https://app.example/back", "response_type", "token"), "unsupported_response_type"},
		"plain":       {asking(client, "https://app.example/back", "code_challenge_method", "plain"), "invalid_request"},
		"scope twice": {asking(client, "https://app.example/back") + "&scope=read", "invalid_request"},
		"NUL":         {asking(client, "https://app.example/back", "state", "\x00"), "invalid_request"},
	} {
		if got := landed(t, ada.get(tt.at)).Get("error"); got != tt.code {
			t.Errorf("%s: %s, want %s", name, got, tt.code)
		}
		// Visitors who are not signed in are not redirected (RFC 9700 section 4.11.2).
		if p := guest.get(tt.at).want(400).says(tt.code); p.header.Get("Location") != "" {
			t.Errorf("%s leads who is not signed in to %s", name, p.header.Get("Location"))
		}
	}
}

// A form may redirect only to the address that receives the answer.
func TestConsentPolicy(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	ada := first(t, r)
	for address, want := range map[string]string{
		"http://127.0.0.1/back":      "http://127.0.0.1:4711",
		"http://[::1]/back":          "http:",
		"https://app.example:8443/x": "https://app.example:8443",
		"com.example.app:/oauth":     "com.example.app:",
		"obsidian://vitrine":         "obsidian:",
		domain.OutOfBand:             "",
	} {
		client := registered(ada, "App", "public", address)
		given := strings.Replace(address, "127.0.0.1/", "127.0.0.1:4711/", 1)
		csp := ada.get(asking(client, given)).want(200).header.Get("Content-Security-Policy")
		_, to, _ := strings.Cut(csp, "form-action 'self'")
		if strings.TrimSpace(to) != want {
			t.Errorf("%s: forms may lead to %q, want %q", address, to, want)
		}
	}
}

func TestConsentShowsCode(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	ada := first(t, r)
	client := registered(ada, "App", "public", domain.OutOfBand)
	at := asking(client, domain.OutOfBand)
	ada.get(at).want(200).says("Afterwards you see a code")
	shown := ada.post(at, "answer", "allow").want(200).says("Your code")
	if code := shown.find(`<code class="secret">([^<]+)<`); !strings.HasPrefix(code, "vitrine_cod_") {
		t.Errorf("code %q", code)
	}
	if h := shown.header; !strings.Contains(h.Get("Cache-Control"), "no-store") || !strings.Contains(h.Get("Content-Security-Policy"), "frame-ancestors 'none'") || h.Get("Location") != "" {
		t.Errorf("the page with the code: %v", h)
	}
	ada.post(at, "answer", "deny").want(200).says("Not allowed", "gets no access")
	ada.get(asking(client, domain.OutOfBand, "response_mode", "fragment")).want(400).says("invalid_request")
}

// If an application requests no scope, the page names the default, and exactly that scope is
// granted.
func TestConsentWithoutScope(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada := first(t, r)
		const back, writes = "https://app.example/back?x=1", "add, change and delete channels"
		client := registered(ada, "App", "confidential", back)
		settings := ada.get("/oauth/applications").find(`href="(/oauth/applications/\d+)"`)
		for2 := func(value string) {
			ada.post(settings, "do", "save", "name", "App", "redirect_uris", back, "for_v2", value).leads(settings)
		}
		for _, at := range []string{asking(client, back, "scope", ""), asking(client, back, "scope", " "),
			strings.Replace(asking(client, back), "&scope=write", "", 1)} {
			for2("no")
			page := ada.get(at).want(200).hides(writes)
			for2("yes") // while the user reads the page
			answer := page.find(`<form method="post" action="(/oauth/authorize[^"]+)">`)
			landed(t, ada.post(answer, "answer", "allow"))
			grants := ada.get("/settings/applications").want(200).says("reading").hides("reading and writing")
			ada.post("/settings/applications", "revoke", grants.find(`name="revoke" value="(\d+)"`))

			answer = ada.get(at).want(200).says(writes).find(`<form method="post" action="(/oauth/authorize[^"]+)">`)
			if got := landed(t, ada.post(answer, "answer", "allow")); got.Get("state") != "a b&c" || got.Get("code") == "" {
				t.Errorf("%v", got)
			}
			grants = ada.get("/settings/applications").want(200).says("reading and writing")
			ada.post("/settings/applications", "revoke", grants.find(`name="revoke" value="(\d+)"`))
		}
		ada.get(asking(client, back, "scope", "read")).want(200).hides(writes)
		ada.header.Set("Accept-Language", "de")
		ada.get(asking(client, back, "scope", "")).want(200).says("Kommentare hinzufügen, ändern und löschen")
	}, people)
}
