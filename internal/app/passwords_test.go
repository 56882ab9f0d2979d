package app_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/app/operating"
	"vitrine/internal/domain"
)

const another = "a staple of batteries"

func TestForgottenPassword(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("ada")
		old := w.signIn("ada")
		w.must(w.a.Accounts.ForgotPassword(w.ctx(), elsewhere, "Ada@example.org"))
		token := w.token("ada@example.org")
		w.must(w.a.Accounts.PasswordLink(w.ctx(), token))
		_, err := w.a.Accounts.ResetPassword(w.ctx(), home, token, "short")
		w.want(domain.Invalid, err)
		session, err := w.a.Accounts.ResetPassword(w.ctx(), home, token, another)
		w.must(err)
		w.actor(session)
		_, _, err = w.a.Accounts.SessionUser(w.ctx(), home, old)
		w.want(domain.Unauthenticated, err)
		_, err = w.a.Accounts.SignIn(w.ctx(), home, "ada@example.org", password)
		w.want(domain.Unauthenticated, err)
		_, err = w.a.Accounts.SignIn(w.ctx(), home, "ada@example.org", another)
		w.must(err)
		_, err = w.a.Accounts.ResetPassword(w.ctx(), home, token, another)
		w.want(domain.NotFound, err)
		w.want(domain.NotFound, w.a.Accounts.PasswordLink(w.ctx(), token))
		told := false
		for _, m := range w.mails("ada@example.org") {
			told = told || m.Subject == "Your password was changed"
		}
		if !told {
			t.Error("nobody was told")
		}
	})
}

func TestResetTwiceAtOnce(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada := w.first("ada")
		w.must(w.a.Accounts.ForgotPassword(w.ctx(), home, "ada@example.org"))
		token := w.token("ada@example.org")
		var g sync.WaitGroup
		var done atomic.Int64
		for range 4 {
			g.Go(func() {
				_, err := w.a.Accounts.ResetPassword(w.ctx(), home, token, another)
				if err == nil {
					done.Add(1)
				} else if domain.KindOf(err) != domain.NotFound {
					t.Error(err)
				}
			})
		}
		g.Wait()
		if sessions, err := w.a.Accounts.Sessions(w.ctx(), ada); err != nil || done.Load() != 1 || len(sessions) != 1 {
			t.Errorf("%d resets by one link, %d sessions, %v", done.Load(), len(sessions), err)
		}
	})
}

// Only the newest link works, and it expires.
func TestPasswordLinks(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("ada")
		w.must(w.a.Accounts.ForgotPassword(w.ctx(), home, "ada@example.org"))
		first := w.mails("ada@example.org")[0]
		w.must(w.a.Accounts.ForgotPassword(w.ctx(), home, "ada@example.org"))
		second := w.token("ada@example.org", first.ID)
		w.want(domain.NotFound, w.a.Accounts.PasswordLink(w.ctx(), mailedToken.FindString(first.Text)))
		w.must(w.a.Accounts.PasswordLink(w.ctx(), second))
		w.Clock.Advance(3 * time.Hour)
		w.want(domain.NotFound, w.a.Accounts.PasswordLink(w.ctx(), second))
	})
}

func TestForgotPasswordDoesNotTell(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("ada")
		ask := func(email string) string {
			return strings.Join(w.Statements(func() { w.must(w.a.Accounts.ForgotPassword(w.ctx(), elsewhere, email)) }), "\n")
		}
		if a, b := ask("ada@example.org"), ask("nobody@example.org"); a != b {
			t.Errorf("statements differ:\n%s\n\n%s", a, b)
		}
		if len(w.mails("nobody@example.org")) != 0 {
			t.Error("a mail to nobody")
		}
	})
}

func TestChangePassword(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada := w.first("ada")
		mine, other := w.signIn("ada"), w.signIn("ada")
		s, _, err := w.a.Accounts.SessionUser(w.ctx(), home, mine)
		w.must(err)
		_, err = w.a.Accounts.ChangePassword(w.ctx(), ada, s, "password1", true)
		w.want(domain.Invalid, err)
		w.actor(w.must2(w.a.Accounts.ChangePassword(w.ctx(), ada, s, another, true)))
		_, _, err = w.a.Accounts.SessionUser(w.ctx(), home, mine)
		w.want(domain.Unauthenticated, err)
		_, _, err = w.a.Accounts.SessionUser(w.ctx(), home, other)
		w.want(domain.Unauthenticated, err)
		_, err = w.a.Accounts.SignIn(w.ctx(), home, "ada@example.org", another)
		w.must(err)
	})
}

func TestChangeEmail(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada := w.first("ada")
		w.member("grace")
		w.want(domain.Invalid, w.a.Accounts.ChangeEmail(w.ctx(), home, ada, w.Proved(ada.UserID), "ADA@example.org"))
		w.must(w.a.Accounts.ChangeEmail(w.ctx(), home, ada, w.Proved(ada.UserID), "New@Example.org"))
		token := w.token("new@example.org")
		if email, err := w.a.Accounts.AddressLink(w.ctx(), token); err != nil || email != "new@example.org" {
			t.Error(email, err)
		}
		u, _, err := w.a.Accounts.ConfirmEmail(w.ctx(), domain.Actor{}, domain.Session{}, token, false)
		if w.must(err); u.Email != "new@example.org" {
			t.Error(u.Email)
		}
		_, _, err = w.a.Accounts.ConfirmEmail(w.ctx(), domain.Actor{}, domain.Session{}, token, false)
		w.want(domain.NotFound, err)
		if m := w.mails("ada@example.org"); len(m) != 1 || m[0].Subject != "Your address was changed" {
			t.Errorf("the old address was told %+v", m)
		}
		_, err = w.a.Accounts.SignIn(w.ctx(), home, "new@example.org", password)
		w.must(err)
	})
}

// Somebody who knew the old password and requested another address with it does not get the account once the password
// has changed or the account was suspended.
func TestAddressLinksEnd(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada := w.first("ada")
		suspend := func(id domain.UserID, yes bool) {
			_, err := w.a.Operating.SetAccount(w.ctx(), ada, id, operating.AccountChange{Suspended: &yes})
			w.must(err)
		}
		for name, end := range map[string]func(who domain.Actor){
			"grace": func(who domain.Actor) {
				w.must2(w.a.Accounts.ChangePassword(w.ctx(), who, w.Proved(who.UserID), another, true))
			},
			"alan": func(domain.Actor) {
				w.must(w.a.Accounts.ForgotPassword(w.ctx(), home, "alan@example.org"))
				_, err := w.a.Accounts.ResetPassword(w.ctx(), home, w.token("alan@example.org"), another)
				w.must(err)
			},
			"edsger": func(who domain.Actor) {
				suspend(who.UserID, true)
				suspend(who.UserID, false)
			},
		} {
			who := w.member(name)
			w.must(w.a.Accounts.ChangeEmail(w.ctx(), elsewhere, who, w.Proved(who.UserID), name+"@example.net"))
			token := w.token(name + "@example.net")
			end(who)
			_, _, err := w.a.Accounts.ConfirmEmail(w.ctx(), domain.Actor{}, domain.Session{}, token, false)
			w.want(domain.NotFound, err)
		}
	})
}

func TestChangeEmailToOneThatIsTaken(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada := w.first("ada")
		w.member("grace")
		ask := func(email string) string {
			return strings.Join(w.Statements(func() { w.must(w.a.Accounts.ChangeEmail(w.ctx(), home, ada, w.Proved(ada.UserID), email)) }), "\n")
		}
		taken := ask("grace@example.org")
		if m := w.mails("grace@example.org"); len(m) != 1 || mailedToken.MatchString(m[0].Text) {
			t.Errorf("%+v", m)
		}
		if free := ask("new@example.org"); free != taken {
			t.Errorf("statements differ:\n%s\n\n%s", free, taken)
		}
		token := w.token("new@example.org")
		_, err := w.a.Accounts.CreateUser(w.ctx(), accounts.CreateUserInput{Name: "New", Email: "new@example.org", Tier: domain.TierFree})
		w.must(err) // the address is taken while the link is pending
		_, _, err = w.a.Accounts.ConfirmEmail(w.ctx(), domain.Actor{}, domain.Session{}, token, false)
		w.want(domain.NotFound, err)
	})
}
