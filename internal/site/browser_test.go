package site_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"vitrine/internal/app/accounts"
	"vitrine/internal/apptest"
	"vitrine/internal/auth"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

const password = "a good long one"

// people configures the accounts of a typical server.
func people(c *config.Config) { c.DefaultTier = "supporter" }

// browser sends requests like a browser without scripts: it keeps cookies, sends the origin of
// forms, and follows redirects on request.
type browser struct {
	t       *testing.T
	handler http.Handler
	base    string
	cookies map[string]*http.Cookie
	header  http.Header // sent with every request
}

func newBrowser(t *testing.T, r *apptest.Rig) *browser {
	t.Helper()
	return &browser{t: t, handler: r.S.Handler(), base: apptest.Base, cookies: map[string]*http.Cookie{}, header: http.Header{}}
}

// page is a response of the website.
type page struct {
	t       *testing.T
	from    string // method and address
	status  int
	header  http.Header
	body    string
	doc     *html.Node
	browser *browser
}

func (b *browser) get(path string) *page {
	b.t.Helper()
	return b.send(http.MethodGet, path, "")
}

// post sends a form, given as pairs of name and value.
func (b *browser) post(path string, pairs ...string) *page {
	b.t.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Add(pairs[i], pairs[i+1])
	}
	return b.send(http.MethodPost, path, form.Encode())
}

func (b *browser) send(method, path, body string) *page {
	b.t.Helper()
	at, _, _ := strings.Cut(path, "#") // the fragment is not sent
	req := httptest.NewRequestWithContext(b.t.Context(), method, b.base+at, strings.NewReader(body))
	req.Header.Set("Accept", "text/html,application/xhtml+xml")
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Sec-Fetch-Site", "same-origin")
		req.Header.Set("Origin", b.base)
	}
	for name, values := range b.header {
		req.Header[name] = values
	}
	for _, c := range b.cookies {
		req.AddCookie(c)
	}
	w := httptest.NewRecorder()
	b.handler.ServeHTTP(w, req)
	res := w.Result()
	for _, c := range res.Cookies() {
		if b.cookies[c.Name] = c; c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		}
	}
	p := &page{t: b.t, from: method + " " + path, status: res.StatusCode, header: res.Header, body: w.Body.String(), browser: b}
	foreign := strings.HasPrefix(res.Header.Get("Content-Security-Policy"), "sandbox;") // a saved copy of another site's page
	if method != http.MethodHead && !foreign && strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
		p.wellFormed()
	}
	return p
}

// want fails the test if the status is another.
func (p *page) want(status int) *page {
	p.t.Helper()
	if p.status != status {
		p.t.Fatalf("%s: %d, want %d: %s", p.from, p.status, status, p.body)
	}
	return p
}

// leads expects a redirect to an address with GET.
func (p *page) leads(to string) *page {
	p.t.Helper()
	if got := p.want(http.StatusSeeOther).header.Get("Location"); got != to {
		p.t.Fatalf("%s leads to %q, want %q", p.from, got, to)
	}
	return p
}

// follow follows a redirect.
func (p *page) follow() *page {
	p.t.Helper()
	return p.browser.get(p.want(http.StatusSeeOther).header.Get("Location"))
}

// says expects texts on the page.
func (p *page) says(texts ...string) *page {
	p.t.Helper()
	read := html.UnescapeString(p.body)
	for _, text := range texts {
		if !strings.Contains(read, text) {
			p.t.Errorf("%s does not say %q: %s", p.from, text, p.body)
		}
	}
	return p
}

// hides expects texts to be absent from the page.
func (p *page) hides(texts ...string) *page {
	p.t.Helper()
	for _, text := range texts {
		if strings.Contains(html.UnescapeString(p.body), text) {
			p.t.Errorf("%s says %q", p.from, text)
		}
	}
	return p
}

// find returns the match of a pattern's group in the page.
func (p *page) find(pattern string) string {
	p.t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(html.UnescapeString(p.body))
	if m == nil {
		p.t.Fatalf("%s has no %s: %s", p.from, pattern, p.body)
	}
	return m[1]
}

// secret returns the secret that the page shows once.
func (p *page) secret() string {
	p.t.Helper()
	return p.find(`not shown again\.</p>\s*<code class="secret">([^<]+)</code>`)
}

// link returns the address of a link to a page that redirects to another.
func (p *page) link(to string) (next string) {
	p.t.Helper()
	u, err := url.Parse(p.find(`href="(` + regexp.QuoteMeta(to) + `\?[^"]+)"`))
	if err != nil {
		p.t.Fatal(err)
	}
	return u.Query().Get("next")
}

// first creates the first account of a server, the operator, and signs it in.
func first(t *testing.T, r *apptest.Rig) *browser {
	t.Helper()
	b := newBrowser(t, r)
	b.post("/sign-up", "name", "Ada", "slug", "ada", "email", "ada@example.org", "password", password).leads("/")
	return b
}

// member creates an account and signs it in.
func member(t *testing.T, r *apptest.Rig, name string) *browser {
	t.Helper()
	account(t, r, name)
	b := newBrowser(t, r)
	b.post("/sign-in", "email", name+"@example.org", "password", password).leads("/")
	return b
}

// session signs in a member of the cast, and returns the session's secret.
func session(t *testing.T, r *apptest.Rig, name string) string {
	t.Helper()
	secret, hash, _ := auth.NewToken(auth.Session)
	id, now := r.Person(name).ID, time.Now()
	if err := r.S.Store.InTx(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Account().CreateSession(t.Context(), domain.Session{UserID: id, CreatedAt: now, ExpiresAt: now.AddDate(10, 0, 0)}, hash)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return secret
}

// entered returns the browser of a signed-in member of the cast.
func entered(t *testing.T, r *apptest.Rig, name string) *browser {
	t.Helper()
	b := newBrowser(t, r)
	b.cookies["__Host-vitrine"] = &http.Cookie{Name: "__Host-vitrine", Value: session(t, r, name)}
	return b
}

func account(t *testing.T, r *apptest.Rig, name string) domain.User {
	t.Helper()
	u, err := r.S.App.Accounts.CreateUser(t.Context(), accounts.CreateUserInput{Slug: name, Name: strings.ToUpper(name[:1]) + name[1:],
		Email: name + "@example.org", Password: password, Tier: domain.TierSupporter})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// mailed returns the path of the link in the newest mail to an address.
func mailed(t *testing.T, r *apptest.Rig, to string) string {
	t.Helper()
	r.WorkJobs()
	var found string
	for _, m := range r.Outbox() {
		if m.To == to {
			if link := regexp.MustCompile(regexp.QuoteMeta(apptest.Base) + `(/\S+)`).FindStringSubmatch(m.Text); link != nil {
				found = link[1]
			}
		}
	}
	if found == "" {
		t.Fatalf("no link was mailed to %s: %+v", to, r.Outbox())
	}
	return found
}
