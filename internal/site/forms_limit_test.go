package site_test

import (
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
)

// Forms from one address are limited per minute. Pages are not limited.
func TestFormsAreLimited(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	b := newBrowser(t, r)
	for range 240 {
		b.post("/sign-out").want(303)
	}
	if p := b.post("/sign-out").want(429).says("Try again"); p.header.Get("Retry-After") == "" {
		t.Error("it does not say when")
	}
	b.get("/sign-in").want(200)
	r.Clock.Advance(time.Minute)
	b.post("/sign-out").want(303)
}

// Text searches count as API requests: a guest's by address, separately from those of signed-in
// users. Pages without a search do not count.
func TestSearchesAreLimited(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people, func(c *config.Config) {
		c.RateLimits = map[string]int{"guest": 6, "free": 20, "premium": 20, "supporter": 8}
	})
	eve := member(t, r, "eve")
	r.Channel("ada", "Moss", "public")
	guest := newBrowser(t, r)
	for range 2 {
		for _, path := range []string{"/search?q=moss", "/explore?q=moss", "/ada/moss?q=moss"} {
			guest.get(path).want(200)
		}
	}
	for _, path := range []string{"/search?q=moss", "/explore?q=moss", "/ada/moss?q=moss"} {
		if p := guest.get(path).want(429).says("Try again in a minute"); p.header.Get("Retry-After") == "" {
			t.Errorf("%s does not say when", path)
		}
	}
	guest.get("/ada/moss").want(200)
	guest.get("/explore?q=").want(200)
	for range 8 {
		eve.get("/search?q=moss").want(200)
	}
	eve.get("/search?q=moss").want(429)
	eve.get("/ada/moss").want(200)
	r.Clock.Advance(time.Minute)
	guest.get("/search?q=moss").want(200)
	eve.get("/search?q=moss").want(200)
}

// Requests by programs are limited by address too, and refused with a line of text.
func TestFetchesAreLimited(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	for range 600 {
		r.Do("", "GET", "/robots.txt", nil).Want(200)
	}
	r.Channel("ada", "Moss", "public")
	for _, path := range []string{"/robots.txt", "/ada/moss/feed.atom", "/oembed?url=x", "/sitemap.xml"} {
		res := r.Do("", "GET", path, nil).Want(429)
		if res.Header.Get("Retry-After") == "" || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/plain") || !strings.Contains(string(res.Body), "Try again") {
			t.Errorf("%s: %v %s", path, res.Header, res.Body)
		}
	}
	newBrowser(t, r).get("/ada/moss").want(200)
	r.Clock.Advance(time.Minute)
	r.Do("", "GET", "/ada/moss/feed.atom", nil).Want(200)
}
