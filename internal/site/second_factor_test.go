package site_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/descope/virtualwebauthn"

	"vitrine/internal/apptest"
)

// key is an authenticator with a credential for the test's site.
type key struct {
	virtualwebauthn.Authenticator
	credential virtualwebauthn.Credential
}

var keySite = virtualwebauthn.RelyingParty{Name: "vitrine.test", ID: "vitrine.test", Origin: apptest.Base}

func newKey() *key {
	return &key{virtualwebauthn.NewAuthenticator(), apptest.Credential()}
}

// signs does what the script does with the options at an address.
func (k *key) signs(b *browser, at string) string {
	b.t.Helper()
	o, err := virtualwebauthn.ParseAssertionOptions(b.get(at).want(200).body)
	if err != nil {
		b.t.Fatal(err)
	}
	k.credential.Counter++
	return virtualwebauthn.CreateAssertionResponse(keySite, k.Authenticator, k.credential, *o)
}

// addKey adds a passkey in the settings.
func addKey(b *browser, k *key, name string) *page {
	b.t.Helper()
	p := b.post("/settings/passkeys", "name", name).want(200)
	o, err := virtualwebauthn.ParseAttestationOptions(p.find(`data-make="(\{.*\})" hidden`))
	if err != nil {
		b.t.Fatal(err)
	}
	k.Options.UserHandle = []byte(o.UserID)
	return b.post("/settings/passkeys/add", "name", name, "passkey", virtualwebauthn.CreateAttestationResponse(keySite, k.Authenticator, k.credential, *o))
}

func TestPasskeysOnSite(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	ada := first(t, r)
	ada.get("/settings/passkeys").want(200).says("You have no passkeys.")
	ada.get("/settings/recovery-codes").want(200).says("your first passkey")
	ada.post("/settings/passkeys", "name", "").want(422).says("Name")
	k := newKey()
	codes := strings.Fields(addKey(ada, k, "Phone").want(200).says("Your passkey was added.").find(`id="codes">([^<]+)</pre>`))
	if len(codes) != 10 {
		t.Fatalf("codes %q", codes)
	}
	addKey(ada, newKey(), "Blue key").leads("/settings/passkeys")
	ada.get("/settings/passkeys").says("The passkey was added.", "Phone", "Blue key", "never used", "10 codes are left.")
	ada.get("/settings/recovery-codes").hides(codes[0])

	// A password without a second factor does not sign in. A recovery code completes the sign-in
	// without scripts and redirects.
	b := newBrowser(t, r)
	next := "/oauth/authorize?client_id=x&redirect_uri=y"
	asked := "/sign-in/second-factor?next=" + url.QueryEscape(next)
	b.post("/sign-in", "email", "ada@example.org", "password", password, "next", next).leads(asked)
	b.get("/settings/profile").leads("/sign-in?next=%2Fsettings%2Fprofile")
	b.get(asked).want(200).says("ada@example.org", "Recovery code")
	b.post("/sign-in/second-factor", "code", "wrong", "next", next).want(422).says("Is not one of your recovery codes", "redirect_uri=y")
	half := b.cookies["__Host-vitrine-half"]
	if half == nil || !half.HttpOnly || !half.Secure || half.SameSite != http.SameSiteLaxMode {
		t.Fatalf("%+v", half)
	}
	thief := newBrowser(t, r) // without the cookie
	thief.post("/sign-in/second-factor", "code", codes[0]).leads("/sign-in")
	b.post("/sign-in/second-factor", "code", codes[0], "next", next).leads(next)
	b.get("/settings/passkeys").want(200).says("9 codes are left.")
	if _, kept := b.cookies["__Host-vitrine-half"]; kept {
		t.Error("the browser keeps half a sign-in")
	}
	b.get("/sign-in/second-factor").leads("/")

	// A passkey works after the password, and also without it.
	c := newBrowser(t, r)
	c.post("/sign-in", "email", "ada@example.org", "password", password).leads("/sign-in/second-factor")
	c.post("/sign-in/second-factor", "passkey", k.signs(c, "/sign-in/second-factor/options")).leads("/")
	d := newBrowser(t, r)
	answer := k.signs(d, "/sign-in/passkey")
	newBrowser(t, r).post("/sign-in/passkey", "passkey", answer).want(422).says("began in another window")
	d.post("/sign-in/passkey", "passkey", answer, "next", "/settings/passkeys").leads("/settings/passkeys")
	d.get("/settings/passkeys").want(200)
	newBrowser(t, r).get("/sign-in").says("Sign in with a passkey")

	// Changes require a confirmation with the password or a passkey.
	id := ada.get("/settings/passkeys").find(`href="/settings/passkeys/(\d+)"`)
	r.Clock.Advance(time.Hour)
	ada.get("/settings/recovery-codes").leads("/settings/confirm?next=%2Fsettings%2Frecovery-codes").follow().says("Use a passkey", "Confirm with your password")
	ada.post("/settings/recovery-codes").leads("/settings/confirm?next=%2Fsettings%2Frecovery-codes")
	confirm := func(with ...string) *page {
		return ada.post("/settings/confirm", append(with, "next", "/settings/recovery-codes")...)
	}
	confirm("by", "password", "password", "wrong").want(422).says("Is not your password.")
	confirm("by", "mail").want(422).says("Confirm with your password")
	ada.post("/settings/confirm", "by", "magic").want(400)
	before := ada.cookies["__Host-vitrine"].Value
	confirm("by", "passkey", "passkey", k.signs(ada, "/settings/confirm/options")).leads("/settings/recovery-codes")
	if ada.cookies["__Host-vitrine"].Value == before {
		t.Error("the session keeps its secret")
	}
	fresh := ada.post("/settings/recovery-codes").want(200).find(`id="codes">([^<\s]+)`)
	ada.get("/settings/passkeys/" + id).want(200).hides("This is your last passkey.")
	ada.post("/settings/passkeys/" + id).leads("/settings/passkeys")
	last := ada.get("/settings/passkeys").says("The passkey was removed.").find(`href="/settings/passkeys/(\d+)"`)
	eve := member(t, r, "eve")
	eve.get("/settings/passkeys/" + last).want(404)
	ada.get("/settings/passkeys/" + last).want(200).says("This is your last passkey.")
	e := newBrowser(t, r)
	e.post("/sign-in", "email", "ada@example.org", "password", password).leads("/sign-in/second-factor")
	ada.post("/settings/passkeys/" + last).leads("/settings/passkeys")
	ada.get("/settings/passkeys").says("Your password alone is enough to sign in now.")
	e.post("/sign-in/second-factor", "code", fresh).leads("/sign-in")
	e.get("/sign-in").says("That took too long.")
	e.post("/sign-in", "email", "ada@example.org", "password", password).leads("/")
}

// An operator removes the second factor of a user who lost their passkeys.
func TestOperatorRemovesSecondFactor(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	ada, eve := first(t, r), member(t, r, "eve")
	ada.get("/operator/accounts/eve").says("No passkeys")
	addKey(eve, newKey(), "Phone").want(200)
	eve.post("/operator/accounts/eve", "do", "factor").want(404)
	ada.get("/operator/accounts/eve").says("1 passkey.", "Remove the second factor")
	ada.post("/operator/accounts/eve", "do", "factor").leads("/operator/accounts/eve")
	ada.get("/operator/accounts/eve").says("The second factor was removed.", "No passkeys")
	ada.post("/operator/accounts/eve", "do", "factor").want(422).says("The account has no second factor")
	eve.get("/settings/passkeys").want(200).says("You have no passkeys.")
	newBrowser(t, r).post("/sign-in", "email", "eve@example.org", "password", password).leads("/")
	ada.get("/operator/audit?act=second-factor.ended").says("Second factor removed", "eve")
}
