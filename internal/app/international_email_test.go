package app_test

import (
	"fmt"
	"testing"

	"vitrine/internal/app/accounts"
	"vitrine/internal/app/moderation"
	"vitrine/internal/app/operating"
	"vitrine/internal/app/people"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// An address of Zoë as it is stored, in other forms, and as mail servers get it.
const (
	zoe       = "zoë@bücher.example"
	zoeTyped  = "Zoë@BÜCHER.example"
	zoeCode   = "zoe\u0308@xn--bcher-kva.example"
	zoeMailed = "zoë@xn--bcher-kva.example"
)

func wantedBy(email string) accounts.SignUpInput {
	in := wanted("zoe")
	in.Email = email
	return in
}

func TestSignUpWithInternationalEmail(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("ada")
		_, err := w.a.Accounts.SignUp(w.ctx(), home, wantedBy(zoeTyped))
		w.must(err)
		token := w.token(zoeMailed)
		_, u, err := w.a.Accounts.ConfirmSignUp(w.ctx(), home, token, password)
		w.must(err)
		if u.Email != zoe {
			t.Errorf("stored as %q", u.Email)
		}
		for _, form := range []string{zoe, zoeTyped, zoeCode} {
			if _, err := w.a.Accounts.SignIn(w.ctx(), home, " "+form, password); err != nil {
				t.Errorf("signing in as %q: %v", form, err)
			}
			_, err = w.a.Accounts.CreateUser(w.ctx(), accounts.CreateUserInput{Name: "Zoë", Email: form, Tier: domain.TierFree})
			w.want(domain.Invalid, err)
		}

		w.must(w.a.Accounts.ForgotPassword(w.ctx(), elsewhere, zoeCode))
		var links []string
		for _, m := range w.mails(zoeMailed) {
			if found := mailedToken.FindString(m.Text); m.Subject == "Choose a new password" {
				links = append(links, found)
			}
		}
		if len(links) != 1 {
			t.Fatalf("%d links", len(links))
		}
		_, err = w.a.Accounts.ResetPassword(w.ctx(), home, links[0], another)
		w.must(err)
		_, err = w.a.Accounts.SignIn(w.ctx(), home, zoeCode, another)
		w.must(err)
	}, open)
}

func TestInviteInternationalEmail(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada := w.first("ada")
		op := operating.OnSite(ada, home)
		r, err := w.a.Operating.InvitePerson(w.ctx(), op, operating.PersonInput{Email: zoeCode})
		w.must(err)
		again, err := w.a.Operating.InvitePerson(w.ctx(), op, operating.PersonInput{Email: zoeTyped})
		if w.must(err); again.Outcome != operating.PersonWaiting || again.Link.Email != zoe {
			t.Errorf("%+v", again)
		}
		g, err := w.a.People.CreateGroup(w.ctx(), ada, people.CreateGroupInput{Name: "Readers"})
		w.must(err)
		of := domain.Ref{ID: int64(g.ID)}
		_, err = w.a.People.Invite(w.ctx(), ada, of, people.InviteInput{Email: zoeTyped})
		w.must(err)
		if got, err := w.a.People.Invite(w.ctx(), ada, of, people.InviteInput{Email: zoeCode}); err != nil || got.Outcome == domain.OutcomeInvited {
			t.Errorf("invited twice: %+v, %v", got, err)
		}
		if got := len(w.mails(zoeMailed)); got != 1 {
			t.Errorf("%d mails", got)
		}
		in := wantedBy(zoeTyped)
		in.Invite = tokenOf(r.Address)
		session, err := w.a.Accounts.SignUp(w.ctx(), elsewhere, in)
		if w.must(err); session == "" {
			t.Fatal("the invited address is not recognised")
		}
		if got, err := w.a.Operating.InvitePerson(w.ctx(), op, operating.PersonInput{Email: zoeCode}); err != nil || got.Outcome != operating.PersonKnown {
			t.Errorf("%+v, %v", got, err)
		}
		of = domain.Ref{Slug: "zoe"}
		if u, err := w.a.Operating.SetEmail(w.ctx(), op, of, "ada@BÜCHER.example"); err != nil || u.Email != "ada@bücher.example" {
			t.Errorf("%q, %v", u.Email, err)
		}
	}, closed)
}

// Earlier versions stored a domain as the browser sent it.
func TestEmailStoredInASCII(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada := w.first("ada")
		var id domain.UserID
		w.must(w.S.Store.InTx(w.ctx(), func(tx *store.Tx) error {
			u, err := tx.Users().User(w.ctx(), domain.Ref{ID: int64(ada.UserID)})
			if err != nil {
				return err
			}
			id = u.ID
			return tx.Users().SetEmail(w.ctx(), id, "ada@xn--bcher-kva.example")
		}))
		for _, form := range []string{"ada@bücher.example", "ada@xn--bcher-kva.example"} {
			if _, err := w.a.Accounts.SignIn(w.ctx(), home, form, password); err != nil {
				t.Errorf("signing in as %q: %v", form, err)
			}
			_, err := w.a.Accounts.CreateUser(w.ctx(), accounts.CreateUserInput{Name: "Ada", Email: form, Tier: domain.TierFree})
			w.want(domain.Invalid, err)
		}
		w.must(w.a.Accounts.ForgotPassword(w.ctx(), home, "ada@bücher.example"))
		w.must(w.a.Accounts.PasswordLink(w.ctx(), w.token("ada@xn--bcher-kva.example")))
		other := w.member("grace")
		_, err := w.a.Operating.SetEmail(w.ctx(), operating.CommandLine(), domain.Ref{ID: int64(other.UserID)}, "ada@bücher.example")
		w.want(domain.Invalid, err)
		u, err := w.a.Operating.SetEmail(w.ctx(), operating.CommandLine(), domain.Ref{ID: int64(id)}, "ada@bücher.example")
		if w.must(err); u.Email != "ada@bücher.example" {
			t.Errorf("%q", u.Email)
		}
	}, open)
}

func TestBlockedInternationalProvider(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada := w.first("ada")
		_, _, err := w.a.Moderation.AddToBlocklist(w.ctx(), operating.OnSite(ada, home), moderation.BlockInput{Kind: "mail", Value: "bücher.example"})
		w.must(err)
		for _, form := range []string{zoeTyped, zoeCode, fmt.Sprintf("zoe@sub.%s", "bücher.example")} {
			_, err := w.a.Accounts.SignUp(w.ctx(), home, wantedBy(form))
			w.want(domain.Invalid, err)
		}
	}, open)
}
