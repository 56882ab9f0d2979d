package site_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
)

// A script that posts a form receives the address in a header, and the next page shows the note.
func TestScriptsAreNotRedirected(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	b := first(t, r)
	b.header.Set("X-Follow", "none")
	p := b.post("/settings/profile", "name", "Ada").want(204)
	if to := p.header.Get("X-Location"); to != "/settings/profile" || p.header.Get("Location") != "" {
		t.Errorf("it leads to %q, %v", to, p.header)
	}
	b.header.Del("X-Follow")
	b.get("/settings/profile").says("Your profile has been saved.")
}

// The manifest contains the site's name, and shared content opens the form for saving.
func TestInstallable(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	b := first(t, r)
	home := b.get("/").says(`<link rel="manifest" href="/manifest.webmanifest">`, `data-root=""`, `data-reader="1"`)
	if home.header.Get("X-Reader") != "1" {
		t.Errorf("%s: %v", home.from, home.header)
	}
	p := b.get("/manifest.webmanifest").want(200)
	var manifest struct {
		Name  string
		Icons []struct{ Src, Type, Purpose string }
		Share struct {
			Action, Method, Enctype string
			Params                  struct {
				URL, Title, Text string
				Files            []struct {
					Name   string
					Accept []string
				}
			}
		} `json:"share_target"`
	}
	if err := json.Unmarshal([]byte(p.body), &manifest); err != nil || manifest.Name != "Vitrine" || manifest.Share.Action != "/save/share" || manifest.Share.Method != "POST" ||
		manifest.Share.Enctype != "multipart/form-data" || len(manifest.Share.Params.Files) != 1 || manifest.Share.Params.Files[0].Name != "file" || len(manifest.Icons) != 4 || p.header.Get("Content-Type") != "application/manifest+json" {
		t.Errorf("%v %v\n%s", err, p.header, p.body)
	}
	for _, icon := range manifest.Icons {
		if got := b.get(icon.Src).want(200).header.Get("Content-Type"); got != icon.Type {
			t.Errorf("%s is %s, not %s", icon.Src, got, icon.Type)
		}
	}
	if p := b.get("/favicon.ico").want(200); p.header.Get("Content-Type") != "image/x-icon" || len(p.body) < 100 {
		t.Errorf("%v", p.header)
	}
}

// The worker is requested on each visit and depends on no user. The same is true for its offline
// page.
func TestWorker(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people, func(c *config.Config) { c.SiteURL = "https://vitrine.test/case" })
	b := newBrowser(t, r)
	p := b.get("/sw.js").want(200)
	if h := p.header; h.Get("Content-Type") != "text/javascript; charset=utf-8" || h.Get("Cache-Control") != "no-cache" || h.Get("Service-Worker-Allowed") != "/case/" {
		t.Errorf("%v", h)
	}
	var site struct {
		Root, Offline string
		Assets        []string
		Largest       int64
	}
	said := p.find(`^const site = (\{.*\});`)
	if err := json.Unmarshal([]byte(said), &site); err != nil || site.Root != "/case" || site.Offline != "/case/offline" || len(site.Assets) < 10 || site.Largest <= 0 {
		t.Errorf("%v: %s", err, said)
	}
	for _, address := range site.Assets {
		b.get(strings.TrimPrefix(address, "/case")).want(200)
	}
	for _, reader := range []*browser{b, first(t, apptest.New(t, people))} {
		p := reader.get("/offline").want(200).says("data-kept-pages").hides("data-reader", "Sign out")
		if _, named := p.header["X-Reader"]; named {
			t.Errorf("%v", p.header)
		}
	}
}

// Signing out clears the browser's cache of pages.
func TestSignOutForgetsPages(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	b := first(t, r)
	if got := b.post("/sign-out").header.Get("Clear-Site-Data"); got != `"cache"` {
		t.Errorf("it clears %q", got)
	}
	b.get("/").says(`data-reader="guest"`)
}

// All styles and scripts of a page together are small, and browsers cache them forever.
func TestAssetsAreSmall(t *testing.T) {
	t.Parallel()
	const most = 60 << 10
	r := apptest.New(t)
	b := newBrowser(t, r)
	b.header.Set("Accept-Encoding", "gzip")
	addresses := regexp.MustCompile(`(?:href|src)="(/assets/[^"]+\.(?:css|js))"`).FindAllStringSubmatch(newBrowser(t, r).get("/").body, -1)
	total, seen := 0, map[string]bool{}
	for _, m := range addresses {
		if seen[m[1]] {
			continue
		}
		seen[m[1]] = true
		p := b.get(m[1]).want(200)
		if h := p.header; h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cache-Control") != "public, max-age=31536000, immutable" ||
			!strings.HasPrefix(h.Get("Content-Type"), "text/") || h.Get("Content-Encoding") != "gzip" && len(p.body) > 1024 {
			t.Errorf("%s: %v", m[1], h)
		}
		total += len(p.body)
	}
	if len(seen) < 8 || total > most {
		t.Errorf("%d files are of %d bytes, want at most %d", len(seen), total, most)
	}
	t.Logf("%d files, %d bytes", len(seen), total)
}
