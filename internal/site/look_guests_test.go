package site_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"testing"

	"vitrine/internal/app/operating"
	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/site"
	"vitrine/internal/site/web"
)

// openToGuests are the pages that guests see if the site is closed to them. They show nothing of
// collections: receipts have numbers of things, and stay when their account is gone.
var openToGuests = []string{
	"/", "/about/{slug}", "/sign-in", "/sign-in/second-factor", "/sign-in/second-factor/options", "/sign-in/passkey", "/sign-in/sso", "/sign-in/sso/callback",
	"/sign-in/sso/confirm/{token}", "/sign-in/sso/signed-out", "/sign-in/sso/sign-out", "/sign-in/link/{token}", "/sign-up", "/sign-out", "/confirm/{token}", "/forgot-password", "/reset-password/{token}",
	"/settings/language", "/settings/announcement", "/settings/email/{token}", "/oauth/authorize", "/invitations/{token}", "/unsubscribe/{token}",
	"/group/{slug}/invite/{code}", "/receipt/{code}", "/offline", "/manifest.webmanifest", "/service-worker.js",
}

// If the site is closed to guests, every other address redirects to the sign-in page, whether it
// exists or not.
func TestGuestsClosed(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people, func(c *config.Config) { c.GuestsClosed = true })
	first(t, r)
	guest := newBrowser(t, r)
	braces := regexp.MustCompile(`\{[a-z]+\}`)
	for _, set := range site.PageSets() {
		for _, route := range set.Routes {
			open := slices.Contains(openToGuests, route.Path)
			if open != route.Open && route.Access == web.Anyone {
				t.Errorf("%s is open to guests: %v", route.Path, route.Open)
			}
			path := braces.ReplaceAllString(route.Path, "1")
			for method, answered := range map[string]bool{"GET": route.Get != nil, "HEAD": route.Get != nil, "POST": route.Post != nil} {
				if !answered || open {
					continue
				}
				p := guest.send(method, path+"?page=2", "")
				if to := "/sign-in?next=" + url.QueryEscape(path+"?page=2"); p.status != http.StatusSeeOther || p.header.Get("Location") != to {
					t.Errorf("%s %s: %d to %s", method, route.Path, p.status, p.header.Get("Location"))
				}
			}
		}
	}
	guest.get("/").want(200).hides("/explore", "/search")
}

// An announcement is on every page until the reader dismisses it. A new one is shown again.
func TestAnnouncement(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	ada, guest := first(t, r), newBrowser(t, r)
	announce := func(words string) {
		t.Helper()
		u, err := r.S.App.People.User(t.Context(), refOf("ada"))
		if err == nil {
			on := operating.OnSite(domain.Actor{UserID: u.ID, Scope: domain.ScopeWrite}, domain.Visitor{})
			if words == "" {
				_, err = r.S.App.Operating.EndAnnouncement(t.Context(), on, 0)
			} else {
				_, err = r.S.App.Operating.Announce(t.Context(), on, operating.AnnouncementInput{Text: words})
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	announce("# Closed on *Monday*")
	for _, path := range []string{"/", "/sign-in", "/nothing"} {
		guest.get(path).says("<p>Closed on <em>Monday</em></p>")
	}
	id := guest.get("/sign-in").find(`name="announced" value="([0-9]+)"`)
	guest.post("/settings/announcement", "announced", id, "next", "/sign-in").leads("/sign-in").follow().hides("Monday")
	guest.get("/").hides("Monday")
	ada.get("/").says("Monday")
	announce("Open again")
	guest.get("/").says("Open again")
	for _, id := range []string{"", "x", "-1", "0", "99999999999999999999"} {
		guest.post("/settings/announcement", "announced", id).want(400)
	}
	guest.post("/settings/announcement", "announced", "1", "next", "//evil.example").leads("/")
	announce("")
	guest.get("/").hides("Announcement")
}
