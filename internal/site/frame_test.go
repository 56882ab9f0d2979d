package site_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/domain"
)

func refOf(slug string) domain.Ref { return domain.Ref{Slug: slug} }

func TestHeaders(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people, func(c *config.Config) { c.FilesURL = "https://files.example.net:8443/x" })
	b := first(t, r)
	csp := "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; manifest-src 'self'; worker-src 'self'; img-src 'self' https://files.example.net:8443 blob:; " +
		"media-src 'self' https://files.example.net:8443 blob:; connect-src 'self' https://files.example.net:8443; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
	want := map[string]string{"Content-Security-Policy": csp, "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
		"Referrer-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin", "Cache-Control": "no-store",
		"Access-Control-Allow-Origin": ""}
	for _, p := range []*page{b.get("/settings/profile"), b.get("/settings/nothing"), b.get("/nothing"), b.get("/sign-out"),
		b.post("/settings/profile", "name", ""), b.post("/settings/profile", "name", "Ada"), newBrowser(t, r).get("/settings/email")} {
		for name, value := range want {
			if got := p.header.Get(name); got != value {
				t.Errorf("%s: %s: %q, want %q", p.from, name, got, value)
			}
		}
	}
}

func TestAssets(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	b := newBrowser(t, r)
	home := b.get("/")
	for pattern, contentType := range map[string]string{`href="(/assets/site\.[0-9a-f]+\.css)"`: "text/css; charset=utf-8",
		`src="(/assets/logo\.[0-9a-f]+\.svg)"`: "image/svg+xml"} {
		p := b.get(home.find(pattern)).want(200)
		if p.header.Get("Content-Type") != contentType || p.header.Get("Cache-Control") != "public, max-age=31536000, immutable" {
			t.Errorf("%s: %v", p.from, p.header)
		}
	}
	b.get("/assets/site.css").want(404)
	b.get("/assets/").want(404)
	b.get("/assets/../site.go").want(404)
}

// Unknown addresses get the API's error, unless a browser requests a page.
func TestUnknownAddresses(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	b := newBrowser(t, r)
	for _, path := range []string{"/nothing", "/ada", "/settings/nothing", "/settings//", "/operator/x/y", "/oauth", "/group/x", "/sign-in/x", "/settings/email/a/b",
		"/confirm/", "/invitations", "/settings/%00", "/group/%ff/invite/x", "/assets"} {
		p := b.get(path).want(404).says("Nothing here")
		if !strings.HasPrefix(p.header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: %v", path, p.header)
		}
	}
	for _, path := range []string{"/v3/nothing", "/ext/v1/nothing", "/v3", "/.well-known/nothing"} {
		if p := b.get(path).want(404); !strings.HasPrefix(p.header.Get("Content-Type"), "application/json") {
			t.Errorf("%s: %v", path, p.header)
		}
	}
	b.header.Set("Accept", "*/*")
	if p := b.get("/nothing/nothing/nothing/nothing").want(404); !strings.HasPrefix(p.header.Get("Content-Type"), "application/json") {
		t.Errorf("without text/html: %v", p.header)
	}
	if p := b.get("/settings/nothing").want(404); !strings.HasPrefix(p.header.Get("Content-Type"), "text/html") {
		t.Errorf("below the website: %v", p.header)
	}
	if p := b.post("/nothing/nothing/nothing/nothing").want(404); !strings.HasPrefix(p.header.Get("Content-Type"), "application/json") {
		t.Errorf("by POST: %v", p.header)
	}
}

// Forms of other sites have no effect, whichever header a browser sends.
func TestOtherSitesForms(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	b := first(t, r)
	for _, told := range []http.Header{
		{"Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://evil.example"}},
		{"Sec-Fetch-Site": {"same-site"}, "Origin": {"https://evil.vitrine.test"}},
		{"Sec-Fetch-Site": nil, "Origin": {"https://evil.example"}},
		{"Sec-Fetch-Site": nil, "Origin": {"null"}},
		{"Sec-Fetch-Site": {"cross-site"}, "Origin": {"null"}},
	} {
		b.header = told
		for _, path := range []string{"/settings/profile", "/sign-out", "/sign-in", "/settings/delete", "/oauth/authorize?client_id=x", "/operator/jobs"} {
			b.post(path, "name", "Mallory", "answer", "allow").want(403).says("sent from another site")
		}
	}
	b.header = http.Header{"Sec-Fetch-Site": nil, "Origin": {apptest.Base}}
	b.post("/settings/profile", "name", "Ada L.").leads("/settings/profile")
	b.header = http.Header{"Sec-Fetch-Site": nil, "Origin": nil}
	b.post("/settings/profile", "name", "Ada").leads("/settings/profile")
	b.header = http.Header{}
	if u, err := r.S.App.People.User(t.Context(), refOf("ada")); err != nil || u.Name != "Ada" {
		t.Errorf("%+v, %v", u, err)
	}
}

func TestNextStaysHere(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	account(t, r, "ada")
	for next, want := range map[string]string{
		"":                                 "/",
		"/settings/password":               "/settings/password",
		"/oauth/authorize?a=1&b=%2F%2Fx":   "/oauth/authorize?a=1&b=%2F%2Fx",
		"//evil.example":                   "/",
		"///evil.example":                  "/",
		`/\evil.example`:                   "/",
		`\/evil.example`:                   "/",
		"/\t/evil.example":                 "/",
		"/\n/evil.example":                 "/",
		"/ /evil.example":                  "/",
		"/\u00a0/evil.example":             "/",
		"https://evil.example/":            "/",
		"javascript:alert(1)":              "/",
		"evil.example":                     "/",
		"@evil.example":                    "/",
		"/x\r\nSet-Cookie: a=b":            "/",
		"/%zz":                             "/",
		"/%00":                             "/",
		"/x" + strings.Repeat("y", 10_000): "/",
	} {
		b := newBrowser(t, r)
		b.post("/sign-in", "email", "ada@example.org", "password", password, "next", next).leads(want)
		b.get("/sign-in?next=" + url.QueryEscape(next)).leads(want)
	}
}

func TestCookies(t *testing.T) {
	t.Parallel()
	for site, name := range map[string]string{"https://vitrine.test": "__Host-vitrine", "http://vitrine.test": "vitrine"} {
		r := apptest.New(t, people, func(c *config.Config) { c.SiteURL = site })
		b := first(t, r)
		c := b.cookies[name]
		if c == nil {
			t.Fatalf("%s: %v", site, b.cookies)
		}
		if !c.HttpOnly || c.Secure != strings.HasPrefix(site, "https:") || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" {
			t.Errorf("%s: %+v", site, c)
		}
		for _, c := range b.cookies {
			if !c.HttpOnly || c.Secure != strings.HasPrefix(site, "https:") {
				t.Errorf("%s: %+v", site, c)
			}
		}
	}
}

// A site below a path of another site keeps its links and redirects below it.
func TestSiteBelowPath(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people, func(c *config.Config) { c.SiteURL = "https://vitrine.test/case" })
	b := newBrowser(t, r)
	b.get("/").says(`href="/case/sign-up"`, `href="/case/assets/`)
	b.post("/sign-up", "name", "Ada", "email", "ada@example.org", "password", password, "next", "/settings/email").leads("/case/settings/email")
}

func TestBadForms(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	b := first(t, r)
	for what, body := range map[string]string{
		"NUL":           "name=a%00b",
		"no UTF-8":      "name=%ff",
		"NUL in a name": "na%00me=x",
		"bad escapes":   "name=%zz",
	} {
		if p := b.send("POST", "/settings/profile", body); p.status != 400 {
			t.Errorf("%s: %d", what, p.status)
		}
	}
	b.send("POST", "/settings/profile", "name="+strings.Repeat("x", 2<<20)).want(413)
	b.post("/settings/profile", "name", strings.Repeat("x", 256)).want(422).says("Must have at most 255 characters.")
	b.post("/settings/profile", "name", "One", "name", "Two", "bio", "x").leads("/settings/profile")
	b.header.Set("Content-Type", "application/json")
	b.send("POST", "/settings/profile", `{"name":"x"}`).want(415)
	b.header.Set("Content-Type", "multipart/form-data; boundary=x")
	b.send("POST", "/settings/email", "--x--").want(415)
	if u, err := r.S.App.People.User(t.Context(), refOf("ada")); err != nil || u.Name != "One" {
		t.Errorf("%+v, %v", u, err)
	}
}

func TestOutage(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	b := first(t, r)
	r.Break()
	p := b.get("/settings/sessions").want(503).says("The server cannot do this just now: try again in a few seconds")
	if p.header.Get("Retry-After") != "5" {
		t.Errorf("%s: %v", p.body, p.header)
	}
}
