package site_test

import (
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
)

// Pages are in the language that the reader chose, or else in the supported language that their
// browser prefers. If its header cannot be parsed, they are in English.
func TestLanguage(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	for header, want := range map[string]string{
		"":                                 "en",
		"de":                               "de",
		"de-AT":                            "de",
		"de-CH, de;q=0.9, en;q=0.8":        "de",
		"en, de":                           "en",
		"en;q=0.3, de;q=0.8":               "de",
		"fr, de;q=0.5, en;q=0.1":           "de",
		"fr":                               "en",
		"xx-unknown":                       "en",
		"*":                                "en",
		"de;q=0, en":                       "en",
		",;q=,,==":                         "en",
		"\x01\xff":                         "en",
		strings.Repeat("de,", 5000):        "",
		"de" + strings.Repeat("-x", 2000):  "",
		"../../etc/passwd":                 "en",
		"de\"><script>alert(1)</script>;q": "",
	} {
		b := newBrowser(t, r)
		b.header.Set("Accept-Language", header)
		p := b.get("/sign-in").want(200)
		got := p.header.Get("Content-Language")
		if want == "" { // any supported language
			want = map[string]string{"de": "de"}[got]
			if want == "" {
				want = "en"
			}
		}
		if got != want || p.find(`<html lang="([^"]*)"`) != want {
			t.Errorf("%.40q: %q, want %q", header, got, want)
		}
		p.says(map[string]string{"en": "<h1>Sign in</h1>", "de": "<h1>Anmelden</h1>"}[want])
	}
}

func TestChosenLanguage(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	b := newBrowser(t, r)
	b.header.Set("Accept-Language", "en")
	b.get("/sign-in").says(`value="de" lang="de" aria-pressed="false"`, `value="en" lang="en" aria-pressed="true"`)
	b.post("/settings/language", "language", "de", "next", "/sign-up?invite=x").leads("/sign-up?invite=x")
	b.get("/sign-in").says("<h1>Anmelden</h1>", `value="de" lang="de" aria-pressed="true"`)
	b.get("/nothing/here").want(404).says("Hier ist nichts")
	for _, bad := range []string{"fr", "DE", "de-AT", "../de", "<script>"} {
		b.post("/settings/language", "language", bad, "next", "/sign-in").want(400).says("Das Formular sagt nicht, was zu tun ist.")
	}
	b.get("/sign-in").says("<h1>Anmelden</h1>")
	b.post("/settings/language", "language", "en", "next", "//evil.example").leads("/")
	b.get("/sign-in").says("<h1>Sign in</h1>")
	for name, c := range b.cookies {
		if strings.HasSuffix(name, "vitrine-language") {
			c.Value = "tlh"
		}
	}
	b.get("/sign-in").want(200).says("<h1>Sign in</h1>")
}

// Checks that all pages of accounts and operators, and their refused forms, are valid pages in
// German too.
func TestPagesInGerman(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people, func(c *config.Config) { c.SignUp = "open" })
	operator, guest := first(t, r), newBrowser(t, r)
	member(t, r, "eve")
	operator.post("/operator/pages", "do", "save", "title", "Impressum", "slug", "imprint", "body", "Wir").leads("/operator/pages")
	operator.post("/operator/site", "do", "announce", "announcement", "# Montag geschlossen").leads("/operator/site")
	operator.header.Set("Accept-Language", "de")
	guest.header.Set("Accept-Language", "de")
	for _, at := range table {
		for _, b := range []*browser{operator, guest} {
			if at.path == "/sign-out" {
				continue
			}
			if p := b.get(at.path); strings.HasPrefix(p.header.Get("Content-Type"), "text/html") && p.header.Get("Content-Language") != "de" {
				t.Errorf("%s is in %q", p.from, p.header.Get("Content-Language"))
			}
			b.post(at.path, "name", "", "do", "save").hides("must not be", "must be", "Something went wrong")
		}
	}
}

func TestRefusalsInGerman(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	b := first(t, r)
	b.header.Set("Accept-Language", "de")
	b.post("/settings/profile", "name", " ", "bio", strings.Repeat("é", 20_001)).want(422).
		says("Darf nicht leer sein.", "Darf höchstens 20000 Zeichen haben.", "Fehler: Profil")
	b.post("/settings/password", "password", "short").want(422).says("Muss 8 bis 200 Byte lang sein.")
	b.post("/oauth/applications", "name", "x", "redirect_uris", "https://a.example/\nftp://x").want(422).says("Zeile 2: ")
	b.post("/settings/email", "email", "none").want(422).says("Muss eine Adresse wie ada@example.org sein.")
	b.post("/operator/accounts/ada", "do", "suspend").want(422).says("Sie können sich nicht selbst sperren.")
	b.post("/operator/pages", "do", "save", "title", "x", "slug", "No", "body", "x").want(422).says("Muss aus Wörtern mit Kleinbuchstaben")
	b.post("/settings/profile", "name", "Ada").leads("/settings/profile").follow().says("Ihr Profil wurde gespeichert.")
	b.get("/operator").says("Konten", "Verbindungen", "keine fehlgeschlagen")
	guest := newBrowser(t, r)
	guest.header.Set("Accept-Language", "de")
	guest.post("/sign-in", "email", "ada@example.org", "password", "wrong").want(422).says("Die Adresse oder das Passwort stimmt nicht.")
}

// The site's own language applies to browsers that accept no supported language.
func TestLanguageOfSite(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people, func(c *config.Config) { c.Language = "fr,de-AT,en" })
	for header, want := range map[string]string{"": "de", "fr": "de", "en": "en", "fr, en;q=0.1": "en"} {
		b := newBrowser(t, r)
		b.header.Set("Accept-Language", header)
		if got := b.get("/sign-in").want(200).header.Get("Content-Language"); got != want {
			t.Errorf("%q: %q, want %q", header, got, want)
		}
	}
}
