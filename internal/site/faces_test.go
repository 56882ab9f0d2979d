package site_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/fragments"
	"vitrine/internal/heavy"
	"vitrine/internal/httpedge"
	"vitrine/internal/middleware"
	"vitrine/internal/present"
	"vitrine/internal/site"
	"vitrine/internal/site/web"
)

// Items are drawn once for each state and then cached. After any change, each reader gets the same pages from servers
// with a cache, with one so small that items are dropped from it, and without one.
func TestDrawnItemsAreNeverOutdated(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		d := newDesk(t, r)
		limiter := middleware.NewLimiter(map[string]int{"guest": 0, "free": 0, "premium": 0, "supporter": 0})
		node := func(cache *fragments.Cache) http.Handler {
			pages := site.New(web.Options{App: r.S.App, Fragments: cache, Language: "en", Now: r.Clock.Now,
				Addresses: &present.Addresses{API: apptest.Base, Site: apptest.Base, Files: apptest.Base + "/files"},
				Limiter:   limiter, Callers: httpedge.NewCallers(r.S.App, limiter, time.Now, httpedge.AtOnce{})})
			return middleware.Begin(time.Now)(middleware.Scoped(pages))
		}
		expected := node(nil)
		big, small := fragments.New(8<<20), fragments.New(10<<10)
		cached := map[string]http.Handler{"a cache": node(big), "a small cache": node(small)}
		ask := func(from http.Handler, by, path, tag string) *httptest.ResponseRecorder {
			req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, apptest.Base+path, nil)
			req.Header.Set("Accept", "text/html")
			if tag != "" {
				req.Header.Set("If-None-Match", tag)
			}
			for _, c := range d.browsers[by].cookies {
				req.AddCookie(c)
			}
			w := httptest.NewRecorder()
			from.ServeHTTP(w, req)
			return w
		}
		paths := append([]string{"/search?q=text", "/ada/fern", "/ada/moss?view=list&sort=updated", "/ada/moss?type=text", "/ada/moss?q=text"}, listed...)
		tags := map[string]string{}
		compare := func(after string, part, parts int) {
			t.Helper()
			for i, path := range paths {
				if i%parts != part && path != "/ada/moss?view=list" {
					continue
				}
				for _, by := range []string{"", "olga", "ada", "bob", "eve"} {
					path := d.at(path)
					want := ask(expected, by, path, "")
					shown := onceField.ReplaceAllString(want.Body.String(), "")
					for with, from := range cached {
						got := ask(from, by, path, "")
						if body := onceField.ReplaceAllString(got.Body.String(), ""); got.Code != want.Code || body != shown {
							t.Fatalf("after %s, with %s, %s by %q: %d %s, want %d", after, with, path, by, got.Code, unlike(body, shown), want.Code)
						}
						if tag := want.Header().Get("ETag"); got.Header().Get("ETag") != tag {
							t.Errorf("after %s, with %s, %s by %q has the ETag %s, want %s", after, with, path, by, got.Header().Get("ETag"), tag)
						}
						if tag := tags[by+path]; tag != "" && want.Code == http.StatusOK { // of the page before the change
							wantCode := http.StatusOK
							if tag == want.Header().Get("ETag") {
								wantCode = http.StatusNotModified
							}
							again := ask(from, by, path, tag)
							if again.Code != wantCode || wantCode == http.StatusOK && onceField.ReplaceAllString(again.Body.String(), "") != shown {
								t.Errorf("after %s, with %s, %s by %q: %d for a browser with the page, want %d", after, with, path, by, again.Code, wantCode)
							}
						}
					}
					tags[by+path] = want.Header().Get("ETag")
				}
			}
		}
		compare("nothing", 0, 1)
		parts := heavy.Count(8, 1) // of the pages, compared in turn
		for n, change := range d.changes(d.inside("moss", "Inner")) {
			change.do()
			r.WorkJobs()
			r.Clock.Advance(time.Second)
			compare(change.name, n%parts, parts)
		}
		r.Clock.Advance(3 * time.Hour)
		compare("three hours", 0, 1)
		if hidden := ask(cached["a cache"], "", "/ada/fern", "").Body.String(); strings.Contains(hidden, "A text") {
			t.Errorf("a guest gets %s", hidden)
		}
		if b, s := big.Stats(), small.Stats(); b.Hits == 0 || s.Hits == 0 || s.Misses <= b.Misses {
			t.Errorf("the caches were not used as expected: %+v, %+v", b, s)
		}
	}, people)
}
