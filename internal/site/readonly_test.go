package site_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"vitrine/internal/app/operating"
	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

// postedForm is a form of a page that a browser posts.
type postedForm struct {
	to     string
	fields url.Values
	button [2]string // name and value of a button
}

// formsOf returns the forms of a page as a browser sends them unchanged, once with each button. Empty fields get a text.
func formsOf(t *testing.T, at, body string) (all []postedForm) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	attr := func(n *html.Node, key string) string {
		for _, a := range n.Attr {
			if a.Key == key {
				return a.Val
			}
		}
		return ""
	}
	for form := range doc.Descendants() {
		if form.Data != "form" || !strings.EqualFold(attr(form, "method"), "post") {
			continue
		}
		fields, buttons := url.Values{}, [][2]string{}
		for n := range form.Descendants() {
			name := attr(n, "name")
			switch {
			case n.Data == "button":
				buttons = append(buttons, [2]string{name, attr(n, "value")})
			case name == "" || attr(n, "type") == "file":
			case n.Data == "input" && slices.Contains([]string{"", "text", "search", "email"}, attr(n, "type")) && attr(n, "value") == "":
				fields.Add(name, "zz@example.org")
			case n.Data == "input":
				fields.Add(name, attr(n, "value"))
			case n.Data == "textarea" && n.FirstChild != nil:
				fields.Add(name, n.FirstChild.Data)
			case n.Data == "textarea":
				fields.Add(name, "A text")
			case n.Data == "select":
				for o := range n.Descendants() {
					if o.Data == "option" && !fields.Has(name) {
						fields.Set(name, attr(o, "value"))
					}
				}
			}
		}
		to := attr(form, "action")
		if to == "" {
			to = at
		}
		for _, b := range buttons {
			all = append(all, postedForm{to, fields, b})
		}
	}
	return all
}

// While the site is read-only, all pages work and say so, and no form of any page changes anything, even if the server does
// not know of the mode yet. Signing in and out, and ending the mode, still work.
func TestReadOnlyForms(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		d := newDesk(t, r)
		people := []string{"olga", "ada", "mia", ""}
		if _, err := r.S.App.Operating.BeginReadOnly(t.Context(), operating.CommandLine(), operating.ReadOnlyInput{Reason: "Moving <b>"}); err != nil {
			t.Fatal(err)
		}
		mode := r.S.App.Operating.Mode()
		before := d.stored()
		sent, refused := map[string]bool{}, 0
		for _, by := range people {
			b := d.browsers[by]
			for _, at := range readOnlyPages {
				r.S.Store.NoteReadOnly(mode)
				path := d.at(at)
				p := b.get(path)
				if p.status >= 500 {
					t.Errorf("%s for %q: %d %s", path, by, p.status, p.body)
				}
				if p.status != 200 || !strings.HasPrefix(p.header.Get("Content-Type"), "text/html") {
					continue
				}
				p.says("This site is read-only at the moment.", "Moving <b>")
				for _, f := range formsOf(t, path, p.body) {
					key := by + f.to + f.button[0] + f.button[1]
					if sent[key] || f.to == "/sign-out" || f.to == "/settings/language" || f.to == "/operator/read-only" || f.button[1] == "announce" || f.button[1] == "unannounce" {
						continue
					}
					sent[key] = true
					r.Clock.Advance(time.Second) // forms are limited per minute
					r.S.Store.NoteReadOnly(nil)
					if f.fields.Set("", ""); f.button[0] != "" {
						f.fields.Set(f.button[0], f.button[1])
					}
					f.fields.Del("")
					answer := b.send("POST", f.to, f.fields.Encode())
					if answer.status == 503 && answer.header.Get("Retry-After") != "" {
						refused++
					} else if answer.status >= 500 {
						t.Errorf("%s by %q: %d", f.to, by, answer.status)
					}
				}
			}
		}
		if diff := before.Diff(d.stored()); len(diff) > 0 || refused < 25 {
			t.Errorf("%d of %d forms were refused, and changed %s", refused, len(sent), strings.Join(diff, "\n"))
		}
		mia := newBrowser(t, r)
		mia.post("/sign-in", "email", "mia@example.org", "password", password).leads("/").follow().says("read-only")
		mia.post("/sign-out").want(303)
		d.browsers["olga"].post("/operator/site", "do", "announce", "announcement", "Back soon").want(303)
		d.browsers["olga"].post("/operator/read-only", "do", "off").leads("/operator/read-only")
		d.browsers["ada"].get("/").hides("read-only").says("Back soon")
		d.browsers["ada"].post("/new", "title", "After", "visibility", "public").want(303)
	}, people)
}

// readOnlyPages are pages with forms, and others that might write.
var readOnlyPages = []string{"/", "/explore", "/ada", "/ada/moss", "/ada/moss/edit", "/ada/moss/add", "/ada/moss/arrange", "/ada/moss/collaborators",
	"/block/{block}", "/block/{block}/edit", "/block/{block}/connect", "/block/{block}/delete", "/channel/{moss}/connect", "/channel/{moss}/delete",
	"/connection/{connection}", "/comments/{comment}", "/group/guild", "/group/guild/edit", "/group/guild/members", "/group/guild/delete", "/groups/new", "/new", "/save",
	"/feed", "/notifications", "/search?q=moss", "/search/saved", "/settings/profile", "/settings/email", "/settings/password", "/settings/sessions",
	"/settings/passkeys", "/settings/import", "/settings/export", "/settings/personal-access-tokens", "/settings/applications", "/settings/feeds", "/settings/notices",
	"/settings/delete", "/settings/trash", "/settings/webhooks", "/oauth/applications", "/oauth/applications/{app}", "/report/block/{block}", "/sign-in", "/sign-up", "/forgot-password",
	"/operator", "/operator/site", "/operator/pages", "/operator/pages/about", "/operator/accounts", "/operator/accounts/eve", "/operator/invitations", "/operator/sign-up",
	"/operator/reports", "/operator/reports/{case}", "/operator/hidden", "/operator/blocklist", "/operator/jobs", "/operator/read-only"}

// The operator's form checks what it gets, keeps what was typed, and is only for operators.
func TestOperatorReadOnly(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	olga, at := first(t, r), "/operator/read-only"
	olga.get(at).want(200).says("The site takes changes.")
	olga.post(at, "do", "on", "reason", strings.Repeat("x", domain.MaxReadOnlyReason+1)).want(422).says(`id="reason-error"`)
	olga.post(at, "do", "on", "reason", "Kept", "until", "soon").want(422).says(`id="until-error"`, "Kept")
	olga.post(at, "do", "on", "until", "2001-01-01T00:00").want(422).says(`id="until-error"`)
	olga.post(at, "do", "dance").want(400)
	olga.get(at).says("The site takes changes.")
	end := time.Now().Add(48 * time.Hour).UTC() // the store reads this clock
	olga.post(at, "do", "on", "reason", "Moving", "until", end.Format("2006-01-02T15:04")).leads(at).follow().says("The site is read-only.", "Moving", end.Format("2006-01-02T15:04"))
	newBrowser(t, r).get("/sign-in").says("Moving", "It is expected to take changes again on")
	p := olga.post("/new", "title", "Typed", "visibility", "public")
	if p.want(503).says("Typed", "read-only"); p.header.Get("Retry-After") != "3600" {
		t.Errorf("Retry-After is %q", p.header.Get("Retry-After"))
	}
}
