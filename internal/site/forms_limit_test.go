package site_test

import (
	"testing"
	"time"

	"vitrine/internal/apptest"
)

// Forms from one address are limited; pages are not, and the next minute is another.
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
