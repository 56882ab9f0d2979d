package app_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/config"
	"vitrine/internal/domain"
)

func TestFirstAccount(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		if o, err := w.a.Accounts.SignUpOffer(w.ctx(), ""); err != nil || !o.First || !o.Open || o.Mode != domain.SignUpInvitation {
			t.Fatal(o, err)
		}
		ada := w.first("ada")
		u, err := w.a.People.Me(w.ctx(), ada)
		if w.must(err); u.Office != domain.OfficeOperator || u.Slug != "ada" {
			t.Errorf("%+v", u)
		}
		if o, err := w.a.Accounts.SignUpOffer(w.ctx(), ""); err != nil || o.First || o.Open {
			t.Error(o, err)
		}
		_, err = w.a.Accounts.SignUp(w.ctx(), home, wanted("grace"))
		w.want(domain.Forbidden, err)
		if len(w.mails("ada@example.org")) != 0 {
			t.Error("the first account needs no mail")
		}
	})
}

func TestFirstAccountsAtOnce(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		names := []string{"ada", "grace", "alan", "edsger"}
		var g sync.WaitGroup
		for i, name := range names {
			g.Go(func() {
				if i%2 == 0 {
					_, err := w.a.Accounts.SignUp(w.ctx(), home, wanted(name))
					if err != nil && domain.KindOf(err) != domain.Forbidden {
						t.Error(err)
					}
				} else if _, err := w.a.Accounts.CreateUser(w.ctx(), accounts.CreateUserInput{Name: name, Email: name + "@example.org",
					Tier: domain.TierFree}); err != nil {
					t.Error(err)
				}
			})
		}
		g.Wait()
		all, err := w.a.People.Users(w.ctx(), 0, 10)
		w.must(err)
		operators := 0
		for _, u := range all {
			if u.Office == domain.OfficeOperator {
				operators++
			}
		}
		if operators != 1 {
			t.Errorf("%d operators among %d accounts", operators, len(all))
		}
	})
}

func TestSignUpByMail(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("ada")
		session, err := w.a.Accounts.SignUp(w.ctx(), home, wanted("grace"))
		if w.must(err); session != "" {
			t.Fatal("signed in without a proof of the address")
		}
		_, err = w.a.Accounts.SignIn(w.ctx(), home, "grace@example.org", password)
		w.want(domain.Unauthenticated, err)
		token := w.token("grace@example.org")
		w.must(w.a.Accounts.SignUpPending(w.ctx(), token))
		_, _, err = w.a.Accounts.ConfirmSignUp(w.ctx(), home, token, "another good one")
		w.want(domain.Invalid, err)
		session, u, err := w.a.Accounts.ConfirmSignUp(w.ctx(), home, token, password)
		w.must(err)
		if w.actor(session).UserID != u.ID || u.Slug != "grace" || u.Office != domain.OfficeMember || u.Tier != domain.TierSupporter {
			t.Errorf("%+v", u)
		}
		_, _, err = w.a.Accounts.ConfirmSignUp(w.ctx(), home, token, password)
		w.want(domain.NotFound, err)
		w.want(domain.NotFound, w.a.Accounts.SignUpPending(w.ctx(), token))
		w.signIn("grace")
	}, open)
}

func TestConfirmTwiceAtOnce(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("ada")
		for range 2 { // two mails, two links
			_, err := w.a.Accounts.SignUp(w.ctx(), home, wanted("grace"))
			w.must(err)
		}
		var tokens []string
		for _, m := range w.mails("grace@example.org") {
			tokens = append(tokens, mailedToken.FindString(m.Text))
		}
		var g sync.WaitGroup
		made := make(chan domain.UserID, 10)
		for i := range 6 {
			g.Go(func() {
				_, u, err := w.a.Accounts.ConfirmSignUp(w.ctx(), home, tokens[i%2], password)
				switch {
				case err == nil:
					made <- u.ID
				case domain.KindOf(err) != domain.NotFound:
					t.Error(err)
				}
			})
		}
		g.Wait()
		if len(made) != 1 {
			t.Errorf("%d accounts of 2 links", len(made))
		}
	}, open)
}

func TestSignUpSlugTakenMeanwhile(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("ada")
		in := wanted("grace")
		in.Name, in.Slug = "Grace Hopper", "grace"
		_, err := w.a.Accounts.SignUp(w.ctx(), home, in)
		w.must(err)
		token := w.token("grace@example.org")
		other := wanted("other")
		other.Slug = "grace"
		_, err = w.a.Accounts.CreateUser(w.ctx(), accounts.CreateUserInput{Slug: "grace", Name: "Other", Email: "other@example.org", Tier: domain.TierFree})
		w.must(err)
		_, u, err := w.a.Accounts.ConfirmSignUp(w.ctx(), home, token, password)
		if w.must(err); u.Slug != "grace-hopper" {
			t.Errorf("slug %q", u.Slug)
		}
		other.Email = "another@example.org"
		_, err = w.a.Accounts.SignUp(w.ctx(), home, other) // slugs are public, so the error comes at once
		w.want(domain.Invalid, err)
	}, open)
}

func TestSignUpLinkExpires(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("ada")
		_, err := w.a.Accounts.SignUp(w.ctx(), home, wanted("grace"))
		w.must(err)
		token := w.token("grace@example.org")
		w.Clock.Advance(25 * time.Hour)
		_, _, err = w.a.Accounts.ConfirmSignUp(w.ctx(), home, token, password)
		w.want(domain.NotFound, err)
	}, open)
}

// A stranger cannot find out whether an address has an account: answer and work are the same, and only the mail differs.
func TestSignUpDoesNotTell(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("ada")
		known, unknown := wanted("grace"), wanted("alan")
		known.Email = "ADA@example.org"
		signUp := func(in accounts.SignUpInput) []string {
			return w.Statements(func() {
				session, err := w.a.Accounts.SignUp(w.ctx(), elsewhere, in)
				if err != nil || session != "" {
					t.Error(session, err)
				}
			})
		}
		if a, b := signUp(known), signUp(unknown); strings.Join(a, "\n") != strings.Join(b, "\n") {
			t.Errorf("statements differ:\n%s\n\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"))
		}
		mails := w.mails("ada@example.org")
		if len(mails) != 1 || mailedToken.MatchString(mails[0].Text) || !strings.Contains(mails[0].Text, "/sign-in") {
			t.Errorf("%+v", mails)
		}
		w.token("alan@example.org")
	}, open)
}

func TestSignUpClosed(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("ada")
		_, err := w.a.Accounts.SignUp(w.ctx(), home, wanted("grace"))
		w.want(domain.Forbidden, err)
		if o, err := w.a.Accounts.SignUpOffer(w.ctx(), ""); err != nil || o.Open {
			t.Error(o, err)
		}
	}, func(cfg *config.Config) { cfg.SignUp = "closed" })
}
