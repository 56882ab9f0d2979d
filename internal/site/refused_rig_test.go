package site_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/site/catalog"
)

// refusal is a form that is refused. A status of 422 shows the form again, with the reason at a
// field, or at the top if field is empty. Other statuses, and the field -, show an error page with
// the reason.
type refusal struct {
	by, path string
	status   int
	field    string
	why      string   // id of a text of the catalogue, or the reason in English
	form     []string // pairs of name and value
}

// long returns a text of n characters.
func long(n int) string { return strings.Repeat("é", n) }

// desk is a server with one item of each kind that has a form. Olga operates the server. Ada owns
// the channels moss (public) and fern (private) and the group guild; bob collaborates on moss; eve
// owns the private channel rust. Mia has a password and confirmed it just now. Paths contain the
// ids of items as in {block}.
type desk struct {
	*apptest.Rig
	t        *testing.T
	ids      map[string]string
	browsers map[string]*browser
}

func newDesk(t *testing.T, r *apptest.Rig) *desk {
	t.Helper()
	d := &desk{Rig: r, t: t, ids: map[string]string{}, browsers: map[string]*browser{"": newBrowser(t, r)}}
	for _, name := range []string{"olga", "ada", "bob", "eve"} {
		r.Person(name) // the first one operates the server
		d.browsers[name] = entered(t, r, name)
	}
	d.browsers["mia"] = member(t, r, "mia")
	keep := func(name string, id int64) int64 { d.ids[name] = fmt.Sprint(id); return id }
	for _, name := range []string{"olga", "ada", "bob", "eve"} {
		keep(name, int64(r.Person(name).ID))
	}
	moss, fern, rust := keep("moss", r.Channel("ada", "Moss", "public")), keep("fern", r.Channel("ada", "Fern", "private")), keep("rust", r.Channel("eve", "Rust", "private"))
	keep("closed", r.Channel("eve", "Shed", "closed"))
	r.Collaborate("ada", moss, "bob")
	block := keep("block", r.Block("ada", "A text", moss))
	keep("bobs", r.Block("bob", "By bob", moss))
	keep("secret", r.Block("eve", "Secret", rust))
	keep("second", r.Connect("ada", "Block", block, fern))
	keep("connection", r.Get("ada", "/v3/channels/%d/contents", moss).Int("data.1.connection.id"))
	keep("theirs", r.Get("eve", "/v3/channels/%d/contents", rust).Int("data.0.connection.id"))
	keep("comment", r.Do("ada", "POST", fmt.Sprintf("/v3/blocks/%d/comments", block), map[string]any{"body": "Ada's remark"}).Want(201).Int("id"))
	group := keep("guild", int64(r.Group("Guild", "ada", "bob")))
	r.Exec("UPDATE groups SET slug = 'guild' WHERE id = $1", group)
	d.ids["app"] = d.browsers["ada"].post("/oauth/applications", "name", "App", "kind", "confidential").want(200).find(`/oauth/applications/(\d+)`)
	d.browsers["olga"].post("/operator/pages", "do", "save", "title", "About", "slug", "about", "body", "Who").leads("/operator/pages")
	d.browsers["bob"].post(d.at("/report/block/{block}"), "reason", "spam").want(303)
	d.browsers["olga"].get("/operator/reports").want(200)
	d.ids["case"] = d.browsers["olga"].get("/operator/reports").find(`href="/operator/reports/(\d+)"`)
	r.WorkJobs()
	for _, b := range d.browsers { // whose first pages show notes
		b.get("/").want(200)
	}
	return d
}

// at replaces names of items in a text by their ids.
func (d *desk) at(text string) string {
	d.t.Helper()
	return regexp.MustCompile(`\{\w+\}`).ReplaceAllStringFunc(text, func(name string) string {
		id, ok := d.ids[strings.Trim(name, "{}")]
		if !ok {
			d.t.Fatalf("there is no %s", name)
		}
		return id
	})
}

// sent replaces names of items in the values of a form by their ids.
func (d *desk) sent(form []string) []string {
	out := slices.Clone(form)
	for i := range out {
		out[i] = d.at(out[i])
	}
	return out
}

// stored returns the database without the tables that record requests themselves.
func (d *desk) stored() apptest.Dump {
	d.t.Helper()
	dump := d.Dump()
	for _, table := range []string{"attempts", "sessions", "known_browsers", "once_keys", "secrets"} {
		delete(dump, table)
	}
	dump["audit_entries"] = slices.DeleteFunc(dump["audit_entries"], func(row string) bool { return strings.Contains(row, "session.refused") })
	return dump
}

// refuse sends each form in each language, and checks the answers. The forms change nothing.
func (d *desk) refuse(all []refusal) {
	d.t.Helper()
	for _, f := range all {
		before := d.stored()
		for _, lang := range catalog.New().Languages {
			d.Clock.Advance(time.Second) // forms are limited per minute
			b := d.browsers[f.by]
			b.header.Set("Accept-Language", lang.Code)
			form := d.sent(f.form)
			p := b.post(d.at(f.path), form...)
			b.header.Del("Accept-Language")
			what := fmt.Sprintf("%s by %q in %s with %.120q", p.from, f.by, lang.Code, form)
			if p.status != f.status {
				d.t.Errorf("%s: %d, want %d: %s", what, p.status, f.status, bare(p.body))
				continue
			}
			want := reason(d.t, lang, f.why)
			if f.status != http.StatusUnprocessableEntity || f.field == "-" {
				if !strings.Contains(bare(p.body), strings.TrimSuffix(want, ".")) {
					d.t.Errorf("%s: %q lacks %q", what, bare(p.body), want)
				}
				continue
			}
			if got := p.complaint(f.field); got != want {
				d.t.Errorf("%s: %q at the field %q, want %q: %s", what, got, f.field, want, bare(p.body))
			}
			if title := titleOf(p.doc); !strings.HasPrefix(title, lang.Text("web.title.error", "")) {
				d.t.Errorf("%s: the title %q does not report an error", what, title)
			}
			p.keeps(what, form)
		}
		if diff := before.Diff(d.stored()); len(diff) > 0 {
			d.t.Errorf("POST %s by %q with %.120q changed\n%s", f.path, f.by, f.form, strings.Join(diff, "\n"))
		}
	}
}

// reason returns a text of the catalogue as a sentence, or the translation of an error, which may
// begin with the name of a field. It fails for an error that is not translated.
func reason(t *testing.T, lang *catalog.Language, why string) string {
	t.Helper()
	if id, arg, formatted := strings.Cut(why, "|"); formatted && lang.Has(id) {
		return sentence(lang.Text(id, arg))
	} else if formatted { // an item of a list
		if lang.Fault(arg) == arg && lang.Code != "en" {
			t.Errorf("%q is not translated", arg)
		}
		return sentence(lang.Text("web.field.line", 1, lang.Fault(arg)))
	}
	if lang.Has(why) {
		return sentence(lang.Text(why))
	}
	field, text, named := strings.Cut(why, ": ")
	if !named || strings.Contains(field, " ") && !strings.HasPrefix(field, "“") {
		field, text = "", why
	}
	translated := lang.Fault(text)
	if lang.Code != "en" && translated == text {
		t.Errorf("%q is not translated", why)
	}
	if field != "" {
		return sentence(field + ": " + translated)
	}
	return sentence(translated)
}

func sentence(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if s = strings.ToUpper(string(r)) + s[n:]; !strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "?") {
		s += "."
	}
	return s
}

// titleOf returns the text of a page's <title>.
func titleOf(doc *html.Node) (title string) {
	each(doc, func(n *html.Node) {
		if n.Type == html.ElementNode && n.Data == "title" {
			title = text(n)
		}
	})
	return title
}

// complaint returns the error at a field, or that of the whole form for "".
func (p *page) complaint(field string) (found string) {
	each(p.doc, func(n *html.Node) {
		switch {
		case field == "" && attr(n, "role") == "alert":
			found = strings.Join(strings.Fields(text(n)), " ")
		case field != "" && attr(n, "id") == field+"-error":
			var visible []string
			for c := range n.ChildNodes() {
				if attr(c, "class") != "unseen" {
					visible = append(visible, strings.Fields(text(c))...)
				}
			}
			found = strings.Join(visible, " ")
		}
	})
	return found
}

// forgotten are the fields that a form does not show again: buttons, secrets, and the rest of
// forms with several lists.
var forgotten = []string{"do", "to", "password", "passkey", "once", "by", "end", "remove", "revoke", "id", "seen", "upload", "shown", "outcome", "token", "tier", "mode", "visibility", "owner"}

// keeps checks that the form shows everything that was typed into it, unless it is too long.
func (p *page) keeps(what string, form []string) {
	p.t.Helper()
	shown := map[string][]string{}
	each(p.doc, func(n *html.Node) {
		name := attr(n, "name")
		switch {
		case n.Type != html.ElementNode:
		case n.Data == "textarea":
			shown[name] = append(shown[name], text(n))
		case n.Data == "input" && (attr(n, "type") == "radio" || attr(n, "type") == "checkbox"):
			shown[name+"-offered"] = append(shown[name+"-offered"], attr(n, "value"))
			if has(n, "checked") {
				shown[name] = append(shown[name], attr(n, "value"))
			}
		case n.Data == "input":
			shown[name] = append(shown[name], attr(n, "value"))
		case n.Data == "option" && has(n, "selected"):
			name = attr(n.Parent, "name")
			shown[name] = append(shown[name], attr(n, "value"))
		}
	})
	for i := 0; i < len(form); i += 2 {
		name, value := form[i], form[i+1]
		if slices.Contains(forgotten, name) || utf8.RuneCountInString(value) > domain.MaxSlugLength || shown[name] == nil {
			continue
		}
		if name == "channel" && !slices.Contains(shown["channel-offered"], value) { // a channel that the visitor does not see
			continue
		}
		if !slices.ContainsFunc(shown[name], func(s string) bool { return strings.TrimPrefix(s, "\n") == strings.TrimSpace(value) || s == value }) {
			p.t.Errorf("%s: the field %s shows %q instead of %q", what, name, shown[name], value)
		}
	}
}

func has(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

// openSignUp lets everyone sign up.
func openSignUp(c *config.Config) { c.SignUp = "open" }

// form returns the pairs of a form.
func form(pairs ...string) []string { return pairs }
