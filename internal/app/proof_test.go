package app_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
)

// session reads the session of a secret.
func (w *accountsRig) session(secret string) domain.Session {
	w.t.Helper()
	s, _, err := w.a.Accounts.SessionUser(w.ctx(), home, secret)
	w.must(err)
	return s
}

// Every sensitive action is refused in a session that was not confirmed recently, for every kind of account.
func TestSensitiveActionsNeedProof(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("op")
		ada := w.member("ada")
		s := w.session(w.signIn("ada"))
		none := domain.Actor{UserID: w.Person("nora").ID, Scope: domain.ScopeWrite} // has no password
		empty := w.Proved(none.UserID)
		w.Clock.Advance(15 * time.Minute)
		for name, act := range map[string]func(who domain.Actor, s domain.Session, slug string) error{
			"e-mail": func(who domain.Actor, s domain.Session, _ string) error {
				return w.a.Accounts.ChangeEmail(w.ctx(), home, who, s, "new@example.org")
			},
			"password": func(who domain.Actor, s domain.Session, _ string) error {
				_, err := w.a.Accounts.ChangePassword(w.ctx(), who, s, another, false)
				return err
			},
			"new passkey": func(who domain.Actor, s domain.Session, _ string) error {
				_, err := w.a.Accounts.BeginPasskey(w.ctx(), who, s, accounts.PasskeyInput{Name: "x"})
				return err
			},
			"passkey": func(who domain.Actor, s domain.Session, _ string) error {
				_, _, err := w.a.Accounts.RemovePasskey(w.ctx(), who, s, 1, false)
				return err
			},
			"codes": func(who domain.Actor, s domain.Session, _ string) error {
				_, _, err := w.a.Accounts.NewRecoveryCodes(w.ctx(), who, s, false)
				return err
			},
			"delete": func(who domain.Actor, s domain.Session, slug string) error {
				return w.a.Accounts.DeleteAccount(w.ctx(), who, s, slug)
			},
		} {
			for slug, of := range map[string]struct {
				who domain.Actor
				s   domain.Session
			}{"ada": {ada, s}, "nora": {none, empty}} {
				if err := act(of.who, of.s, slug); !errors.Is(err, accounts.ErrUnproved) {
					t.Errorf("%s of %s: %v", name, slug, err)
				}
			}
		}
		// A session of another account does not count.
		w.want(domain.Unauthenticated, w.a.Accounts.DeleteAccount(w.ctx(), ada, w.Proved(none.UserID), "ada"))
		_, err := w.a.Accounts.ProveByPassword(w.ctx(), home, none, empty, "")
		w.want(domain.Invalid, err)
		_, err = w.a.Accounts.ProveByPassword(w.ctx(), home, ada, s, "wrong")
		w.want(domain.Invalid, err)
	})
}

// A confirmation, and each sensitive change, replaces the session's secret. The old one stops working at once, even for
// a request in progress.
func TestSecretsAreReplaced(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada := w.first("ada")
		stolen := w.signIn("ada")
		s, other := w.session(stolen), w.signIn("ada")
		w.Clock.Advance(time.Hour)
		secret := w.must2(w.a.Accounts.ProveByPassword(w.ctx(), home, ada, s, password))
		_, _, err := w.a.Accounts.SessionUser(w.ctx(), home, stolen)
		w.want(domain.Unauthenticated, err)
		if err := w.a.Accounts.DeleteAccount(w.ctx(), ada, s, "ada"); !errors.Is(err, accounts.ErrRenewed) {
			t.Errorf("a request with the old secret: %v", err)
		}
		secrets := []string{secret}
		next := func(secret string, err error) {
			t.Helper()
			secrets = append(secrets, w.must2(secret, err))
			_, _, err = w.a.Accounts.SessionUser(w.ctx(), home, secrets[len(secrets)-2])
			w.want(domain.Unauthenticated, err)
		}
		now := func() domain.Session { return w.session(secrets[len(secrets)-1]) }
		next(w.a.Accounts.ChangePassword(w.ctx(), ada, now(), another, false))
		if w.session(other).ProvedAt != (time.Time{}) {
			t.Error("after a password change, another session need not confirm")
		}
		k, in := newKeyring(), accounts.PasskeyInput{Name: "Key"}
		options, err := w.a.Accounts.BeginPasskey(w.ctx(), ada, now(), in)
		w.must(err)
		_, secret, err = w.a.Accounts.AddPasskey(w.ctx(), ada, now(), in, k.make(w.t, options), false)
		next(secret, err)
		_, secret, err = w.a.Accounts.NewRecoveryCodes(w.ctx(), ada, now(), false)
		next(secret, err)
		f, err := w.a.Accounts.SecondFactor(w.ctx(), ada)
		w.must(err)
		w.must(w.a.Accounts.ChangeEmail(w.ctx(), home, ada, now(), "new@example.org"))
		_, secret, err = w.a.Accounts.ConfirmEmail(w.ctx(), ada, now(), w.token("new@example.org"), false)
		next(secret, err)
		w.session(other)
		_, secret, err = w.a.Accounts.RemovePasskey(w.ctx(), ada, now(), f.Passkeys[0].ID, true)
		next(secret, err)
		_, _, err = w.a.Accounts.SessionUser(w.ctx(), home, other)
		w.want(domain.Unauthenticated, err)
	})
}

// If several confirmations run at once, only one replaces the secret, so the browser keeps a valid one.
func TestConfirmingAtOnce(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada := w.first("ada")
		s := w.session(w.signIn("ada"))
		var g sync.WaitGroup
		var given atomic.Pointer[string]
		for range 4 {
			g.Go(func() {
				secret, err := w.a.Accounts.ProveByPassword(w.ctx(), home, ada, s, password)
				switch {
				case err == nil && !given.CompareAndSwap(nil, &secret):
					t.Error("two secrets were issued")
				case err != nil && !errors.Is(err, accounts.ErrRenewed):
					t.Error(err)
				}
			})
		}
		g.Wait()
		w.session(*given.Load())
	})
}

// A mailed link confirms once, in the session that requested it, and only for accounts that have no other way.
func TestProofLinks(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada := w.first("ada")
		w.want(domain.Forbidden, w.a.SSO.MailProofLink(w.ctx(), ada, w.Proved(ada.UserID)))
		none := domain.Actor{UserID: w.Person("nora").ID, Scope: domain.ScopeWrite}
		s, other := w.Proved(none.UserID), w.Proved(none.UserID)
		w.Clock.Advance(time.Hour - time.Minute)
		if w.a.Accounts.MayOpen(s) {
			t.Error("a proof lasts for an hour")
		}
		w.must(w.a.SSO.MailProofLink(w.ctx(), none, s))
		token := w.token("nora@example.org")
		w.must(w.a.Accounts.ProofLink(w.ctx(), none, s, token))
		w.want(domain.Forbidden, w.a.Accounts.ProofLink(w.ctx(), none, other, token))
		_, err := w.a.Accounts.ProveByLink(w.ctx(), home, none, other, token)
		w.want(domain.Forbidden, err)
		_, err = w.a.Accounts.ProveByLink(w.ctx(), home, ada, w.Proved(ada.UserID), token)
		w.want(domain.NotFound, err)
		proved := w.session(w.must2(w.a.Accounts.ProveByLink(w.ctx(), home, none, s, token)))
		_, err = w.a.Accounts.ProveByLink(w.ctx(), home, none, proved, token)
		w.want(domain.NotFound, err)
		w.must2(w.a.Accounts.ChangePassword(w.ctx(), none, proved, another, false))
		fresh, _, _ := auth.NewToken(auth.Mailed)
		w.want(domain.NotFound, w.a.Accounts.ProofLink(w.ctx(), none, other, fresh))
	})
}
