package feeds_test

import (
	"encoding/xml"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/domain"
)

type sitemapDoc struct {
	Sitemaps []string `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 sitemap>loc"`
	Pages    []struct {
		Loc     string    `xml:"loc"`
		Lastmod time.Time `xml:"lastmod"`
	} `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 url"`
}

// sitemap parses a sitemap or the index.
func sitemap(r *apptest.Rig, path string) (doc sitemapDoc) {
	r.T.Helper()
	res := get(r, path).Want(http.StatusOK)
	if err := xml.Unmarshal(res.Body, &doc); err != nil {
		r.T.Fatalf("%v in %s", err, res.Body)
	}
	same(r.T, "type", res.Header.Get("Content-Type"), "application/xml; charset=utf-8")
	return doc
}

// listed returns the pages of all sitemaps.
func listed(r *apptest.Rig) (all []string) {
	r.T.Helper()
	for _, file := range sitemap(r, "/sitemap.xml").Sitemaps {
		for _, page := range sitemap(r, strings.TrimPrefix(file, apptest.Base)).Pages {
			all = append(all, strings.TrimPrefix(page.Loc, apptest.Base))
			if page.Lastmod.IsZero() {
				r.T.Errorf("%s: no date", page.Loc)
			}
		}
	}
	return all
}

// stock creates items of all visibilities.
func stock(r *apptest.Rig) {
	group := r.Group("Engines", "ben")
	r.Channel("ada", "Open", "public")
	r.Channel("ada", "Closed", "closed")
	r.Channel("eve", "Hidden", "private")
	r.Do("ben", "POST", "/v3/channels", map[string]any{"title": "Wheels", "visibility": "public", "group_id": group}).Want(http.StatusCreated)
}

func TestSitemaps(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		same(t, "empty", len(listed(r)), 0)
		stock(r)
		same(t, "pages", listed(r), []string{"/ada/open", "/engines/wheels", "/ada", "/group/engines"})
		if n := len(r.Statements(func() { sitemap(r, "/sitemaps/channels-1.xml") })); n > 1 {
			t.Errorf("%d statements", n)
		}
		tag := get(r, "/sitemaps/channels-1.xml").Header.Get("ETag")
		get(r, "/sitemaps/channels-1.xml", "If-None-Match", tag).Want(http.StatusNotModified)
		same(t, "past the end", len(sitemap(r, "/sitemaps/channels-9.xml").Pages), 0)
		for _, path := range []string{"/sitemaps/channels-0.xml", "/sitemaps/channels-01.xml", "/sitemaps/channels--1.xml", "/sitemaps/blocks-1.xml",
			"/sitemaps/channels-99999999999999999999.xml", "/sitemaps/channels-9223372036854775807.xml", "/sitemaps/1.xml"} {
			get(r, path).Want(http.StatusNotFound)
		}
	})
}

// Sitemaps that are read in several batches list each page exactly once.
func TestSitemapStretches(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	r.Channel("ada", "Open", "public")
	r.Exec(`INSERT INTO channels (slug, title, visibility, owner_type, owner_id, user_id, created_at, updated_at)
		WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2100)
		SELECT 'c-' || i, 'C', 'public', 'User', $1, $1, 1, 1 FROM n`, int64(r.Person("ada").ID))
	seen := map[string]bool{}
	for _, page := range sitemap(r, "/sitemaps/channels-1.xml").Pages {
		seen[page.Loc] = true
	}
	same(t, "pages", len(seen), 2101)
	r.Exec(`DELETE FROM channels WHERE slug LIKE 'c-%'`)
}

func TestIndexClosed(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, func(c *config.Config) { c.IndexClosed = true })
	stock(r)
	same(t, "pages", listed(r), []string{"/ada/open", "/ada/closed", "/engines/wheels", "/ada", "/group/engines"})
}

func TestRobots(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	body := string(get(r, "/robots.txt").Want(http.StatusOK).Body)
	has(t, "robots.txt", body, "User-agent: *\n", "Disallow: /search?\n", "Disallow: /settings/\n", "Disallow: /feeds/\n", "Disallow: /v2/\n", "Disallow: /v3/\n", "\nSitemap: "+apptest.Base+"/sitemap.xml\n")
	hasNo(t, "robots.txt", body, "Disallow: /\n")
	for line := range strings.Lines(body) { // the rules must not match any page
		segment, ok := strings.CutPrefix(strings.TrimRight(line, "/$?\n"), "Disallow: /")
		if ok && !domain.ReservedSlug(segment) {
			t.Errorf("%s may be somebody's slug", segment)
		}
	}
}

// With a path prefix, all rules contain it, because operators copy them into the host's robots.txt.
func TestRobotsBelowAPath(t *testing.T) {
	t.Parallel()
	for closed, want := range map[bool]string{false: "Disallow: /vitrine/v3/\n", true: "Disallow: /vitrine/\n"} {
		r := apptest.New(t, func(c *config.Config) { c.SiteURL, c.GuestsClosed = apptest.Base+"/vitrine", closed })
		body := string(get(r, "/robots.txt").Want(http.StatusOK).Body)
		has(t, "robots.txt", body, want)
		for line := range strings.Lines(body) {
			if rule, ok := strings.CutPrefix(line, "Disallow: "); ok && !strings.HasPrefix(rule, "/vitrine/") {
				t.Errorf("a rule is for other sites of the host: %s", rule)
			}
		}
	}
}

// If guests are not allowed, robots.txt disallows everything and there is no sitemap.
func TestGuestsClosed(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, func(c *config.Config) { c.GuestsClosed, c.IndexClosed = true, true })
	stock(r)
	same(t, "robots.txt", string(get(r, "/robots.txt").Want(http.StatusOK).Body), "User-agent: *\nDisallow: /\n")
	for _, path := range []string{"/sitemap.xml", "/sitemaps/channels-1.xml", "/ada/open/feed.atom", "/ada/feed.json", "/group/engines/feed.atom",
		"/oembed?url=" + apptest.Base + "/ada/open"} {
		res := get(r, path).Want(http.StatusNotFound)
		same(t, path, string(res.Body), "There is nothing at this address\n")
	}
}
