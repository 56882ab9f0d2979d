package app_test

import (
	"context"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/app"
	"vitrine/internal/app/accounts"
	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/domain"
)

// Visitors from ada's household, and from another one.
var (
	home      = domain.Visitor{Address: netip.MustParseAddr("192.0.2.1"), Agent: "Browser/1"}
	elsewhere = domain.Visitor{Address: netip.MustParseAddr("198.51.100.7"), Agent: "Browser/2"}
)

const password = "correct horse battery"

func open(cfg *config.Config) { cfg.SignUp = "open" }

// accountsRig is a server whose accounts are created by signing up.
type accountsRig struct {
	*apptest.Rig
	t *testing.T
	a *app.App
}

func eachAccounts(t *testing.T, f func(t *testing.T, w *accountsRig), options ...apptest.Option) {
	t.Helper()
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) { f(t, &accountsRig{r, t, r.S.App}) }, options...)
}

func (w *accountsRig) ctx() context.Context { return w.t.Context() }

func (w *accountsRig) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// want fails unless an error has a kind.
func (w *accountsRig) want(kind domain.Kind, err error) {
	w.t.Helper()
	if err == nil || domain.KindOf(err) != kind {
		w.t.Fatalf("got %v, want an error of kind %d", err, kind)
	}
}

func wanted(name string) accounts.SignUpInput {
	return accounts.SignUpInput{Name: strings.ToUpper(name[:1]) + name[1:], Slug: name, Email: name + "@example.org", Password: password}
}

// first creates the first account of the server, the operator.
func (w *accountsRig) first(name string) domain.Actor {
	w.t.Helper()
	session, err := w.a.Accounts.SignUp(w.ctx(), home, wanted(name))
	w.must(err)
	return w.actor(session)
}

// member creates another account with a password.
func (w *accountsRig) member(name string) domain.Actor {
	w.t.Helper()
	in := wanted(name)
	u, err := w.a.Accounts.CreateUser(w.ctx(), accounts.CreateUserInput{Slug: in.Slug, Name: in.Name, Email: in.Email, Password: password,
		Tier: domain.TierSupporter})
	w.must(err)
	return domain.Actor{UserID: u.ID, Tier: u.Tier, Scope: domain.ScopeWrite}
}

// actor returns the actor of a session.
func (w *accountsRig) actor(session string) domain.Actor {
	w.t.Helper()
	_, u, err := w.a.Accounts.SessionUser(w.ctx(), home, session)
	w.must(err)
	return domain.Actor{UserID: u.ID, Tier: u.Tier, Scope: domain.ScopeWrite}
}

func (w *accountsRig) signIn(name string) string {
	w.t.Helper()
	session, err := w.a.Accounts.SignIn(w.ctx(), home, name+"@example.org", password)
	w.must(err)
	return session
}

var mailedToken = regexp.MustCompile(`vitrine_[a-z]{3}_[0-9A-Za-z]{46}`)

// mails runs the jobs and returns the new mails to an address.
func (w *accountsRig) mails(to string, seen ...string) (all []apptest.Mail) {
	w.t.Helper()
	w.WorkJobs()
	for _, m := range w.Outbox() {
		if m.To == to && !slices.Contains(seen, m.ID) {
			all = append(all, m)
		}
	}
	return all
}

// token returns the token of the link in the only new mail to an address.
func (w *accountsRig) token(to string, seen ...string) string {
	w.t.Helper()
	mails := w.mails(to, seen...)
	if len(mails) != 1 {
		w.t.Fatalf("%d mails to %s", len(mails), to)
	}
	return mailedToken.FindString(mails[0].Text)
}
