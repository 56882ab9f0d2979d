package app_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/app/core"
	"vitrine/internal/app/moderation"
	"vitrine/internal/app/operating"
	"vitrine/internal/apptest"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/oidc"
	"vitrine/internal/oidc/oidctest"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// ssoRig is a server with a provider of single sign-on.
type ssoRig struct {
	*accountsRig
	op       domain.Actor
	fake     *oidctest.Provider
	provider *oidc.Provider
}

func eachSSO(t *testing.T, f func(t *testing.T, w *ssoRig), options ...apptest.Option) {
	t.Helper()
	eachAccounts(t, func(t *testing.T, a *accountsRig) {
		w := &ssoRig{accountsRig: a, op: a.first("op"), fake: oidctest.New(t, a.Clock.Now)}
		w.provider = oidc.New(oidc.Options{Issuer: w.fake.Issuer(), ClientID: oidctest.ClientID, ClientSecret: oidctest.ClientSecret,
			RedirectURL: apptest.Base + "/sign-in/sso/callback", Scopes: []string{"openid", "email"}, GroupsClaim: "groups",
			Now: a.Clock.Now, Log: slog.New(slog.DiscardHandler)})
		f(t, w)
	}, options...)
}

// with returns the use cases under other options.
func (w *ssoRig) with(o accounts.SignOnOptions) *accounts.SSO {
	o.Provider, o.Name, o.Log = w.provider, "Town Hall", slog.New(slog.DiscardHandler)
	return accounts.NewSSO(&core.Core{Store: w.S.Store, Now: w.Clock.Now, SiteURL: apptest.Base, BaseURL: apptest.Base, SignOnOnly: o.Only},
		w.a.Accounts, w.a.People, o)
}

// visit starts a sign-in and returns the browser's cookie and the provider's answer.
func (w *ssoRig) visit(a *accounts.SSO, as domain.Actor, in accounts.SignOnInput) (browser string, reply accounts.ProviderReply) {
	w.t.Helper()
	address, browser, err := a.BeginSignOn(w.ctx(), home, as, "", in)
	w.must(err)
	back, err := url.Parse(w.fake.Visit(address))
	w.must(err)
	q := back.Query()
	return browser, accounts.ProviderReply{State: q.Get("state"), Code: q.Get("code"), Issuer: q.Get("iss")}
}

// signOn runs a complete sign-in of a browser without a session.
func (w *ssoRig) signOn(a *accounts.SSO, in accounts.SignOnInput) (accounts.SignOnResult, error) {
	w.t.Helper()
	browser, reply := w.visit(a, domain.Actor{}, in)
	return a.FinishSignOn(w.ctx(), home, domain.Actor{}, domain.Session{}, browser, reply)
}

// connected connects a subject of the provider with an account, as if it had been confirmed.
func (w *ssoRig) connected(a *accounts.SSO, user domain.Actor, subject, email string) {
	w.t.Helper()
	w.fake.Is(subject, "email", email)
	browser, reply := w.visit(a, user, accounts.SignOnInput{Connect: true})
	r, err := a.FinishSignOn(w.ctx(), home, user, domain.Session{}, browser, reply)
	w.must(err)
	_, _, err = a.ConfirmSignOn(w.ctx(), user, w.Proved(user.UserID), browser, r.Confirm)
	w.must(err)
}

// latest returns the newest entry of an act in the audit log.
func (w *accountsRig) latest(act domain.Act) domain.AuditEntry {
	w.t.Helper()
	all, err := w.S.Store.Audit().AuditEntries(w.ctx(), domain.AuditFilter{Act: act}, domain.AuditPlace{}, false, 1)
	if w.must(err); len(all) == 0 {
		return domain.AuditEntry{}
	}
	return all[0]
}

// rows counts the rows of tables.
func (w *accountsRig) rows(tables ...string) (n []int64) {
	w.t.Helper()
	for _, table := range tables {
		var rows int64
		w.must(w.DB().Reader().QueryRow(w.ctx(), "SELECT count(*) FROM "+table).Scan(&rows))
		n = append(n, rows)
	}
	return n
}

// A person from the provider enters the connected account, gets a new one if the site's settings permit it, or must
// confirm first. A refused sign-in leaves only an entry in the audit log.
func TestSignOnAdmission(t *testing.T) {
	eachSSO(t, func(t *testing.T, w *ssoRig) {
		a, ctx := w.a, w.ctx()
		follow, yes, no := accounts.SignOnOptions{SignUp: accounts.SignUpFollow}, accounts.SignOnOptions{SignUp: accounts.SignUpYes}, accounts.SignOnOptions{SignUp: accounts.SignUpNo}
		trust := accounts.SignOnOptions{SignUp: accounts.SignUpYes, TrustEmail: true}
		only := accounts.SignOnOptions{SignUp: accounts.SignUpYes, Only: true}
		_, _, err := a.Moderation.AddToBlocklist(ctx, operating.OnSite(w.op, home), moderation.BlockInput{Kind: "mail", Value: "spam.example"})
		w.must(err)
		// Holders of accounts. Each is created before its row, with the address of the person at the provider.
		account := func(name, _ string) { w.member(name) }
		suspended := func(name, subject string) {
			w.member(name)
			_, err := a.Operating.Suspend(ctx, domain.Ref{Slug: name}, true)
			w.must(err)
		}
		connected := func(name, subject string) {
			w.connected(w.with(yes), w.member(name), subject, name+"@elsewhere.example")
		}
		otherIdentity := func(name, subject string) { connected(name, subject+" before") }
		connectedSuspended := func(name, subject string) {
			connected(name, subject)
			_, err := a.Operating.Suspend(ctx, domain.Ref{Slug: name}, true)
			w.must(err)
		}
		invited := func(name, _ string) {
			_, err := a.Operating.InvitePerson(ctx, operating.CommandLine(), operating.PersonInput{Email: name + "@example.org"})
			w.must(err)
		}
		const (
			in   = "in"     // signed in to the account that there was
			made = "made"   // signed in to a new account
			asks = "asks"   // to be confirmed
			f    = "refuse" // with an entry in the audit log
		)
		for i, row := range []struct {
			name    string
			options accounts.SignOnOptions
			mode    domain.SignUpMode
			before  func(name, subject string)
			email   string // "" for that of the row
			loose   bool   // the provider has not verified the address
			want    string
			why     string // in the audit log
		}{
			{name: "a newcomer needs an invitation", options: follow, mode: domain.SignUpInvitation, want: f, why: "no account"},
			{name: "a newcomer where signing up is open", options: follow, mode: domain.SignUpOpen, want: made},
			{name: "a newcomer where signing up is closed", options: follow, mode: domain.SignUpClosed, want: f, why: "no account"},
			{name: "everyone of the provider, by invitation", options: yes, mode: domain.SignUpInvitation, want: made},
			{name: "everyone of the provider, closed", options: yes, mode: domain.SignUpClosed, want: f, why: "no account"},
			{name: "nobody new", options: no, mode: domain.SignUpOpen, want: f, why: "no account"},
			{name: "an invited address", options: follow, mode: domain.SignUpInvitation, before: invited, want: made},
			{name: "an invited address, closed", options: follow, mode: domain.SignUpClosed, before: invited, want: made},
			{name: "an address that is not verified", options: yes, mode: domain.SignUpOpen, loose: true, want: f, why: "no verified address"},
			{name: "no address", options: yes, mode: domain.SignUpOpen, email: "-", want: f, why: "no verified address"},
			{name: "an invalid address", options: yes, mode: domain.SignUpOpen, email: "not an address", want: f, why: "no verified address"},
			{name: "a blocked provider of mail", options: yes, mode: domain.SignUpOpen, email: "x@spam.example", want: f, why: "a blocked provider of mail"},
			{name: "an account with the address", options: yes, mode: domain.SignUpOpen, before: account, want: asks},
			{name: "an account with the address, unverified", options: trust, mode: domain.SignUpOpen, before: account, loose: true, want: f, why: "no verified address"},
			{name: "an account with the trusted address", options: trust, mode: domain.SignUpOpen, before: account, want: in},
			{name: "an account, and there is no other way in", options: only, mode: domain.SignUpOpen, before: account, want: f, why: "the account is not connected"},
			{name: "a suspended account with the trusted address", options: trust, mode: domain.SignUpOpen, before: suspended, want: f, why: "suspended"},
			{name: "an account of somebody else at the provider", options: trust, mode: domain.SignUpOpen, before: otherIdentity, want: f, why: "the account has another identity"},
			{name: "a connected account", options: follow, mode: domain.SignUpInvitation, before: connected, want: in},
			{name: "a connected account, nobody new", options: no, mode: domain.SignUpClosed, before: connected, want: in},
			{name: "a connected account, without an address", options: yes, mode: domain.SignUpOpen, before: connected, email: "-", want: in},
			{name: "a connected account that is suspended", options: yes, mode: domain.SignUpOpen, before: connectedSuspended, want: f, why: "suspended"},
		} {
			name, subject := fmt.Sprintf("person-%d", i), fmt.Sprint("subject ", i)
			w.must(a.Operating.SetSignUpMode(ctx, w.op, row.mode))
			if row.before != nil {
				row.before(name, subject)
			}
			s := w.with(row.options)
			email := name + "@example.org"
			if row.email != "" {
				email = row.email
			}
			claims := []any{"name", "Person " + fmt.Sprint(i)}
			if email != "-" {
				claims = append(claims, "email", email, "email_verified", !row.loose)
			}
			w.fake.Is(subject, claims...)
			was := w.rows("users", "identities", "sessions")
			r, err := w.signOn(s, accounts.SignOnInput{Next: "/groups"})
			if r.Next != "/groups" {
				t.Errorf("%s: continues at %q", row.name, r.Next)
			}
			now := w.rows("users", "identities", "sessions")
			got := []int64{now[0] - was[0], now[1] - was[1], now[2] - was[2]}
			switch row.want {
			case f:
				e := w.latest(domain.ActSignInRefused)
				if outcome(err) != 'f' || e.Details["why"] != "single sign-on: "+row.why || !slices.Equal(got, []int64{0, 0, 0}) || r.Session != "" || r.Confirm != "" {
					t.Errorf("%s: %v, %v, %v rows more", row.name, err, e.Details, got)
				}
			case asks:
				if err != nil || r.Confirm == "" || r.Session != "" || !slices.Equal(got, []int64{0, 0, 0}) {
					t.Errorf("%s: %+v, %v, %v rows more", row.name, r, err, got)
				}
			case made:
				if err != nil || !r.Made || !slices.Equal(got, []int64{1, 1, 1}) {
					t.Errorf("%s: %+v, %v, %v rows more", row.name, r, err, got)
					continue
				}
				if _, u, err := a.Accounts.SessionUser(ctx, home, r.Session); err != nil || u.Email != email || u.HasPassword || u.Office != domain.OfficeMember {
					t.Errorf("%s: %+v, %v", row.name, u, err)
				}
				if e := w.latest(domain.ActConnected); e.Details["by"] != "a new account" {
					t.Errorf("%s: noted %+v", row.name, e)
				}
			default:
				if err != nil || r.Made || got[0] != 0 || got[2] != 1 {
					t.Errorf("%s: %+v, %v, %v rows more", row.name, r, err, got)
					continue
				}
				if _, u, err := a.Accounts.SessionUser(ctx, home, r.Session); err != nil || u.Slug != name {
					t.Errorf("%s: signed in as %+v, %v", row.name, u, err)
				}
				if e := w.latest(domain.ActSignedIn); e.Details["by"] != "single sign-on" {
					t.Errorf("%s: noted %+v", row.name, e)
				}
			}
		}
		if links, err := w.S.Store.Account().LinkOfEmail(ctx, "person-6@example.org"); domain.KindOf(err) != domain.NotFound || err == nil {
			t.Errorf("an invitation can be used again: %+v, %v", links, err)
		}
	})
}

// The name and slug of a new account come from the provider, as far as they are usable.
func TestSignOnNames(t *testing.T) {
	eachSSO(t, func(t *testing.T, w *ssoRig) {
		s := w.with(accounts.SignOnOptions{SignUp: accounts.SignUpYes})
		w.member("taken")
		for i, row := range []struct{ claim, username, name, slug string }{
			{"Nina N.", "nina", "Nina N.", "nina"},
			{"", "otto", "otto", "otto"},
			{"", "", "mail2", "mail2"},
			{" Two\n lines ", "lines@corp.example", "Two lines", "lines"},
			{"Somebody", "taken", "Somebody", "somebody"},
			{"Rude Name", "settings", "Rude Name", "rude-name"},
			{"Only digits", "12345", "Only digits", "only-digits"},
			{strings.Repeat("x", 300), "long", strings.Repeat("x", domain.MaxTitle), "long"},
		} {
			w.fake.Is(fmt.Sprint(i), "email", fmt.Sprintf("mail%d@example.org", i), "name", row.claim, "preferred_username", row.username)
			r, err := w.signOn(s, accounts.SignOnInput{})
			w.must(err)
			_, u, err := w.a.Accounts.SessionUser(w.ctx(), home, r.Session)
			if w.must(err); u.Name != row.name || u.Slug != row.slug {
				t.Errorf("%q, %q: %q, %q; want %q, %q", row.claim, row.username, u.Name, u.Slug, row.name, row.slug)
			}
		}
	})
}

// A sign-in is finished once, in its browser, in time, and with an answer of the provider.
func TestSignOnSteps(t *testing.T) {
	eachSSO(t, func(t *testing.T, w *ssoRig) {
		s := w.with(accounts.SignOnOptions{SignUp: accounts.SignUpYes})
		w.fake.Is("1", "email", "nina@example.org")
		_, err := w.signOn(s, accounts.SignOnInput{})
		w.must(err)
		was := w.rows("users", "identities", "sessions", "sign_on_steps")
		for _, row := range []struct {
			name   string
			change func(browser *string, r *accounts.ProviderReply)
			want   byte
			left   bool // the sign-in can still be finished
		}{
			{"another browser", func(b *string, _ *accounts.ProviderReply) { *b = "thief" }, 'f', true},
			{"no cookie", func(b *string, _ *accounts.ProviderReply) { *b = "" }, 'f', true},
			{"another state", func(_ *string, r *accounts.ProviderReply) { r.State += "x" }, 'f', true},
			{"another issuer", func(_ *string, r *accounts.ProviderReply) { r.Issuer = "https://evil.example" }, 'f', false},
			{"no code", func(_ *string, r *accounts.ProviderReply) { r.Code = "" }, 'f', false},
			{"a wrong code", func(_ *string, r *accounts.ProviderReply) { r.Code = "x" }, 0, false},
			{"the person cancelled", func(_ *string, r *accounts.ProviderReply) { r.Error = "access_denied" }, 'f', false},
			{"another error", func(_ *string, r *accounts.ProviderReply) { r.Error = "invalid_scope" }, 'f', false},
			{"the provider fails", func(_ *string, r *accounts.ProviderReply) { r.Error = "server_error" }, '!', false},
			{"the provider is overloaded", func(_ *string, r *accounts.ProviderReply) { r.Error = "temporarily_unavailable" }, '!', false},
			{"in the last second", func(*string, *accounts.ProviderReply) { w.Clock.Advance(accounts.StepTTL - time.Second) }, '+', false},
			{"too late", func(*string, *accounts.ProviderReply) { w.Clock.Advance(accounts.StepTTL) }, 'f', false},
		} {
			browser, reply := w.visit(s, domain.Actor{}, accounts.SignOnInput{Next: "/"})
			b, r := browser, reply
			row.change(&b, &r)
			got, err := s.FinishSignOn(w.ctx(), home, domain.Actor{}, domain.Session{}, b, r)
			if o := outcome(err); row.want == 0 && err == nil || row.want != 0 && o != row.want || row.want == '!' && domain.KindOf(err) != domain.Unavailable {
				t.Errorf("%s: %+v, %v", row.name, got, err)
			}
			if err != nil && (got.Session != "" || got.Made || got.Confirm != "") {
				t.Errorf("%s: %+v", row.name, got)
			}
			_, err = s.FinishSignOn(w.ctx(), home, domain.Actor{}, domain.Session{}, browser, reply)
			if (err == nil) != row.left {
				t.Errorf("%s: afterwards %v", row.name, err)
			}
		}
		now := w.rows("users", "identities", "sessions")
		if now[0] != was[0] || now[1] != was[1] || now[2] != was[2]+4 { // three that were not used up, and one in time
			t.Errorf("%v, before %v", now, was)
		}
		w.fake.Away(true)
		fresh := oidc.New(oidc.Options{Issuer: w.fake.Issuer(), ClientID: oidctest.ClientID, Scopes: []string{"openid"}, Now: w.Clock.Now, Log: slog.New(slog.DiscardHandler)})
		away := accounts.NewSSO(&core.Core{Store: w.S.Store, Now: w.Clock.Now}, w.a.Accounts, w.a.People, accounts.SignOnOptions{Provider: fresh})
		if _, _, err := away.BeginSignOn(w.ctx(), home, domain.Actor{}, "", accounts.SignOnInput{}); domain.KindOf(err) != domain.Unavailable {
			t.Errorf("the provider is away: %v", err)
		}
		if away.ProviderSignOut(w.ctx()) != "" {
			t.Error("there is an address to sign out of a provider that is away")
		}
		// Without a provider, there is no single sign-on.
		none := w.a.SSO
		_, _, err = none.BeginSignOn(w.ctx(), home, domain.Actor{}, "", accounts.SignOnInput{})
		w.want(domain.NotFound, err)
		_, err = none.FinishSignOn(w.ctx(), home, domain.Actor{}, domain.Session{}, "b", accounts.ProviderReply{State: "s", Code: "c"})
		w.want(domain.NotFound, err)
		if none.ProviderName() != "" || none.ProviderSignOut(w.ctx()) != "" || s.ProviderName() != "Town Hall" {
			t.Error("the name of the provider")
		}
	})
}

// Many people at one address may sign in, but nobody may fill the database with steps.
func TestSignOnIsLimited(t *testing.T) {
	eachSSO(t, func(t *testing.T, w *ssoRig) {
		s := w.with(accounts.SignOnOptions{SignUp: accounts.SignUpYes})
		var err error
		n := 0
		for ; err == nil && n <= 600; n++ {
			_, _, err = s.BeginSignOn(w.ctx(), home, domain.Actor{}, "", accounts.SignOnInput{})
		}
		w.want(domain.TooMany, err)
		if steps := w.rows("sign_on_steps"); n != 601 || steps[0] != 600 {
			t.Errorf("%d attempts, %d steps", n, steps[0])
		}
		_, _, err = s.BeginSignOn(w.ctx(), elsewhere, domain.Actor{}, "", accounts.SignOnInput{})
		w.must(err)
		w.Clock.Advance(15 * time.Minute)
		_, _, err = s.BeginSignOn(w.ctx(), home, domain.Actor{}, "", accounts.SignOnInput{})
		w.must(err)
		w.must(w.a.Accounts.SweepAccounts(w.ctx()))
		if steps := w.rows("sign_on_steps"); steps[0] != 1 {
			t.Errorf("%d steps are left", steps[0])
		}
	})
}

// An identity is connected after its owner confirms it in a session that was proved, and only once.
func TestConnectIdentity(t *testing.T) {
	eachSSO(t, func(t *testing.T, w *ssoRig) {
		s := w.with(accounts.SignOnOptions{SignUp: accounts.SignUpYes})
		ctx := w.ctx()
		ada, bob, eve, sue := w.member("ada"), w.member("bob"), w.member("eve"), w.member("sue")
		w.connected(s, bob, "bob's", "bob@example.org")
		// begin returns the browser and the token of an identity that waits to be confirmed.
		begin := func(as domain.Actor, subject string) (browser, token string) {
			t.Helper()
			w.fake.Is(subject, "email", "ada@example.org", "name", "Ada")
			browser, reply := w.visit(s, as, accounts.SignOnInput{Connect: true, Next: "/settings"})
			r, err := s.FinishSignOn(ctx, home, as, domain.Session{}, browser, reply)
			if w.must(err); r.Confirm == "" {
				t.Fatalf("%+v", r)
			}
			return browser, r.Confirm
		}
		for _, row := range []struct {
			name  string
			who   domain.Actor
			setup func(browser, token *string) domain.Session
			want  byte
			still bool // the identity can be confirmed afterwards
		}{
			{"another browser", ada, func(b, _ *string) domain.Session { *b = "thief"; return w.Proved(ada.UserID) }, 'n', true},
			{"another token", ada, func(_, k *string) domain.Session { *k += "x"; return w.Proved(ada.UserID) }, 'n', true},
			{"a session that was never proved", ada, func(_, _ *string) domain.Session {
				p := w.Proved(ada.UserID)
				w.Exec("UPDATE sessions SET proved_at = 0 WHERE id = $1", p.ID)
				return p
			}, 'f', true},
			{"a session of somebody else", ada, func(_, _ *string) domain.Session { return w.Proved(eve.UserID) }, 'a', true},
			{"a session that ended", ada, func(_, _ *string) domain.Session {
				p := w.Proved(ada.UserID)
				w.must(w.a.Accounts.EndSession(ctx, ada, p.ID))
				return p
			}, 'a', true},
			{"too late", ada, func(_, _ *string) domain.Session { w.Clock.Advance(accounts.StepTTL); return w.Proved(ada.UserID) }, 'n', false},
			{"an account that is connected already", bob, func(_, _ *string) domain.Session { return w.Proved(bob.UserID) }, 'f', true},
			{"a suspended account", sue, func(_, _ *string) domain.Session {
				_, err := w.a.Operating.Suspend(ctx, domain.Ref{Slug: "sue"}, true)
				w.must(err)
				return w.Proved(sue.UserID)
			}, 'f', true},
		} {
			browser, token := begin(row.who, "ada's")
			b, k := browser, token
			session := row.setup(&b, &k)
			was := w.rows("identities")
			next, secret, err := s.ConfirmSignOn(ctx, row.who, session, b, k)
			if outcome(err) != row.want || next != "" || secret != "" || w.rows("identities")[0] != was[0] {
				t.Errorf("%s: %q, %v", row.name, next, err)
			}
			p, err := s.PendingSignOn(ctx, browser, token)
			if (err == nil) != row.still || row.still && (p.Email != "ada@example.org" || p.Name != "Ada" || p.Taken) {
				t.Errorf("%s: afterwards %+v, %v", row.name, p, err)
			}
		}
		browser, token := begin(ada, "ada's")
		session := w.Proved(ada.UserID)
		next, secret, err := s.ConfirmSignOn(ctx, ada, session, browser, token)
		if w.must(err); next != "/settings" || secret == "" {
			t.Errorf("%q %q", next, secret)
		}
		if e := w.latest(domain.ActConnected); e.ActorID != ada.UserID || e.Details["by"] != "settings" {
			t.Errorf("noted %+v", e)
		}
		if mails := w.mails("ada@example.org"); len(mails) != 1 {
			t.Errorf("mailed %+v", mails)
		}
		_, _, err = s.ConfirmSignOn(ctx, ada, session, browser, token) // the token is used up
		w.want(domain.NotFound, err)
		// Connecting it again changes nothing, and nobody else can connect it.
		w.fake.Is("ada's", "email", "ada@example.org")
		browser, reply := w.visit(s, ada, accounts.SignOnInput{Connect: true})
		if r, err := s.FinishSignOn(ctx, home, ada, domain.Session{}, browser, reply); err != nil || r.Confirm != "" || r.Session != "" {
			t.Errorf("%+v, %v", r, err)
		}
		browser, reply = w.visit(s, eve, accounts.SignOnInput{Connect: true})
		_, err = s.FinishSignOn(ctx, home, eve, domain.Session{}, browser, reply)
		w.want(domain.Forbidden, err)
		// Two accounts may wait for the same identity, and the first gets it.
		w.fake.Is("free", "email", "x@example.org")
		type waiting struct {
			who            domain.Actor
			browser, token string
			session        domain.Session
		}
		var all []waiting
		for _, who := range []domain.Actor{eve, w.member("kim")} {
			browser, token := begin(who, "free")
			all = append(all, waiting{who, browser, token, w.Proved(who.UserID)})
		}
		var won atomic.Int64
		var g sync.WaitGroup
		for _, one := range all {
			g.Go(func() {
				_, _, err := s.ConfirmSignOn(ctx, one.who, one.session, one.browser, one.token)
				switch outcome(err) {
				case '+':
					won.Add(1)
				case 'f':
				default:
					t.Error(err)
				}
			})
		}
		g.Wait()
		if won.Load() != 1 {
			t.Errorf("%d accounts got one identity", won.Load())
		}
	})
}

// The last way into an account cannot be disconnected.
func TestDisconnectIdentity(t *testing.T) {
	eachSSO(t, func(t *testing.T, w *ssoRig) {
		ctx := w.ctx()
		storetest.Group(t, w.S.Store, "Editors", w.op.UserID)
		s := w.with(accounts.SignOnOptions{SignUp: accounts.SignUpYes, Groups: []accounts.GroupRule{{Theirs: "staff", Ours: "editors"}}})
		only := w.with(accounts.SignOnOptions{Only: true})
		ada, bob := w.member("ada"), w.member("bob")
		w.connected(s, ada, "ada's", "ada@example.org")
		w.connected(s, bob, "bob's", "bob@example.org")
		w.fake.Is("nina's", "email", "nina@example.org", "groups", []string{"staff"})
		r, err := w.signOn(s, accounts.SignOnInput{})
		w.must(err)
		nina := w.actor(r.Session)
		idOf := func(who domain.Actor) accounts.IdentityID {
			t.Helper()
			all, err := s.Connections(ctx, who)
			if w.must(err); len(all) != 1 || !all[0].Usable {
				t.Fatalf("%+v", all)
			}
			return all[0].ID
		}
		unproved := w.Proved(ada.UserID)
		w.Exec("UPDATE sessions SET proved_at = 0 WHERE id = $1", unproved.ID)
		before := w.Dump()
		for _, row := range []struct {
			name    string
			s       *accounts.SSO
			who     domain.Actor
			session domain.Session
			id      accounts.IdentityID
			want    byte
		}{
			{"an unknown identity", s, ada, unproved, 1 << 40, 'n'},
			{"an identity of somebody else", s, ada, unproved, idOf(bob), 'n'},
			{"a guest", s, domain.Actor{}, domain.Session{}, idOf(bob), 'n'},
			{"the only way into an account without a password", s, nina, domain.Session{}, idOf(nina), 'u'},
			{"the only way into the site", only, ada, unproved, idOf(ada), 'u'},
			{"a session that was not proved", s, ada, unproved, idOf(ada), 'f'},
		} {
			if secret, err := row.s.Disconnect(ctx, row.who, row.session, row.id); outcome(err) != row.want || secret != "" {
				t.Errorf("%s: %v", row.name, err)
			}
		}
		if d := before.Diff(w.Dump()); len(d) > 0 {
			t.Errorf("refused calls changed %v", d)
		}
		// With a password, an identity can go, and the memberships that came from it go with it.
		id, session := idOf(nina), w.Proved(nina.UserID)
		secret, err := w.a.Accounts.ChangePassword(ctx, nina, session, password, false)
		w.must(err)
		session.Hash = auth.HashToken(secret)
		other := w.session(r.Session)
		if _, err := s.Disconnect(ctx, nina, session, id); err != nil {
			t.Fatal(err)
		}
		if all, err := s.Connections(ctx, nina); err != nil || len(all) != 0 {
			t.Errorf("%+v, %v", all, err)
		}
		if g, err := w.a.People.Group(ctx, nina, domain.Ref{Slug: "editors"}); err != nil || g.Member {
			t.Errorf("still a member, %v", err)
		}
		if e := w.latest(domain.ActDisconnected); e.ActorID != nina.UserID || e.Details["issuer"] != w.fake.Issuer() {
			t.Errorf("noted %+v", e)
		}
		if now := w.session(r.Session); w.a.Accounts.MayOpen(now) || other.ID != now.ID {
			t.Error("the other session counts as confirmed")
		}
		_, err = s.Disconnect(ctx, nina, w.Proved(nina.UserID), id)
		w.want(domain.NotFound, err)
	})
}

// Rules map groups of the provider to groups here. Memberships that people got in another way stay.
func TestGroupsOfTheProvider(t *testing.T) {
	eachSSO(t, func(t *testing.T, w *ssoRig) {
		ctx, s := w.ctx(), w.S.Store
		editors := storetest.Group(t, s, "Editors", w.op.UserID)
		seven := storetest.Group(t, s, "Seven", w.op.UserID)
		rules := []accounts.GroupRule{{Theirs: "staff", Ours: "editors"}, {Theirs: "all", Ours: "editors"}, {Theirs: "7", Ours: "seven"}, {Theirs: "x", Ours: "no-such"}}
		a := w.with(accounts.SignOnOptions{SignUp: accounts.SignUpYes, Groups: rules})
		nina := domain.Actor{}
		for i, row := range []struct {
			name   string
			before func()
			groups any
			want   []domain.GroupID
			acts   string // added and removed members since the last row
		}{
			{"the first sign-in", nil, []string{"staff", "other"}, []domain.GroupID{editors}, "+"},
			{"nothing changed", nil, []string{"staff"}, []domain.GroupID{editors}, ""},
			{"another group leads to the same", nil, []string{"all"}, []domain.GroupID{editors}, ""},
			{"both lead to the same", nil, []string{"all", "staff"}, []domain.GroupID{editors}, ""},
			{"one more", nil, []string{"all", "7"}, []domain.GroupID{editors, seven}, "+"},
			{"a rule names a group that does not exist", nil, []string{"x", "7"}, []domain.GroupID{seven}, "-"},
			{"the provider lists no groups", nil, []string{}, nil, "-"},
			{"a member before", func() {
				storetest.In(t, s, func(tx *store.Tx) error {
					_, err := tx.Membership().AddMember(ctx, editors, nina.UserID, storetest.Now)
					return err
				})
			}, []string{"staff"}, []domain.GroupID{editors}, ""},
			{"that membership stays", nil, []string{}, []domain.GroupID{editors}, ""},
			{"back from the provider", nil, []string{"7"}, []domain.GroupID{editors, seven}, "+"},
			{"the owner stays", func() {
				w.Exec("UPDATE groups SET owner_id = $1 WHERE id = $2", nina.UserID, seven)
			}, []string{}, []domain.GroupID{editors, seven}, ""},
			{"and is not a member by the provider any more", func() {
				w.Exec("UPDATE groups SET owner_id = $1 WHERE id = $2", w.op.UserID, seven)
			}, []string{}, []domain.GroupID{editors, seven}, ""},
			{"a member leaves and comes back", func() {
				w.must(w.a.People.LeaveGroup(ctx, nina, domain.Ref{ID: int64(seven)}))
			}, []string{"7"}, []domain.GroupID{editors, seven}, "-+"},
			{"a claim that is no list", nil, "7", []domain.GroupID{editors, seven}, ""},
		} {
			if row.before != nil {
				row.before()
			}
			w.fake.Is("nina's", "email", "nina@example.org", "groups", row.groups)
			r, err := w.signOn(a, accounts.SignOnInput{})
			w.must(err)
			nina = w.actor(r.Session)
			var got []domain.GroupID
			for _, g := range []domain.GroupID{editors, seven} {
				if is, err := s.Membership().IsMember(ctx, g, nina.UserID); err != nil || is {
					got = append(got, g)
				}
			}
			entries, err := s.Audit().AuditEntries(ctx, domain.AuditFilter{From: w.Clock.Now().Add(-time.Hour)}, domain.AuditPlace{}, true, 1000)
			w.must(err)
			acts := ""
			for _, e := range entries {
				switch e.Act {
				case domain.ActMemberAdded:
					acts += "+"
				case domain.ActMemberRemoved:
					acts += "-"
				}
			}
			w.Clock.Advance(2 * time.Hour)
			if !slices.Equal(got, row.want) || acts != row.acts {
				t.Errorf("%d, %s: member of %v, want %v; noted %q, want %q", i, row.name, got, row.want, acts, row.acts)
			}
		}
	})
}

// If the provider cannot list all groups of a person, their memberships stay.
func TestIncompleteGroups(t *testing.T) {
	eachSSO(t, func(t *testing.T, w *ssoRig) {
		editors := storetest.Group(t, w.S.Store, "Editors", w.op.UserID)
		a := w.with(accounts.SignOnOptions{SignUp: accounts.SignUpYes, Groups: []accounts.GroupRule{{Theirs: "staff", Ours: "editors"}}})
		w.fake.Is("1", "email", "nina@example.org", "groups", []string{"staff"})
		r, err := w.signOn(a, accounts.SignOnInput{})
		w.must(err)
		nina := w.actor(r.Session)
		w.fake.Is("1", "email", "nina@example.org", "_claim_names", map[string]any{"groups": "src1"},
			"_claim_sources", map[string]any{"src1": map[string]any{"endpoint": "https://provider.example/groups"}})
		_, err = w.signOn(a, accounts.SignOnInput{})
		w.must(err)
		if is, err := w.S.Store.Membership().IsMember(w.ctx(), editors, nina.UserID); err != nil || !is {
			t.Errorf("the membership ended, %v", err)
		}
		w.fake.Is("1", "email", "nina@example.org", "groups", []string{})
		_, err = w.signOn(a, accounts.SignOnInput{})
		w.must(err)
		if is, err := w.S.Store.Membership().IsMember(w.ctx(), editors, nina.UserID); err != nil || is {
			t.Errorf("the membership stayed, %v", err)
		}
	})
}

// A session is confirmed by signing in again at the provider, as the same person.
func TestProveBySignOn(t *testing.T) {
	eachSSO(t, func(t *testing.T, w *ssoRig) {
		ctx := w.ctx()
		s := w.with(accounts.SignOnOptions{SignUp: accounts.SignUpYes})
		ada, bob := w.member("ada"), w.member("bob")
		w.connected(s, ada, "ada's", "ada@example.org")
		w.connected(s, bob, "bob's", "bob@example.org")
		secret := w.signIn("ada")
		for _, row := range []struct {
			name    string
			subject string
			ago     time.Duration // since the person signed in at the provider
			as      domain.Actor  // who is signed in when the answer arrives
			want    byte
		}{
			{"the provider did not ask", "ada's", 2 * time.Minute, ada, 'f'},
			{"a clock that is behind", "ada's", 50 * time.Second, ada, '+'},
			{"somebody else's identity", "bob's", 0, ada, 'a'},
			{"an unknown identity", "eve's", 0, ada, 'a'},
			{"signed out in the meantime", "ada's", 0, domain.Actor{}, 'f'},
			{"now", "ada's", 0, ada, '+'},
		} {
			w.Clock.Advance(time.Hour)
			session := w.session(secret)
			w.fake.Is(row.subject, "email", "x@example.org", "auth_time", w.Clock.Now().Add(-row.ago).Unix())
			browser, reply := w.visit(s, ada, accounts.SignOnInput{Prove: true, Next: "/settings/email"})
			r, err := s.FinishSignOn(ctx, home, row.as, session, browser, reply)
			if outcome(err) != row.want || r.Proved != (row.want == '+') || r.Next != "/settings/email" || r.Made {
				t.Errorf("%s: %+v, %v", row.name, r, err)
			}
			if row.want == '+' {
				secret = r.Session
			}
			if proved := w.a.Accounts.MayOpen(w.session(secret)); proved != (row.want == '+') {
				t.Errorf("%s: confirmed: %v", row.name, proved)
			}
		}
		if e := w.latest(domain.ActConfirmed); e.ActorID != ada.UserID || e.Details["by"] != "single sign-on" {
			t.Errorf("noted %+v", e)
		}
	})
}

// The ways to confirm an account, and when a mail is one of them.
func TestProofWays(t *testing.T) {
	eachSSO(t, func(t *testing.T, w *ssoRig) {
		ctx := w.ctx()
		s := w.with(accounts.SignOnOptions{SignUp: accounts.SignUpYes})
		old := w.a.SSO // without a provider, an identity is no way
		nobody := func(name string) domain.Actor {
			return domain.Actor{UserID: w.Person("with-" + name).ID, Scope: domain.ScopeWrite}
		}
		none, password, signOn, both := nobody("none"), w.member("with-password"), nobody("sign-on"), w.member("with-both")
		w.connected(s, signOn, "1", "a@example.org")
		w.connected(s, both, "2", "b@example.org")
		passkey := nobody("passkey")
		w.add(newKeyring(), passkey, "Key")
		for _, row := range []struct {
			name string
			s    *accounts.SSO
			who  domain.Actor
			want accounts.ProofWays
		}{
			{"none", s, none, accounts.ProofWays{Mail: true}},
			{"password", s, password, accounts.ProofWays{Password: true}},
			{"passkey", s, passkey, accounts.ProofWays{Passkey: true}},
			{"sign-on", s, signOn, accounts.ProofWays{SignOn: true}},
			{"both", s, both, accounts.ProofWays{Password: true, SignOn: true}},
			{"sign-on, but the provider is gone", old, signOn, accounts.ProofWays{Mail: true}},
		} {
			got, err := row.s.ProofWays(ctx, row.who)
			if w.must(err); got != row.want {
				t.Errorf("%s: %+v, want %+v", row.name, got, row.want)
			}
			before := w.rows("river_job")
			err = row.s.MailProofLink(ctx, row.who, w.Proved(row.who.UserID))
			if mailed := w.rows("river_job")[0] > before[0]; (err == nil) != row.want.Mail || mailed != row.want.Mail {
				t.Errorf("%s: a mail %v, %v", row.name, mailed, err)
			}
		}
		_, err := s.ProofWays(ctx, domain.Actor{})
		w.want(domain.NotFound, err)
	})
}

// A link of the command line signs in once, in time, unless the account is suspended.
func TestSignInLinks(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		a, ctx := w.a.SSO, w.ctx()
		w.first("op")
		ada := w.member("ada")
		w.member("sue")
		_, err := w.a.Operating.Suspend(ctx, domain.Ref{Slug: "sue"}, true)
		w.must(err)
		for ref, want := range map[domain.Ref]byte{{Slug: "nobody"}: 'n', {ID: 1 << 40}: 'n', {Slug: "sue"}: 'u'} {
			if _, _, err := a.MakeSignInLink(ctx, ref); outcome(err) != want {
				t.Errorf("%v: %v", ref, err)
			}
		}
		if n := w.rows("sign_on_steps"); n[0] != 0 {
			t.Errorf("%d links", n[0])
		}
		link := func() string {
			t.Helper()
			u, address, err := a.MakeSignInLink(ctx, domain.Ref{Slug: "ada"})
			if w.must(err); u.ID != ada.UserID || !strings.HasPrefix(address, apptest.Base+"/sign-in/link/") {
				t.Fatalf("%+v %s", u, address)
			}
			return tokenOf(address)
		}
		bad, _, _ := auth.NewToken(auth.Mailed)
		kind, _, _ := auth.NewToken(auth.Session)
		for _, token := range []string{"", "x", bad, kind} {
			_, err := a.SignInLink(ctx, token)
			w.want(domain.NotFound, err)
			_, err = a.SignInByLink(ctx, home, token)
			w.want(domain.NotFound, err)
		}
		first := link()
		for range 2 { // looking uses nothing up
			if u, err := a.SignInLink(ctx, first); err != nil || u.ID != ada.UserID {
				t.Errorf("%+v, %v", u, err)
			}
		}
		session, err := a.SignInByLink(ctx, home, first)
		if w.must(err); w.session(session).UserID != ada.UserID {
			t.Error("another account")
		}
		if e := w.latest(domain.ActSignedIn); e.Details["by"] != "a link of the command line" {
			t.Errorf("noted %+v", e)
		}
		_, err = a.SignInByLink(ctx, home, first)
		w.want(domain.NotFound, err)
		late, early := link(), ""
		w.Clock.Advance(15*time.Minute - time.Second)
		if _, err := a.SignInLink(ctx, late); err != nil {
			t.Errorf("in the last second: %v", err)
		}
		w.Clock.Advance(time.Second)
		_, err = a.SignInByLink(ctx, home, late)
		w.want(domain.NotFound, err)
		// Concurrent uses of one link open one session.
		early = link()
		var in atomic.Int64
		var g sync.WaitGroup
		for range 5 {
			g.Go(func() {
				if _, err := a.SignInByLink(context.WithoutCancel(ctx), home, early); err == nil {
					in.Add(1)
				} else if domain.KindOf(err) != domain.NotFound {
					t.Error(err)
				}
			})
		}
		g.Wait()
		if in.Load() != 1 {
			t.Errorf("%d sessions by one link", in.Load())
		}
		last := link()
		_, err = w.a.Operating.Suspend(ctx, domain.Ref{Slug: "ada"}, true)
		w.must(err)
		_, err = a.SignInLink(ctx, last)
		w.want(domain.NotFound, err)
		_, err = a.SignInByLink(ctx, home, last)
		w.want(domain.NotFound, err)
		if rows := fmt.Sprint(w.Dump()); strings.Contains(rows, last) || strings.Contains(rows, first) {
			t.Error("the database contains a token")
		}
	})
}

// An invitation that was in the path to continue at admits a newcomer.
func TestSignOnWithInvitation(t *testing.T) {
	eachSSO(t, func(t *testing.T, w *ssoRig) {
		ctx, s := w.ctx(), w.with(accounts.SignOnOptions{SignUp: accounts.SignUpFollow})
		w.must(w.a.Operating.SetSignUpMode(ctx, w.op, domain.SignUpInvitation))
		storetest.Group(t, w.S.Store, "Class", w.op.UserID)
		by := operating.OnSite(w.op, home)
		token, _, err := w.a.Operating.CreateSignUpLink(ctx, by, operating.SignUpLinkInput{Places: 2, Group: "class"})
		w.must(err)
		for i, row := range []struct {
			name string
			in   accounts.SignOnInput
			want byte
		}{
			{"no invitation", accounts.SignOnInput{}, 'f'},
			{"a token of another kind", accounts.SignOnInput{Invite: "vitrine_pat_x"}, 'f'},
			{"the token of a link", accounts.SignOnInput{Invite: token}, '+'},
			{"in the path to continue at", accounts.SignOnInput{Next: "/invitations/" + token}, '+'},
			{"the places are taken", accounts.SignOnInput{Invite: token}, 'f'},
		} {
			w.fake.Is(fmt.Sprint(i), "email", fmt.Sprintf("p%d@example.org", i))
			was := w.rows("users")
			r, err := w.signOn(s, row.in)
			if outcome(err) != row.want || r.Made != (row.want == '+') || w.rows("users")[0]-was[0] != map[bool]int64{true: 1, false: 0}[row.want == '+'] {
				t.Errorf("%s: %+v, %v", row.name, r, err)
			}
			if r.Session == "" {
				continue
			}
			if g, err := w.a.People.Group(ctx, w.actor(r.Session), domain.Ref{Slug: "class"}); err != nil || !g.Member {
				t.Errorf("%s: no member, %v", row.name, err)
			}
		}
	})
}

// Somebody who signs in many times at once for the first time gets one account.
func TestSignOnAtOnce(t *testing.T) {
	eachSSO(t, func(t *testing.T, w *ssoRig) {
		s := w.with(accounts.SignOnOptions{SignUp: accounts.SignUpYes})
		w.fake.Is("1", "email", "nina@example.org")
		was := w.rows("users", "identities", "sessions")
		type visit struct {
			browser string
			reply   accounts.ProviderReply
		}
		var all []visit
		for range 6 {
			b, r := w.visit(s, domain.Actor{}, accounts.SignOnInput{})
			all = append(all, visit{b, r})
		}
		var made atomic.Int64
		var g sync.WaitGroup
		for _, v := range all {
			g.Go(func() {
				r, err := s.FinishSignOn(w.ctx(), home, domain.Actor{}, domain.Session{}, v.browser, v.reply)
				if err != nil || r.Session == "" {
					t.Errorf("%+v, %v", r, err)
				}
				if r.Made {
					made.Add(1)
				}
			})
		}
		g.Wait()
		now := w.rows("users", "identities", "sessions")
		if made.Load() != 1 || now[0] != was[0]+1 || now[1] != was[1]+1 || now[2] != was[2]+6 {
			t.Errorf("%d made; %v, before %v", made.Load(), now, was)
		}
	})
}

// A provider that answers with rubbish signs nobody in.
func TestSignOnWithBrokenProvider(t *testing.T) {
	eachSSO(t, func(t *testing.T, w *ssoRig) {
		s := w.with(accounts.SignOnOptions{SignUp: accounts.SignUpYes})
		w.fake.Is("1", "email", "nina@example.org")
		was := w.rows("users", "sessions")
		for name, change := range map[string]func(header, claims map[string]any){
			"another audience": func(_, c map[string]any) { c["aud"] = "somebody" },
			"another issuer":   func(_, c map[string]any) { c["iss"] = "https://evil.example" },
			"another nonce":    func(_, c map[string]any) { c["nonce"] = "x" },
			"expired":          func(_, c map[string]any) { c["exp"] = w.Clock.Now().Add(-time.Hour).Unix() },
			"not signed":       func(h, _ map[string]any) { h["alg"] = "none" },
			"no subject":       func(_, c map[string]any) { delete(c, "sub") },
			"a long subject":   func(_, c map[string]any) { c["sub"] = strings.Repeat("x", 256) },
		} {
			w.fake.Tampers(change)
			if r, err := w.signOn(s, accounts.SignOnInput{}); err == nil || r.Session != "" {
				t.Errorf("%s: %+v, %v", name, r, err)
			}
		}
		w.fake.Tampers(nil)
		w.fake.Answers(func(rw http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/token" {
				return false
			}
			_, _ = rw.Write([]byte("<html>"))
			return true
		})
		if _, err := w.signOn(s, accounts.SignOnInput{}); err == nil {
			t.Error("a page instead of a token signs in")
		}
		if now := w.rows("users", "sessions"); !slices.Equal(now, was) {
			t.Errorf("%v, before %v", now, was)
		}
		w.fake.Answers(nil)
		_, err := w.signOn(s, accounts.SignOnInput{})
		w.must(err)
	})
}
