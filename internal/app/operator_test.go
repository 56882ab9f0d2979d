package app_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/app/operating"
	"vitrine/internal/domain"
)

func suspend(s bool) operating.AccountChange { return operating.AccountChange{Suspended: &s} }

func office(o domain.Office) operating.AccountChange { return operating.AccountChange{Office: &o} }

func TestSetAccount(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada, grace := w.first("ada"), w.member("grace")
		session := w.signIn("grace")
		token, _, err := w.a.Accounts.CreateOwnToken(w.ctx(), grace, accounts.TokenInput{Name: "cli", Scope: domain.ScopeWrite})
		w.must(err)
		free := domain.TierFree
		u, err := w.a.Operating.SetAccount(w.ctx(), ada, grace.UserID, operating.AccountChange{Tier: &free})
		if w.must(err); u.Tier != domain.TierFree {
			t.Error(u.Tier)
		}
		_, err = w.a.Operating.SetAccount(w.ctx(), ada, grace.UserID, suspend(true))
		w.must(err)
		_, _, err = w.a.Accounts.SessionUser(w.ctx(), home, session)
		w.want(domain.Unauthenticated, err)
		_, err = w.a.Accounts.Authenticate(w.ctx(), token)
		w.want(domain.Unauthenticated, err)
		_, err = w.a.Accounts.SignIn(w.ctx(), home, "grace@example.org", password)
		w.want(domain.Unauthenticated, err)
		_, err = w.a.Operating.SetAccount(w.ctx(), ada, grace.UserID, suspend(false))
		w.must(err)
		w.signIn("grace")
		_, _, err = w.a.Accounts.SessionUser(w.ctx(), home, session)
		w.want(domain.Unauthenticated, err) // it does not come back
		wrong := domain.Tier("gold")
		_, err = w.a.Operating.SetAccount(w.ctx(), ada, grace.UserID, operating.AccountChange{Tier: &wrong})
		w.want(domain.Invalid, err)
		_, err = w.a.Operating.SetAccount(w.ctx(), ada, grace.UserID, office("king"))
		w.want(domain.Invalid, err)
		_, err = w.a.Operating.SetAccount(w.ctx(), ada, 999, suspend(true))
		w.want(domain.NotFound, err)
	})
}

func TestOnlyOperatorsOperate(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada, grace := w.first("ada"), w.member("grace")
		for _, actor := range []domain.Actor{{}, grace} {
			_, err := w.a.Operating.FindAccounts(w.ctx(), actor, "", "newest", domain.Page{Number: 1, Per: 10})
			w.want(domain.Forbidden, err)
			_, err = w.a.Operating.SetAccount(w.ctx(), actor, ada.UserID, suspend(true))
			w.want(domain.Forbidden, err)
			_, _, err = w.a.Operating.CreateSignUpLink(w.ctx(), operating.OnSite(actor, home), operating.SignUpLinkInput{})
			w.want(domain.Forbidden, err)
			_, err = w.a.Operating.SignUpLinks(w.ctx(), operating.OnSite(actor, home))
			w.want(domain.Forbidden, err)
			w.want(domain.Forbidden, w.a.Operating.EndSignUpLink(w.ctx(), operating.OnSite(actor, home), 1))
			w.want(domain.Forbidden, w.a.Operating.SetSignUpMode(w.ctx(), actor, domain.SignUpOpen))
		}
		_, err := w.a.Operating.SetAccount(w.ctx(), ada, ada.UserID, suspend(true))
		w.want(domain.Unprocessable, err)
		_, err = w.a.Operating.SetAccount(w.ctx(), ada, ada.UserID, office(domain.OfficeMember))
		w.want(domain.Unprocessable, err)
		_, err = w.a.Operating.SetOffice(w.ctx(), domain.Ref{Slug: "ada"}, domain.OfficeMember)
		w.want(domain.Unprocessable, err)
	})
}

// If two operators demote each other at the same moment, one remains.
func TestOperatorsUnseatEachOther(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		cast := []domain.Actor{w.first("ada"), w.member("grace"), w.member("alan")}
		for _, change := range []operating.AccountChange{office(domain.OfficeMember), suspend(true)} {
			for _, c := range cast {
				w.Exec(`UPDATE users SET office = 'operator', suspended_at = NULL WHERE id = $1`, c.UserID)
			}
			var g sync.WaitGroup
			for i, c := range cast {
				g.Go(func() {
					_, err := w.a.Operating.SetAccount(w.ctx(), c, cast[(i+1)%len(cast)].UserID, change)
					if k := domain.KindOf(err); err != nil && k != domain.Forbidden && k != domain.Unprocessable {
						t.Error(err)
					}
				})
			}
			g.Wait()
			left := 0
			for _, c := range cast {
				u, err := w.a.People.User(w.ctx(), domain.Ref{ID: int64(c.UserID)})
				w.must(err)
				if u.Office == domain.OfficeOperator && u.SuspendedAt == nil {
					left++
				}
			}
			if left == 0 {
				t.Error("no operator is left")
			}
		}
	})
}

func TestFindAccounts(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada := w.first("ada")
		for _, name := range []string{"grace", "alan", "agnes"} {
			w.member(name)
		}
		for text, want := range map[string]int{"": 4, "a": 3, "AGN": 1, "grace@example.org": 1, "Grace": 1, "%": 0, "_": 0,
			"ada\x00": 1, "\xff\x00": 4, "example": 0} {
			l, err := w.a.Operating.FindAccounts(w.ctx(), ada, text, "newest", domain.Page{Number: 1, Per: 10})
			if err != nil || int(l.Total) != want || len(l.Items) != want {
				t.Errorf("%q: %d of %d, %v", text, len(l.Items), l.Total, err)
			}
		}
		w.Exec("INSERT INTO byte_usage (user_id, unused, files) SELECT id, 1, CASE slug WHEN 'grace' THEN 2 ELSE 1 END FROM users WHERE slug IN ('ada', 'grace')")
		for order, want := range map[operating.AccountSort]string{"newest": "agnes alan grace ada", "oldest": "ada grace alan agnes", "name": "ada agnes alan grace",
			"stored": "grace ada agnes alan"} {
			l, err := w.a.Operating.FindAccounts(w.ctx(), ada, "", order, domain.Page{Number: 1, Per: 10})
			w.must(err)
			var got []string
			for _, u := range l.Items {
				got = append(got, u.Slug)
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s: %v", order, got)
			}
		}
		w.Exec("DELETE FROM byte_usage")
		_, err := w.a.Operating.FindAccounts(w.ctx(), ada, "", "x", domain.Page{Number: 1, Per: 10})
		w.want(domain.Invalid, err)
		l, err := w.a.Operating.FindAccounts(w.ctx(), ada, "", "newest", domain.Page{Number: 2, Per: 3})
		if err != nil || len(l.Items) != 1 || l.Items[0].Slug != "ada" {
			t.Error(l, err)
		}
	})
}

// AccountDetails contains every way to sign in to an account, and no secrets.
func TestAccountFacts(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		op := operating.OnSite(w.first("op"), home)
		w.member("ada")
		ref := domain.Ref{Slug: "ada"}
		f, err := w.a.Operating.AccountDetails(w.ctx(), op, ref)
		if w.must(err); f.LastSeen != nil || !f.HasPassword || f.Passkeys+f.RecoveryCodes+f.Sessions+f.Tokens+f.Applications+len(f.Identities) != 0 || f.Blocks != 0 {
			t.Errorf("a new account: %+v", f)
		}
		ada, _ := w.sessionOf("ada")
		w.add(newKeyring(), ada, "Phone")
		token, _, err := w.a.Accounts.CreateOwnToken(w.ctx(), ada, accounts.TokenInput{Name: "cli", Scope: domain.ScopeWrite})
		w.must(err)
		w.Exec("INSERT INTO identities (user_id, issuer, subject, email, created_at, used_at) SELECT id, 'https://id.example', '7', 'ada@id.example', 5, 6 FROM users WHERE slug = 'ada'")
		w.Clock.Advance(time.Hour)
		later := w.Clock.Now()
		_, err = w.a.Accounts.Authenticate(w.ctx(), token)
		w.must(err)
		w.must(w.a.Accounts.FlushUsage(w.ctx()))
		if f, err = w.a.Operating.AccountDetails(w.ctx(), operating.CommandLine(), ref); err != nil || f.Passkeys != 1 || f.RecoveryCodes != 10 || f.Sessions != 1 || f.Tokens != 1 ||
			len(f.Identities) != 1 || f.Identities[0].Email != "ada@id.example" || f.LastSeen == nil || !f.LastSeen.After(later) {
			t.Errorf("%+v, %v", f, err)
		}
		_, err = w.a.Operating.AccountDetails(w.ctx(), operating.OnSite(ada, home), ref)
		w.want(domain.Forbidden, err)
		_, err = w.a.Operating.AccountDetails(w.ctx(), op, domain.Ref{Slug: "nobody"})
		w.want(domain.NotFound, err)
	})
}

// The command line keeps the last operator, too. If two leave at once, one remains.
func TestLastOperatorStays(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("ada")
		ref := domain.Ref{Slug: "ada"}
		_, err := w.a.Operating.Suspend(w.ctx(), ref, true)
		w.want(domain.Unprocessable, err)
		_, err = w.a.Operating.SetOffice(w.ctx(), ref, domain.OfficeMember)
		w.want(domain.Unprocessable, err)
		_, err = w.a.Operating.DeleteAccountOf(w.ctx(), operating.CommandLine(), ref, "ada")
		w.want(domain.Unprocessable, err)
		w.member("grace")
		_, err = w.a.Operating.SetOffice(w.ctx(), domain.Ref{Slug: "grace"}, domain.OfficeOperator)
		w.must(err)
		errs := make([]error, 2)
		var both sync.WaitGroup
		both.Go(func() { _, errs[0] = w.a.Operating.Suspend(w.ctx(), ref, true) })
		both.Go(func() { _, errs[1] = w.a.Operating.SetOffice(w.ctx(), domain.Ref{Slug: "grace"}, domain.OfficeMember) })
		both.Wait()
		if (errs[0] == nil) == (errs[1] == nil) || domain.KindOf(errors.Join(errs...)) != domain.Unprocessable {
			t.Errorf("both at once: %v", errs)
		}
		left, err := w.S.Store.Users().Operators(w.ctx())
		if err != nil || len(left) != 1 {
			t.Errorf("%d operators are left, %v", len(left), err)
		}
	})
}

func TestSignUpLinks(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada := w.first("ada")
		op := operating.OnSite(ada, home)
		link, _, err := w.a.Operating.CreateSignUpLink(w.ctx(), op, operating.SignUpLinkInput{Note: "for Grace"})
		w.must(err)
		if o, err := w.a.Accounts.SignUpOffer(w.ctx(), link); err != nil || !o.Open || o.Email != "" {
			t.Error(o, err)
		}
		for _, name := range []string{"grace", "alan"} { // both start, and one ends
			in := wanted(name)
			in.Invite = link
			_, err := w.a.Accounts.SignUp(w.ctx(), home, in)
			w.must(err)
		}
		_, _, err = w.a.Accounts.ConfirmSignUp(w.ctx(), home, w.token("grace@example.org"), password)
		w.must(err)
		alans := w.token("alan@example.org")
		_, _, err = w.a.Accounts.ConfirmSignUp(w.ctx(), home, alans, password)
		w.want(domain.Forbidden, err)
		all, err := w.a.Operating.SignUpLinks(w.ctx(), op)
		if err != nil || len(all) != 1 || all[0].UsedBy != "grace" || all[0].UsedAt == nil || all[0].Note != "for Grace" {
			t.Fatalf("%+v, %v", all, err)
		}
		w.want(domain.NotFound, w.a.Operating.EndSignUpLink(w.ctx(), op, all[0].ID))
		if o, err := w.a.Accounts.SignUpOffer(w.ctx(), link); err != nil || o.Open {
			t.Error("a used link lets in", err)
		}
		second, _, err := w.a.Operating.CreateSignUpLink(w.ctx(), op, operating.SignUpLinkInput{})
		w.must(err)
		w.Operator("op")
		for _, suspended := range []bool{true, false} {
			_, err := w.a.Operating.Suspend(w.ctx(), domain.Ref{Slug: "ada"}, suspended)
			w.must(err)
			if o, err := w.a.Accounts.SignUpOffer(w.ctx(), second); err != nil || o.Open == suspended {
				t.Errorf("an operator is suspended: %v, and the link lets in: %v, %v", suspended, o.Open, err)
			}
		}
		w.Clock.Advance(15 * 24 * time.Hour)
		if o, err := w.a.Accounts.SignUpOffer(w.ctx(), second); err != nil || o.Open {
			t.Error("an old link lets in", err)
		}
		_, _, err = w.a.Operating.CreateSignUpLink(w.ctx(), op, operating.SignUpLinkInput{Note: "for \u202ebE"})
		w.want(domain.Invalid, err)
		_, _, err = w.a.Operating.CreateSignUpLink(w.ctx(), op, operating.SignUpLinkInput{Note: "\x00"})
		w.want(domain.Invalid, err)
		w.Clock.Advance(30 * 24 * time.Hour)
		w.must(w.a.Accounts.SweepAccounts(w.ctx()))
		if rows := w.Dump()["signup_links"]; len(rows) != 0 {
			t.Errorf("%d links are left", len(rows))
		}
	})
}

func TestSignUpMode(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada := w.first("ada")
		for _, mode := range []domain.SignUpMode{domain.SignUpOpen, domain.SignUpClosed, domain.SignUpInvitation} {
			w.must(w.a.Operating.SetSignUpMode(w.ctx(), ada, mode))
			if got, fixed, err := w.a.Accounts.SignUpMode(w.ctx()); got != mode || fixed || err != nil {
				t.Error(got, fixed, err)
			}
		}
		w.want(domain.Invalid, w.a.Operating.SetSignUpMode(w.ctx(), ada, "anarchy"))
	})
	t.Run("fixed", func(t *testing.T) {
		eachAccounts(t, func(t *testing.T, w *accountsRig) {
			w.want(domain.Unprocessable, w.a.Operating.SetSignUpMode(w.ctx(), w.first("ada"), domain.SignUpClosed))
		}, open)
	})
}
