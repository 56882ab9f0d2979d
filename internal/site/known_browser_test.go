package site_test

import (
	"net/http"
	"testing"

	"vitrine/internal/apptest"
)

// Strangers who try a user's password from many addresses lock out other browsers, but not one that
// signed in before.
func TestKnownBrowserSignsInBesideStrangers(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		owner := first(t, r)
		account(t, r, "eve")
		at := "/sign-in"
		owner.post("/sign-out")
		c := owner.cookies["__Host-vitrine-browser"]
		if c == nil || !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.MaxAge < 300*24*3600 {
			t.Fatalf("the browser is known by %v", owner.cookies)
		}
		if owner.cookies["__Host-vitrine"] != nil {
			t.Fatal("signing out keeps the session's cookie")
		}
		stranger := newBrowser(t, r)
		for range 10 {
			stranger.post(at, "email", "ada@example.org", "password", "not hers at all").want(422)
		}
		stranger.post(at, "email", "ada@example.org", "password", password).want(http.StatusTooManyRequests).says("Too many attempts.")
		before := c.Value
		owner.post(at, "email", "ada@example.org", "password", password).leads("/") // from the same address
		if owner.cookies["__Host-vitrine-browser"].Value == before {
			t.Error("the cookie stays as it was")
		}
		// The cookie does not grant access by itself, and works for only one account.
		thief := newBrowser(t, r)
		thief.cookies["__Host-vitrine-browser"] = owner.cookies["__Host-vitrine-browser"]
		thief.get("/settings/profile").want(http.StatusSeeOther)
		thief.post(at, "email", "eve@example.org", "password", password).leads("/")
	}, people)
}
