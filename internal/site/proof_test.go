package site_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/oidc/oidctest"
	"vitrine/internal/server"
)

// An account that has only an e-mail address confirms with a mailed link, in the same browser.
func TestProveByMail(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		first(t, r)
		_, address, err := r.S.App.SSO.MakeSignInLink(t.Context(), domain.Ref{ID: int64(r.Person("nora").ID)})
		if err != nil {
			t.Fatal(err)
		}
		b := newBrowser(t, r)
		b.post(strings.TrimPrefix(address, apptest.Base)).leads("/")
		b.get("/settings/delete").want(200) // has just signed in
		r.Clock.Advance(time.Hour)
		at := "/settings/confirm?next=%2Fsettings%2Fpassword"
		b.get("/settings/password").leads(at).follow().says("Ask the operator for the link").hides("Confirm with your password")
		b.post("/settings/password", "password", "another good one").leads(at)
		b.post("/settings/confirm", "by", "mail", "next", "/settings/password").want(200)
		mail := mailed(t, r, "nora@example.org")
		other := newBrowser(t, r)
		other.get(mail).want(http.StatusSeeOther)
		b.get(mail).want(200).says("Confirm that it is you")
		b.post(mail).leads("/settings/password")
		b.post(mail).want(404).says("This link does not work")
		b.post("/settings/password", "password", "another good one").leads("/settings/password")
		for _, line := range r.Log(mail) {
			t.Errorf("the token is in the log: %s", line)
		}
	}, people)
}

// An account of single sign-on confirms by signing in again at the provider, as the same person and
// after the request.
func TestProveBySignOn(t *testing.T) {
	t.Parallel()
	signOnRig(t, func(t *testing.T, r *apptest.Rig, fake *oidctest.Provider) {
		first(t, r)
		fake.Is("7", "email", "nina@example.org", "name", "Nina")
		b := newBrowser(t, r)
		b.signOn(fake, "/sign-in/sso").leads("/")
		r.Clock.Advance(time.Hour)
		b.get("/settings/delete").leads("/settings/confirm?next=%2Fsettings%2Fdelete").follow().says("Sign in again with Town Hall")
		confirm := "/sign-in/sso?confirm=yes&next=%2Fsettings%2Fdelete"
		fake.Tampers(func(_, claims map[string]any) { claims["auth_time"] = r.Clock.Now().Add(-time.Hour).Unix() })
		b.signOn(fake, confirm).want(422).says("did not ask you to sign in again")
		fake.Tampers(nil)
		fake.Is("8", "email", "eve@example.org")
		b.signOn(fake, confirm).want(422).says("is not connected to your account here")
		b.get("/settings/delete").want(303)
		fake.Is("7", "email", "nina@example.org", "name", "Nina")
		before := b.cookies["__Host-vitrine"].Value
		b.signOn(fake, confirm).leads("/settings/delete").follow().want(200)
		if b.cookies["__Host-vitrine"].Value == before {
			t.Error("the session keeps its secret")
		}
	})
}

// A request in progress when the secret changes does not sign the browser out.
func TestEarlierSecretKeepsCookie(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	ada := first(t, r)
	stale := *ada.cookies["__Host-vitrine"]
	ada.post("/settings/confirm", "by", "password", "password", password).want(303)
	now := ada.cookies["__Host-vitrine"]
	ada.cookies["__Host-vitrine"] = &stale
	ada.get("/settings/profile").want(303)
	if kept := ada.cookies["__Host-vitrine"]; kept == nil {
		t.Error("the browser lost its session")
	}
	ada.cookies["__Host-vitrine"] = now
	ada.get("/settings/profile").want(200)
}

// On a server that others can reach, every way to create the first account requires the setup code.
func TestSetupCode(t *testing.T) {
	t.Parallel()
	public := func(c *config.Config) { c.Addr, c.SignUp = "0.0.0.0:8080", "open" }
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		code, err := r.S.App.Accounts.SetupCode(t.Context())
		if err != nil || code == "" {
			t.Fatal(code, err)
		}
		if same, err := r.Beside(func(*server.Options) {}).App.Accounts.SetupCode(t.Context()); err != nil || same != code {
			t.Errorf("another server has %q, %v", same, err)
		}
		b := newBrowser(t, r)
		b.get("/sign-up").want(200).says("Setup code").hides("Password")
		join := func(b *browser) *page {
			return b.post("/sign-up", "name", "Ada", "slug", "ada", "email", "ada@example.org", "password", password)
		}
		join(b).want(422).says("Is required for the first account")
		b.post("/sign-up", "do", "setup", "setup_code", "wrong").want(422).says("Is not the setup code of this server.")
		tried := 1
		for range 20 {
			if b.post("/sign-up", "do", "setup", "setup_code", "wrong").status == http.StatusTooManyRequests {
				break
			}
			tried++
		}
		if tried != 10 {
			t.Errorf("%d attempts were allowed", tried)
		}
		r.Clock.Advance(time.Hour)
		b.post("/sign-up", "do", "setup", "setup_code", code).leads("/sign-up").follow().says("Password")
		join(b).leads("/").follow().want(200)
		if after, err := r.S.App.Accounts.SetupCode(t.Context()); err != nil || after != "" {
			t.Errorf("there is a code after the first account: %q, %v", after, err)
		}
		newBrowser(t, r).get("/sign-up").want(200).hides("Setup code")
	}, public)
}
