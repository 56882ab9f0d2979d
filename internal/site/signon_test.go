package site_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/oidc/oidctest"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// signOnRig runs f on a server with a single sign-on provider, on each database.
func signOnRig(t *testing.T, f func(t *testing.T, r *apptest.Rig, fake *oidctest.Provider), options ...apptest.Option) {
	t.Helper()
	storetest.Migrated.Each(t, func(t *testing.T, o database.Options) {
		var r *apptest.Rig
		fake := oidctest.New(t, func() time.Time { return r.Clock.Now() })
		r = apptest.Boot(t, o, append([]apptest.Option{people, func(c *config.Config) {
			c.OIDC = config.OIDC{Issuer: fake.Issuer(), ClientID: oidctest.ClientID, ClientSecret: oidctest.ClientSecret, Name: "Town Hall",
				Scopes: []string{"openid", "email"}, SignUp: "yes", Email: "ask", GroupsClaim: "groups",
				Groups: []config.GroupRule{{Theirs: "staff", Ours: "editors"}, {Theirs: "cn=all,ou=x", Ours: "editors"}, {Theirs: "class 7", Ours: "seven"}, {Theirs: "x", Ours: "no-such"}}}
		}}, options...)...)
		f(t, r, fake)
	})
}

// signOn visits the provider and returns to the site.
func (b *browser) signOn(fake *oidctest.Provider, at string) *page {
	b.t.Helper()
	to := b.get(at).want(303).header.Get("Location")
	if !strings.HasPrefix(to, fake.Issuer()+"/authorize?") {
		b.t.Fatalf("%s leads to %s", at, to)
	}
	return b.get(b.back(fake, to))
}

// back returns the path to which the provider redirects.
func (b *browser) back(fake *oidctest.Provider, to string) string {
	b.t.Helper()
	path, ok := strings.CutPrefix(fake.Visit(to), apptest.Base)
	if !ok || !strings.HasPrefix(path, "/sign-in/sso/callback?") {
		b.t.Fatalf("the provider leads back to %s", path)
	}
	return path
}

// count returns the number that a query selects.
func count(r *apptest.Rig, query string) (n int64) {
	r.T.Helper()
	if err := r.DB().Reader().QueryRow(r.T.Context(), query).Scan(&n); err != nil {
		r.T.Fatal(err)
	}
	return n
}

// acts returns the entries of an act in the audit log with their details, oldest first.
func acts(t *testing.T, r *apptest.Rig, act domain.Act) (all []string) {
	t.Helper()
	entries, err := r.S.Store.Audit().AuditEntries(t.Context(), domain.AuditFilter{Act: act}, domain.AuditPlace{}, true, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, fmt.Sprint(e.Actor, " ", e.About.Label, " ", e.Details))
	}
	return all
}

func TestSignOnMakesAccounts(t *testing.T) {
	t.Parallel()
	signOnRig(t, func(t *testing.T, r *apptest.Rig, fake *oidctest.Provider) {
		first(t, r)
		fake.Is("1", "email", "Nina@Example.org", "name", "Nina\u0000 \u202eN.", "preferred_username", "ada")
		nina := newBrowser(t, r)
		nina.get("/sign-in?next=/settings/sessions").want(200).says("Sign in with Town Hall", `href="/sign-in/sso?next=%2fsettings%2fsessions"`)
		nina.signOn(fake, "/sign-in/sso?next=/settings/sessions").leads("/settings/sessions")
		nina.get("/").says("Welcome. Your account is ready.")
		nina.get("/settings/profile").want(200).says(`value="Nina N."`, "<code>nina-n</code>")
		nina.get("/settings/email").says("nina@example.org")
		fake.Is("1", "email", "other@example.org", "name", "Renamed")
		again := newBrowser(t, r)
		again.signOn(fake, "/sign-in/sso").leads("/")
		again.get("/settings/email").says("nina@example.org")
		again.get("/sign-in/sso?next=/groups").leads("/groups")
		again.get("/settings/single-sign-on").want(200).says("Town Hall · other@example.org", "last used").hides("Connect with")
		if got := acts(t, r, domain.ActSignedIn); len(got) != 3 || !strings.Contains(got[2], "by:single sign-on") {
			t.Errorf("signed in: %q", got)
		}
		if got := acts(t, r, domain.ActConnected); len(got) != 1 || !strings.Contains(got[0], "by:a new account") {
			t.Errorf("connected: %q", got)
		}
		id := again.get("/settings/single-sign-on").find(`name="disconnect" value="(\d+)"`)
		again.post("/settings/single-sign-on", "disconnect", id).want(422).says("This is the only way into your account: choose a password first.")
		again.header.Set("Accept-Language", "de")
		again.post("/settings/single-sign-on", "disconnect", id).want(422).says("Das ist der einzige Weg in Ihr Konto")
		again.header.Del("Accept-Language")
		again.post("/settings/password", "password", password).leads("/settings/password")
		again.post("/settings/single-sign-on", "disconnect", "x").want(404)
		first := newBrowser(t, r)
		first.post("/sign-in", "email", "ada@example.org", "password", password).leads("/")
		first.post("/settings/single-sign-on", "disconnect", id).want(404)
		again.post("/settings/single-sign-on", "disconnect", id).leads("/settings/single-sign-on").follow().says("no longer connected", "Connect with Town Hall")
		again.post("/settings/single-sign-on", "disconnect", id).want(404)
		if got := acts(t, r, domain.ActDisconnected); len(got) != 1 {
			t.Errorf("disconnected: %q", got)
		}
	})
}

// A response works once, only in the browser that started the sign-in, and for 15 minutes.
func TestSignOnAnswers(t *testing.T) {
	t.Parallel()
	signOnRig(t, func(t *testing.T, r *apptest.Rig, fake *oidctest.Provider) {
		first(t, r)
		fake.Is("1", "email", "nina@example.org")
		const stale = "This sign-in was used already, took too long, or was begun in another browser: start again."
		b, thief := newBrowser(t, r), newBrowser(t, r)
		ask := func() string { return b.back(fake, b.get("/sign-in/sso?next=/groups").header.Get("Location")) }
		back := ask()
		thief.get(back).want(422).says(stale)
		thief.get("/sign-in/sso").want(303)
		thief.get(back).want(422).says(stale)
		other := ask() // in a second tab
		b.get(back).leads("/groups")
		b.get(back).want(422).says(stale)
		b.get(other).leads("/groups")

		b = newBrowser(t, r)
		for name, change := range map[string]func(q url.Values){
			"another state":    func(q url.Values) { q.Set("state", "x") },
			"no state":         func(q url.Values) { q.Del("state") },
			"NUL in the state": func(q url.Values) { q.Set("state", "\x00") },
			"no UTF-8":         func(q url.Values) { q.Set("state", "\xff") },
			"another issuer":   func(q url.Values) { q.Set("iss", "https://evil.example") },
			"another code":     func(q url.Values) { q.Set("code", "x") },
			"no code":          func(q url.Values) { q.Del("code") },
			"cancelled":        func(q url.Values) { q.Set("error", "access_denied") },
			"refused":          func(q url.Values) { q.Set("error", strings.Repeat("ä", 5000)) },
		} {
			u, _ := url.Parse(ask())
			q := u.Query()
			change(q)
			u.RawQuery = q.Encode()
			if p := b.get(u.String()).want(422); p.header.Get("Location") != "" || b.cookies["__Host-vitrine"] != nil {
				t.Errorf("%s: signed in", name)
			}
		}
		back = ask()
		r.Clock.Advance(16 * time.Minute)
		b.get(back).want(422).says(stale)
		for _, next := range []string{"https://evil.example", "//evil.example", `/\evil.example`, "/a b", "javascript:alert(1)", "/\x00"} {
			newBrowser(t, r).signOn(fake, "/sign-in/sso?next="+url.QueryEscape(next)).leads("/")
		}
		if err := r.S.App.Accounts.SweepAccounts(t.Context()); err != nil {
			t.Error(err)
		}
		if n := count(r, `SELECT count(*) FROM sign_on_steps WHERE expires_at < 0`); n != 0 {
			t.Error(n)
		}
	})
}

func TestSignOnConnects(t *testing.T) {
	t.Parallel()
	signOnRig(t, func(t *testing.T, r *apptest.Rig, fake *oidctest.Provider) {
		first(t, r)
		eve := account(t, r, "eve")
		account(t, r, "bob")
		fake.Is("7", "email", "EVE@example.org")
		b := newBrowser(t, r)
		p := b.signOn(fake, "/sign-in/sso?next=/groups").want(303)
		at := p.header.Get("Location")
		b.get(at).want(200).says("There is an account with the address EVE@example.org. Sign in to it once as you did before, then Town Hall can sign you in.")
		b.post(at).leads("/sign-in?next=" + url.QueryEscape(at))
		newBrowser(t, r).get(at).want(404)
		b.post("/sign-in", "email", "eve@example.org", "password", "wrong one!", "next", at).want(422)
		b.post("/sign-in", "email", "eve@example.org", "password", password, "next", at).leads(at)
		b.get(at).want(200).says("From now on, Town Hall signs you in here. There you are EVE@example.org.", "Eve")
		if n := count(r, `SELECT count(*) FROM identities`); n != 0 {
			t.Error("connected before it was confirmed")
		}
		b.header.Set("Sec-Fetch-Site", "cross-site")
		b.header.Set("Origin", "https://evil.example")
		b.post(at).want(403)
		b.header = http.Header{}
		b.post(at).leads("/groups").follow().says("Your account is connected.")
		b.post(at).want(404)
		again := newBrowser(t, r)
		again.signOn(fake, "/sign-in/sso").leads("/")
		again.get("/settings/profile").says(`value="Eve"`)
		r.WorkJobs()
		if !slices.ContainsFunc(r.Outbox(), func(m apptest.Mail) bool {
			return m.To == "eve@example.org" && m.Subject == "Single sign-on was connected"
		}) {
			t.Error("its holder was not told")
		}

		// From the settings: another user's identity, a second one, and the user's own.
		bob := newBrowser(t, r)
		bob.get("/sign-in/sso?connect=yes").leads("/sign-in?next=" + url.QueryEscape("/sign-in/sso?connect=yes"))
		bob.post("/sign-in", "email", "bob@example.org", "password", password).leads("/")
		bob.signOn(fake, "/sign-in/sso?connect=yes").want(422).says("connected to another account here")
		fake.Is("8")
		at = bob.signOn(fake, "/sign-in/sso?connect=yes").want(303).header.Get("Location")
		bob.get(at).says("From now on, Town Hall signs you in here.")
		late := bob.signOn(fake, "/sign-in/sso?connect=yes").want(303).header.Get("Location")
		bob.post(at).leads("/settings/single-sign-on")
		bob.post(late).want(422).says("Your account is connected already: disconnect it first.")
		bob.signOn(fake, "/sign-in/sso?connect=yes").leads("/settings/single-sign-on")

		// Deleting an account deletes its identity.
		if err := r.S.App.Accounts.DeleteAccount(t.Context(), domain.Actor{UserID: eve.ID}, r.Proved(eve.ID), "eve"); err != nil {
			t.Fatal(err)
		}
		again.get("/settings/single-sign-on").want(303)
		fake.Is("7", "email", "eve@example.org", "name", "Evelyn")
		again.signOn(fake, "/sign-in/sso").leads("/")
		again.get("/settings/profile").says(`value="Evelyn"`)
	})
}

func TestSignOnTrusts(t *testing.T) {
	t.Parallel()
	signOnRig(t, func(t *testing.T, r *apptest.Rig, fake *oidctest.Provider) {
		first(t, r)
		account(t, r, "eve")
		fake.Is("6", "email", "eve@example.org", "email_verified", false)
		newBrowser(t, r).signOn(fake, "/sign-in/sso").want(422).says("does not vouch for your e-mail address")
		fake.Is("7", "email", "eve@example.org")
		eve := newBrowser(t, r)
		eve.signOn(fake, "/sign-in/sso").leads("/")
		eve.get("/settings/profile").says(`value="Eve"`)
		fake.Is("9", "email", "eve@example.org")
		newBrowser(t, r).signOn(fake, "/sign-in/sso").want(422).says("belongs to another account of the sign-in provider")
	}, func(c *config.Config) { c.OIDC.Email = "trust" })
}

// Refused sign-ins, and their entries in the log.
func TestSignOnRefuses(t *testing.T) {
	t.Parallel()
	closed := func(mode, signUp string) apptest.Option {
		return func(c *config.Config) { c.SignUp, c.OIDC.SignUp = mode, signUp }
	}
	for _, tt := range []struct {
		mode, signUp string
		made         bool
	}{{"open", "follow", true}, {"invitation", "follow", false}, {"closed", "follow", false},
		{"open", "yes", true}, {"invitation", "yes", true}, {"closed", "yes", false}, {"open", "no", false}} {
		t.Run(tt.mode+" "+tt.signUp, func(t *testing.T) {
			t.Parallel()
			signOnRig(t, func(t *testing.T, r *apptest.Rig, fake *oidctest.Provider) {
				operator := first(t, r)
				fake.Is("1", "email", "nina@example.org", "name", "Nina")
				b := newBrowser(t, r)
				p := b.signOn(fake, "/sign-in/sso")
				if tt.made {
					p.leads("/")
					operator.post("/operator/accounts/nina", "do", "suspend").want(303)
					b.signOn(fake, "/sign-in/sso").want(422).says("Your account is suspended.")
					if got := acts(t, r, domain.ActSignInRefused); len(got) != 1 || !strings.Contains(got[0], "nina map[why:single sign-on: suspended]") {
						t.Errorf("refused: %q", got)
					}
					return
				}
				p.want(422)
				if got := acts(t, r, domain.ActSignInRefused); len(got) != 1 || !strings.Contains(got[0], "no account") {
					t.Errorf("refused: %q", got)
				}
				if tt.signUp != "follow" {
					return
				}
				// An operator's invitation by address lets a user sign in.
				operator.post("/operator/invitations", "do", "people", "emails", "nina@example.org").want(200)
				b.signOn(fake, "/sign-in/sso").leads("/")
			}, closed(tt.mode, tt.signUp))
		})
	}
}

// Signing out redirects to the provider only if the session came from there.
func TestSignOutAtTheProvider(t *testing.T) {
	t.Parallel()
	signOnRig(t, func(t *testing.T, r *apptest.Rig, fake *oidctest.Provider) {
		local := first(t, r)
		local.post("/sign-out").leads("/")
		fake.Is("1", "email", "nina@example.org")
		b := newBrowser(t, r)
		b.signOn(fake, "/sign-in/sso").leads("/")
		b.get("/sign-in/sso/signed-out").leads("/")
		b.post("/sign-out").leads("/sign-in/sso/signed-out").follow().want(200).says("At Town Hall you may still be signed in", `href="/sign-in/sso/sign-out"`)
		to, err := url.Parse(b.get("/sign-in/sso/sign-out").want(303).header.Get("Location"))
		if err != nil || !strings.HasPrefix(to.String(), fake.Issuer()+"/logout?") || to.Query().Get("realm") != "main" ||
			to.Query().Get("client_id") != oidctest.ClientID || to.Query().Get("post_logout_redirect_uri") != apptest.Base+"/" {
			t.Errorf("it leads to %s, %v", to, err)
		}
		b.get("/settings").want(303)
		b.post("/sign-out").leads("/") // the cookie was deleted
	})
}

// If only single sign-on is allowed, nothing else opens an account except a link from the command
// line.
func TestSignOnAlone(t *testing.T) {
	t.Parallel()
	signOnRig(t, func(t *testing.T, r *apptest.Rig, fake *oidctest.Provider) {
		const off = "Passwords and passkeys open nothing here: sign in by single sign-on."
		b := newBrowser(t, r)
		b.post("/sign-up", "name", "Ada", "slug", "ada", "email", "ada@example.org", "password", password).want(422).says(off)
		fake.Is("1", "email", "ada@example.org", "preferred_username", "ada")
		b.signOn(fake, "/sign-in/sso").leads("/") // the first account is the operator
		b.get("/operator").want(200)
		b.get("/settings/email").want(200).hides("/settings/password", "/settings/passkeys")
		id := b.get("/settings/single-sign-on").find(`name="disconnect" value="(\d+)"`)
		b.post("/settings/single-sign-on", "disconnect", id).want(422).says("Single sign-on is the only way in here.")
		b.post("/operator/accounts/ada", "do", "reset").want(422).says(off)
		if _, err := r.S.App.Accounts.CreateUser(t.Context(), accounts.CreateUserInput{Slug: "bob", Name: "Bob", Email: "bob@example.org", Password: password, Tier: domain.TierFree}); err != nil {
			t.Fatal(err)
		}
		g := newBrowser(t, r)
		g.get("/sign-in").want(200).says("Sign in with Town Hall").hides("<form method=\"post\" action=\"/sign-in\"", "/forgot-password", "passkey")
		g.get("/sign-up").want(200).says("Sign in with Town Hall").hides(`name="password"`)
		g.get("/forgot-password").leads("/sign-in")
		g.post("/sign-in", "email", "bob@example.org", "password", password).want(422).says(off)
		g.post("/sign-in/passkey", "passkey", "{}").want(422).says(off)
		g.post("/forgot-password", "email", "bob@example.org").want(422).says(off)
		fake.Is("2", "email", "bob@example.org")
		g.signOn(fake, "/sign-in/sso").want(422).says("There is an account with your e-mail address that is not connected")

		_, address, err := r.S.App.SSO.MakeSignInLink(t.Context(), domain.Ref{Slug: "bob"})
		if err != nil {
			t.Fatal(err)
		}
		link := strings.TrimPrefix(address, apptest.Base)
		g.get(link).want(200).says("This link signs you in as Bob (bob), once.")
		signedIn := make([]int, 2)
		var both sync.WaitGroup
		for i := range signedIn {
			both.Go(func() { signedIn[i] = newBrowser(t, r).post(link).status })
		}
		both.Wait()
		if slices.Sort(signedIn); signedIn[0] != 303 || signedIn[1] != 404 {
			t.Errorf("two at once: %d", signedIn)
		}
		g.get(link).want(404)
		_, address, err = r.S.App.SSO.MakeSignInLink(t.Context(), domain.Ref{Slug: "bob"})
		if err != nil {
			t.Fatal(err)
		}
		link = strings.TrimPrefix(address, apptest.Base)
		g.post(link).leads("/")
		g.get("/settings/email").says("bob@example.org")
		g.signOn(fake, "/sign-in/sso?connect=yes").follow().want(200) // this connects the account
		if got := acts(t, r, domain.ActSignInLink); len(got) != 2 {
			t.Errorf("links: %q", got)
		}
		_, address, err = r.S.App.SSO.MakeSignInLink(t.Context(), domain.Ref{Slug: "bob"})
		if err != nil {
			t.Fatal(err)
		}
		r.Clock.Advance(16 * time.Minute)
		newBrowser(t, r).post(strings.TrimPrefix(address, apptest.Base)).want(404)
	}, func(c *config.Config) { c.OIDC.Only, c.SignUp = true, "open" })
}

// A blocked mail provider is refused here as on sign-up. Existing accounts are kept.
func TestSignOnOfABlockedProvider(t *testing.T) {
	t.Parallel()
	signOnRig(t, func(t *testing.T, r *apptest.Rig, fake *oidctest.Provider) {
		operator, early, late := first(t, r), newBrowser(t, r), newBrowser(t, r)
		fake.Is("1", "email", "early@mx.throwaway.example")
		early.signOn(fake, "/sign-in/sso").leads("/")
		operator.post("/operator/blocklist", "kind", "mail", "value", "throwaway.example").want(303)
		newBrowser(t, r).signOn(fake, "/sign-in/sso").leads("/")
		fake.Is("2", "email", "late@mx.throwaway.example")
		late.signOn(fake, "/sign-in/sso").want(422).says("Your e-mail address is of a provider that is blocked here.")
		late.header.Set("Accept-Language", "de")
		late.signOn(fake, "/sign-in/sso").want(422).says("Ihre E-Mail-Adresse ist bei einem Anbieter, der hier gesperrt ist.")
		if got := acts(t, r, domain.ActSignInRefused); len(got) != 2 || !strings.Contains(got[0], "a blocked provider of mail") {
			t.Errorf("refused: %q", got)
		}
		if n := count(r, "SELECT count(*) FROM users"); n != 2 {
			t.Errorf("%d accounts", n)
		}
	})
}

func TestSignOnFollowsGroups(t *testing.T) {
	t.Parallel()
	signOnRig(t, func(t *testing.T, r *apptest.Rig, fake *oidctest.Provider) {
		first(t, r)
		editors, seven := r.Group("Editors", "eve"), r.Group("Seven", "eve")
		r.Group("Third", "eve")
		comes := func(groups ...string) {
			t.Helper()
			fake.Is("1", "email", "nina@example.org", "name", "Nina", "groups", groups)
			newBrowser(t, r).signOn(fake, "/sign-in/sso").want(303)
		}
		comes("staff", "unknown", "x")
		nina, err := r.S.Store.Users().UserByEmail(t.Context(), "nina@example.org")
		if err != nil {
			t.Fatal(err)
		}
		is := func(group domain.GroupID, want bool) {
			t.Helper()
			if got, err := r.S.Store.Membership().IsMember(t.Context(), group, nina.ID); err != nil || got != want {
				t.Errorf("in %d: %v, %v, want %v", group, got, err, want)
			}
		}
		is(editors, true)
		is(seven, false)
		comes("cn=all,ou=x", "class 7")
		is(editors, true)
		is(seven, true)
		comes()
		is(editors, false)
		is(seven, false)

		// Memberships of other origins stay, and so do those of owners.
		owner := domain.Actor{UserID: r.Person("eve").ID, Scope: domain.ScopeWrite}
		storetest.In(t, r.S.Store, func(tx *store.Tx) error {
			_, err := tx.Membership().AddMember(t.Context(), editors, nina.ID, r.Clock.Now())
			return err
		})
		comes("staff", "class 7")
		r.Exec(`UPDATE groups SET owner_id = $1 WHERE id = $2`, nina.ID, seven)
		comes()
		is(editors, true)
		is(seven, true)
		r.Exec(`UPDATE groups SET owner_id = $1 WHERE id = $2`, owner.UserID, seven)
		comes()
		is(seven, true) // the provider no longer manages it

		// A user who leaves the group is added again. A user who disconnects is removed.
		if err := r.S.App.People.LeaveGroup(t.Context(), domain.Actor{UserID: nina.ID}, domain.Ref{ID: int64(editors)}); err != nil {
			t.Fatal(err)
		}
		comes("staff")
		is(editors, true)
		b := newBrowser(t, r)
		b.signOn(fake, "/sign-in/sso").want(303)
		b.post("/settings/password", "password", password).leads("/settings/password")
		b.post("/settings/single-sign-on", "disconnect", b.get("/settings/single-sign-on").find(`name="disconnect" value="(\d+)"`)).want(303)
		is(editors, false)
		if got := acts(t, r, domain.ActMemberRemoved); len(got) != 4 {
			t.Errorf("the log has %q", got)
		}
	})
}

// An authorization request continues after signing in at the provider.
func TestSignOnThenConsent(t *testing.T) {
	t.Parallel()
	signOnRig(t, func(t *testing.T, r *apptest.Rig, fake *oidctest.Provider) {
		ada := first(t, r)
		at := asking(registered(ada, "App", "confidential", "https://app.example/back"), "https://app.example/back", "state", strings.Repeat("s", 3000))
		fake.Is("1", "email", "nina@example.org", "name", "Nina")
		nina := newBrowser(t, r)
		to := nina.get(at).want(303).follow().want(200).find(`href="(/sign-in/sso\?[^"]+)"`)
		nina.signOn(fake, to).leads(at).follow().want(200).says("Allow App?", "Nina")
	})
}

// If the provider is down, users can still sign in by other means.
func TestSignOnAway(t *testing.T) {
	t.Parallel()
	signOnRig(t, func(t *testing.T, r *apptest.Rig, fake *oidctest.Provider) {
		first(t, r)
		fake.Away(true)
		b := newBrowser(t, r)
		p := b.get("/sign-in/sso?next=/groups").want(503).says("The sign-in provider does not answer just now", `href="/sign-in?next=%2fgroups"`)
		if p.header.Get("Retry-After") == "" {
			t.Error("it does not say when to come again")
		}
		if len(r.Log("the OpenID Connect provider is unavailable")) == 0 {
			t.Error("it is not in the log")
		}
		b.post("/sign-in", "email", "ada@example.org", "password", password).leads("/")
		fake.Away(false)
		fake.Is("1", "email", "nina@example.org")
		newBrowser(t, r).signOn(fake, "/sign-in/sso").leads("/")
	})
}

// Concurrent sign-ins of one person create one account with one membership per group. Confirming
// twice connects once.
func TestSignOnAtOnce(t *testing.T) {
	t.Parallel()
	signOnRig(t, func(t *testing.T, r *apptest.Rig, fake *oidctest.Provider) {
		first(t, r)
		r.Group("Editors", "eve")
		account(t, r, "bob")
		fake.Is("1", "email", "nina@example.org", "name", "Nina", "groups", []string{"staff"})
		const crowd = 6
		var paths []string
		var browsers []*browser
		for range crowd {
			b := newBrowser(t, r)
			browsers = append(browsers, b)
			paths = append(paths, b.back(fake, b.get("/sign-in/sso").header.Get("Location")))
		}
		var all sync.WaitGroup
		for i, b := range browsers {
			all.Go(func() {
				if p := b.get(paths[i]); p.status != 303 {
					t.Errorf("%d: %s", p.status, p.body)
				}
			})
		}
		all.Wait()
		for query, want := range map[string]int64{
			`SELECT count(*) FROM users WHERE email = 'nina@example.org'`:                                         1,
			`SELECT count(*) FROM identities`:                                                                     1,
			`SELECT count(*) FROM group_members m JOIN users u ON u.id = m.user_id WHERE mapped`:                  1,
			`SELECT count(*) FROM sessions s JOIN users u ON u.id = s.user_id WHERE u.email = 'nina@example.org'`: crowd,
		} {
			if n := count(r, query); n != want {
				t.Errorf("%s: %d, want %d", query, n, want)
			}
		}
		fake.Is("2", "email", "bob@example.org")
		b := newBrowser(t, r)
		b.post("/sign-in", "email", "bob@example.org", "password", password).leads("/")
		var confirms []string
		for range 3 {
			confirms = append(confirms, b.signOn(fake, "/sign-in/sso?connect=yes").want(303).header.Get("Location"))
		}
		for _, at := range confirms {
			for range 2 {
				own := &browser{t: t, handler: b.handler, base: b.base, cookies: maps.Clone(b.cookies), header: b.header.Clone()}
				all.Go(func() {
					if p := own.post(at); p.status != 303 && p.status != 404 && p.status != 422 {
						t.Errorf("%d: %s", p.status, p.body)
					}
				})
			}
		}
		all.Wait()
		if n := count(r, `SELECT count(*) FROM identities`); n != 2 {
			t.Errorf("%d identities, want 2", n)
		}
	})
}
