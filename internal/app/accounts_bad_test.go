package app_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"vitrine/internal/app/accounts"
	"vitrine/internal/app/people"
	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

// fields returns the names of the fields in an error.
func fields(err error) (names []string) {
	if e, ok := errors.AsType[*domain.Error](err); ok {
		for _, f := range e.Fields {
			names = append(names, f.Path)
		}
	}
	return names
}

func TestSignUpBadInput(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("ada")
		before := w.Dump()
		type input = accounts.SignUpInput
		for _, test := range []struct {
			change func(in *input)
			field  string
		}{
			{func(in *input) { in.Slug = "ada" }, "slug"},
			{func(in *input) { in.Slug = "settings" }, "slug"},
			{func(in *input) { in.Slug = "oauth" }, "slug"},
			{func(in *input) { in.Slug = "api" }, "slug"},
			{func(in *input) { in.Slug = "v3" }, "slug"},
			{func(in *input) { in.Slug = "sign-in" }, "slug"},
			{func(in *input) { in.Slug = "1234" }, "slug"},
			{func(in *input) { in.Slug = "Grace" }, "slug"},
			{func(in *input) { in.Slug = "a--b" }, "slug"},
			{func(in *input) { in.Slug = "a\x00b" }, "slug"},
			{func(in *input) { in.Slug = "\xff" }, "slug"},
			{func(in *input) { in.Slug = strings.Repeat("a", 101) }, "slug"},
			{func(in *input) { in.Name = "" }, "name"},
			{func(in *input) { in.Name = " \t" }, "name"},
			{func(in *input) { in.Name = "a\x00b" }, "name"},
			{func(in *input) { in.Name = "\xff" }, "name"},
			{func(in *input) { in.Name = strings.Repeat("a", 256) }, "name"},
			{func(in *input) { in.Email = "" }, "email"},
			{func(in *input) { in.Email = "nobody" }, "email"},
			{func(in *input) { in.Email = "Grace <grace@example.org>" }, "email"},
			{func(in *input) { in.Email = "a\x00b@example.org" }, "email"},
			{func(in *input) { in.Email = "a\r\nBcc: x@example.org" }, "email"},
			{func(in *input) { in.Email = "\xff@example.org" }, "email"},
			{func(in *input) { in.Email = "💌@example.org" }, "email"},
			{func(in *input) { in.Email = strings.Repeat("a", 250) + "@example.org" }, "email"},
			{func(in *input) { in.Email = strings.Repeat("a", 65) + "@example.org" }, "email"},
			{func(in *input) { in.Password = "" }, "password"},
			{func(in *input) { in.Password = "shorter" }, "password"},
			{func(in *input) { in.Password = strings.Repeat("x", 201) }, "password"},
			{func(in *input) { in.Password = "PASSWORD1" }, "password"},
			{func(in *input) { in.Password = "12345678" }, "password"},
			{func(in *input) { in.Password = "iloveyou" }, "password"},
			{func(in *input) { in.Password = "Grace@example.org" }, "password"},
			{func(in *input) { in.Slug, in.Password = "grace-hopper", "grace-hopper" }, "password"},
		} {
			in := wanted("grace")
			test.change(&in)
			_, err := w.a.Accounts.SignUp(w.ctx(), home, in)
			if domain.KindOf(err) != domain.Invalid || fmt.Sprint(fields(err)) != "["+test.field+"]" {
				t.Errorf("%+v: %v", in, err)
			}
		}
		after := w.Dump()
		delete(before, "attempts")
		delete(after, "attempts")
		if d := before.Diff(after); len(d) > 0 {
			t.Errorf("changed: %v", d)
		}
		_, err := w.a.Accounts.SignUp(w.ctx(), home, input{Slug: "me", Name: "\x00", Email: "x", Password: "x"})
		if got := fields(err); len(got) != 4 {
			t.Errorf("%v", got)
		}
		in := wanted("grace") // a password may contain any bytes
		in.Password = "\x00\xff and so on"
		_, err = w.a.Accounts.SignUp(w.ctx(), home, in)
		w.must(err)
	}, open)
}

// TestBadTokens checks that invalid tokens of any form are refused.
func TestBadTokens(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada := w.first("ada")
		personal, _, err := w.a.Accounts.CreateOwnToken(w.ctx(), ada, accounts.TokenInput{Name: "x", Scope: domain.ScopeRead})
		w.must(err)
		for _, token := range []string{"", "x", "\x00", "\xff", strings.Repeat("x", 1<<20), personal} {
			w.want(domain.NotFound, w.a.Accounts.PasswordLink(w.ctx(), token))
			w.want(domain.NotFound, w.a.Accounts.SignUpPending(w.ctx(), token))
			_, _, err := w.a.Accounts.ConfirmSignUp(w.ctx(), home, token, password)
			w.want(domain.NotFound, err)
			_, err = w.a.Accounts.ResetPassword(w.ctx(), home, token, another)
			w.want(domain.NotFound, err)
			_, err = w.a.SSO.SignInLink(w.ctx(), token)
			w.want(domain.NotFound, err)
			_, err = w.a.SSO.SignInByLink(w.ctx(), home, token)
			w.want(domain.NotFound, err)
			_, _, err = w.a.Accounts.ConfirmEmail(w.ctx(), domain.Actor{}, domain.Session{}, token, false)
			w.want(domain.NotFound, err)
			_, _, err = w.a.Accounts.SessionUser(w.ctx(), home, token)
			w.want(domain.Unauthenticated, err)
			if o, err := w.a.Accounts.SignUpOffer(w.ctx(), token); err != nil || o.Open {
				t.Errorf("%.20q: %+v, %v", token, o, err)
			}
		}
		_, err = w.a.Accounts.Authenticate(w.ctx(), w.signIn("ada"))
		w.want(domain.Unauthenticated, err) // a session secret is not a token of the API
	})
}

func TestOwnTokens(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada, grace := w.first("ada"), w.member("grace")
		for _, name := range []string{"", "\x00", "\xff", strings.Repeat("x", 256)} {
			_, _, err := w.a.Accounts.CreateOwnToken(w.ctx(), ada, accounts.TokenInput{Name: name, Scope: domain.ScopeRead})
			w.want(domain.Invalid, err)
		}
		_, _, err := w.a.Accounts.CreateOwnToken(w.ctx(), ada, accounts.TokenInput{Name: "x", Scope: "admin"})
		w.want(domain.Invalid, err)
		var g sync.WaitGroup
		var made atomic.Int64
		for range 110 {
			g.Go(func() {
				_, _, err := w.a.Accounts.CreateOwnToken(w.ctx(), ada, accounts.TokenInput{Name: "x", Scope: domain.ScopeRead})
				if err == nil {
					made.Add(1)
				} else if domain.KindOf(err) != domain.Unprocessable {
					t.Error(err)
				}
			})
		}
		g.Wait()
		all, err := w.a.Accounts.OwnTokens(w.ctx(), ada)
		if err != nil || made.Load() != 100 || len(all) != 100 {
			t.Fatalf("%d made, %d listed, %v", made.Load(), len(all), err)
		}
		w.want(domain.NotFound, w.a.Accounts.RevokeOwnToken(w.ctx(), grace, all[0].ID))
		w.must(w.a.Accounts.RevokeOwnToken(w.ctx(), ada, all[0].ID))
		w.want(domain.NotFound, w.a.Accounts.RevokeOwnToken(w.ctx(), ada, all[0].ID))
		secret, _, err := w.a.Accounts.CreateOwnToken(w.ctx(), ada, accounts.TokenInput{Name: "x", Scope: domain.ScopeWrite})
		w.must(err)
		if actor, err := w.a.Accounts.Authenticate(w.ctx(), secret); err != nil || actor.UserID != ada.UserID {
			t.Error(actor, err)
		}
	})
}

// Mails to one address, and the work of the server, are limited.
func TestMailLimits(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("ada")
		count := func(n int, do func() error) (passed int64) {
			var g sync.WaitGroup
			var ok atomic.Int64
			for range n {
				g.Go(func() {
					if err := do(); err == nil {
						ok.Add(1)
					} else if domain.KindOf(err) != domain.TooMany {
						t.Error(err)
					}
				})
			}
			g.Wait()
			return ok.Load()
		}
		if n := count(8, func() error { return w.a.Accounts.ForgotPassword(w.ctx(), home, "ada@example.org") }); n != 3 {
			t.Errorf("%d mails to one address", n)
		}
		if n := count(8, func() error { return w.a.Accounts.ForgotPassword(w.ctx(), elsewhere, "nobody@example.org") }); n != 3 {
			t.Errorf("%d mails to nobody", n)
		}
		if n := count(9, func() error { _, err := w.a.Accounts.SignUp(w.ctx(), elsewhere, wanted("grace")); return err }); n != 5 {
			t.Errorf("%d signups of one address", n)
		}
	}, open)
}

// A mailed invitation to a group lets its address sign up without another mail.
func TestSignUpByInvitation(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada := w.first("ada")
		g, err := w.a.People.CreateGroup(w.ctx(), ada, people.CreateGroupInput{Name: "Guild"})
		w.must(err)
		ref := domain.Ref{ID: int64(g.ID)}
		_, err = w.a.People.Invite(w.ctx(), ada, ref, people.InviteInput{Email: "grace@example.org"})
		w.must(err)
		token := w.token("grace@example.org")
		if o, err := w.a.Accounts.SignUpOffer(w.ctx(), token); err != nil || !o.Open || o.Email != "grace@example.org" {
			t.Error(o, err)
		}
		in := wanted("alan")
		in.Invite = token
		_, err = w.a.Accounts.SignUp(w.ctx(), home, in)
		if w.want(domain.Invalid, err); fmt.Sprint(fields(err)) != "[email]" {
			t.Error(err)
		}
		in = wanted("grace")
		in.Invite = token
		session, err := w.a.Accounts.SignUp(w.ctx(), home, in)
		w.must(err)
		grace := w.actor(session)
		again, err := w.a.Accounts.SignUp(w.ctx(), elsewhere, accounts.SignUpInput{Name: "G", Email: in.Email, Password: password, Invite: token})
		if w.must(err); again != "" {
			t.Error("an address that has an account was let in again")
		}
		_, err = w.a.People.AcceptInvitation(w.ctx(), grace, token)
		w.must(err)
		if o, err := w.a.Accounts.SignUpOffer(w.ctx(), token); err != nil || o.Open {
			t.Error("an invitation that was accepted lets in", err)
		}
	})
}

func TestInviteeGroup(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada := domain.Actor{UserID: r.Person("ada").ID, Scope: domain.ScopeWrite}
		ref := domain.Ref{ID: int64(r.Group("Guild", "ada"))}
		if _, err := r.S.App.People.InviteeGroup(t.Context(), domain.Actor{}, ref, ""); domain.KindOf(err) != domain.NotFound {
			t.Errorf("without an invite: %v", err)
		}
		i, _, err := r.S.App.People.CreateGroupInvite(t.Context(), ada, ref)
		if err != nil {
			t.Fatal(err)
		}
		if g, err := r.S.App.People.InviteeGroup(t.Context(), domain.Actor{}, ref, i.Code); err != nil || g.Name != "Guild" {
			t.Errorf("%+v, %v", g, err)
		}
		for _, code := range []string{"", "\x00", i.Code + "x", i.Code[1:]} {
			if _, err := r.S.App.People.InviteeGroup(t.Context(), domain.Actor{}, ref, code); domain.KindOf(err) != domain.NotFound {
				t.Errorf("%q: %v", code, err)
			}
		}
	})
}
