package site_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
)

func TestFirstAccount(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		b := newBrowser(t, r)
		b.get("/").want(200).says("Nobody has an account here yet", "/sign-up")
		b.get("/sign-up").want(200).says("Create the first account")
		b.post("/sign-up", "name", "", "slug", "Not A Slug", "email", "none", "password", "short").want(422).
			says("Error: Create the first account", `value="Not A Slug"`, `value="none"`, "Must be 1 to 255 characters long.", "Must be 8 to 200 bytes long.").
			hides("short\"")
		b.post("/sign-up", "name", "Ada", "slug", "ada", "email", "ada@example.org", "password", password).leads("/")
		b.get("/").says("Welcome. Your account is ready.", "Good to see you, Ada", "/operator")
		b.get("/").hides("Welcome. Your account is ready.")
		b.get("/operator").want(200)

		other := newBrowser(t, r)
		other.get("/").want(200).says("New accounts are by invitation")
		other.get("/sign-up").want(200).says("New accounts are by invitation").hides("<form method=\"post\" action=\"/sign-up\"")
		other.post("/sign-up", "name", "Eve", "email", "eve@example.org", "password", password).want(422)
	}, people)
}

func TestSignUpByMail(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		first(t, r)
		b := newBrowser(t, r)
		b.get("/sign-up?next=%2Fsettings%2Fsessions").want(200).says(`name="next" value="/settings/sessions"`)
		for _, email := range []string{"eve@example.org", "ada@example.org"} { // the second has an account
			b.post("/sign-up", "name", "Eve", "email", email, "password", password, "next", "/settings/sessions").
				want(200).says("Ask for the link", "This server sends no mail. The link for "+email+" is kept")
		}
		b.post("/sign-up", "name", "Eve", "slug", "ada", "email", "x@example.org", "password", password).want(422).says("Is already taken.")
		b.post("/sign-up", "name", "Eve", "slug", "settings", "email", "x@example.org", "password", password).want(422).says("Is reserved.")
		b.get("/settings/profile").leads("/sign-in?next=%2Fsettings%2Fprofile")

		link := mailed(t, r, "eve@example.org")
		b.get(link).want(200).says("Confirm your address")
		b.get(link).want(200) // a GET does not use up the link
		b.post(link, "password", "not what Eve chose").want(422).says("Is not the one", `name="password"`)
		b.post(link, "password", password).leads("/settings/sessions").follow().want(200).says("Welcome. Your account is ready.")
		b.post(link).want(404).says("This link does not work")
		b.get(link).want(404).says("This link does not work")
		if taken := mailed(t, r, "ada@example.org"); strings.HasPrefix(taken, "/confirm/") {
			t.Errorf("an address that has an account is sent %s", taken)
		}
		for _, line := range r.Log(strings.TrimPrefix(link, "/confirm/")) {
			t.Errorf("the token is in the log: %s", line)
		}
	}, people, func(c *config.Config) { c.SignUp = "open" })
}

func TestSignInAndOut(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		account(t, r, "ada")
		b := newBrowser(t, r)
		wrong := "The address or the password is not right."
		b.post("/sign-in", "email", "nobody@example.org", "password", password).want(422).says(wrong, `value="nobody@example.org"`)
		b.post("/sign-in", "email", "ada@example.org", "password", "another good one").want(422).says(wrong).hides("another good one")
		b.post("/sign-in", "email", "ada@example.org", "password", password, "next", "/settings/password").leads("/settings/password")
		before := b.cookies["__Host-vitrine"].Value
		b.get("/sign-in?next=/oauth/applications").leads("/oauth/applications")
		b.get("/sign-up").leads("/")
		b.get("/sign-out").want(405)

		b.post("/sign-in", "email", "ada@example.org", "password", password).leads("/")
		if b.cookies["__Host-vitrine"].Value == before {
			t.Error("a second sign-in keeps the session's secret")
		}
		old := newBrowser(t, r)
		old.cookies["__Host-vitrine"] = &http.Cookie{Name: "__Host-vitrine", Value: before}
		old.get("/settings/profile").leads("/sign-in?next=%2Fsettings%2Fprofile")

		b.post("/sign-out").leads("/").follow().want(200).says("You have been signed out.")
		b.post("/sign-out").leads("/")
		b.post("/sign-out", "next", "//evil.example").leads("/")
		b.get("/settings/profile").leads("/sign-in?next=%2Fsettings%2Fprofile")
	}, people)
}

func TestSignInTooOften(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	account(t, r, "ada")
	b := newBrowser(t, r)
	for range 10 {
		b.post("/sign-in", "email", "ada@example.org", "password", "wrong password").want(422)
	}
	p := b.post("/sign-in", "email", "ada@example.org", "password", password).want(429).says("Try again in 15 minutes.")
	if got := p.header.Get("Retry-After"); got == "" || got == "0" {
		t.Errorf("Retry-After %q", got)
	}
	r.Clock.Advance(16 * time.Minute)
	b.post("/sign-in", "email", "ada@example.org", "password", password).leads("/")
}

func TestSessionEndsWithTime(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	b := member(t, r, "ada")
	r.Clock.Advance(29 * 24 * time.Hour)
	b.get("/settings/profile").want(200)
	r.Clock.Advance(29 * 24 * time.Hour)
	b.get("/settings/profile").want(200)
	r.Clock.Advance(31 * 24 * time.Hour)
	b.get("/settings/profile").leads("/sign-in?next=%2Fsettings%2Fprofile")
}

func TestSuspended(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	first(t, r)
	b := member(t, r, "eve")
	if _, err := r.S.App.Operating.Suspend(t.Context(), refOf("eve"), true); err != nil {
		t.Fatal(err)
	}
	b.post("/settings/profile", "name", "Somebody").leads("/sign-in?next=%2Fsettings%2Fprofile")
	b.post("/sign-in", "email", "eve@example.org", "password", password).want(422).says("The address or the password is not right.")
	if got, err := r.S.App.People.User(t.Context(), refOf("eve")); err != nil || got.Name != "Eve" {
		t.Errorf("%+v, %v", got, err)
	}
}
