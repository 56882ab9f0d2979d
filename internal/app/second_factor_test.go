package app_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/descope/virtualwebauthn"

	"vitrine/internal/app/accounts"
	"vitrine/internal/app/operating"
	"vitrine/internal/apptest"
	"vitrine/internal/auth"
	"vitrine/internal/config"
	"vitrine/internal/domain"
)

// site is the relying party of the rig's passkeys.
var site = virtualwebauthn.RelyingParty{Name: "vitrine.test", ID: "vitrine.test", Origin: apptest.Base}

// keyring is an authenticator with one credential.
type keyring struct {
	virtualwebauthn.Authenticator
	credential virtualwebauthn.Credential
	site       virtualwebauthn.RelyingParty
}

func newKeyring() *keyring {
	return &keyring{virtualwebauthn.NewAuthenticator(), apptest.Credential(), site}
}

// make creates a credential for options and records its owner.
func (k *keyring) make(t *testing.T, options []byte) string {
	t.Helper()
	o, err := virtualwebauthn.ParseAttestationOptions(string(options))
	if err != nil {
		t.Fatal(err)
	}
	k.Options.UserHandle = []byte(o.UserID)
	return virtualwebauthn.CreateAttestationResponse(k.site, k.Authenticator, k.credential, *o)
}

// sign answers options with the credential and increases its counter.
func (k *keyring) sign(w *accountsRig, options []byte) string {
	w.t.Helper()
	o, err := virtualwebauthn.ParseAssertionOptions(string(options))
	w.must(err)
	k.credential.Counter++
	return virtualwebauthn.CreateAssertionResponse(k.site, k.Authenticator, k.credential, *o)
}

// sessionOf signs somebody in with only a password and returns the session.
func (w *accountsRig) sessionOf(name string) (domain.Actor, domain.Session) {
	w.t.Helper()
	s, u, err := w.a.Accounts.SessionUser(w.ctx(), home, w.signIn(name))
	w.must(err)
	return domain.Actor{UserID: u.ID, Tier: u.Tier, Scope: domain.ScopeWrite}, s
}

// add adds a passkey to an account.
func (w *accountsRig) add(k *keyring, actor domain.Actor, name string) []string {
	w.t.Helper()
	in := accounts.PasskeyInput{Name: name}
	s := w.Proved(actor.UserID)
	options, err := w.a.Accounts.BeginPasskey(w.ctx(), actor, s, in)
	w.must(err)
	codes, _, err := w.a.Accounts.AddPasskey(w.ctx(), actor, s, in, k.make(w.t, options), false)
	w.must(err)
	return codes
}

// half enters the password of an account that has a second factor.
func (w *accountsRig) half(name string) string {
	w.t.Helper()
	half := w.signIn(name)
	if kind, _ := auth.TokenKind(half); kind != auth.Half {
		w.t.Fatalf("the password alone gives %q", half)
	}
	_, _, err := w.a.Accounts.SessionUser(w.ctx(), home, half)
	w.want(domain.Unauthenticated, err)
	return half
}

func (w *accountsRig) finish(k *keyring, half string) (string, error) {
	w.t.Helper()
	options, err := w.a.Accounts.FactorOptions(w.ctx(), half)
	w.must(err)
	return w.a.Accounts.FinishByPasskey(w.ctx(), home, half, k.sign(w, options))
}

func TestSignInWithPasskey(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("op")
		w.member("ada")
		ada, _ := w.sessionOf("ada")
		k := newKeyring()
		codes := w.add(k, ada, " Phone ")
		if len(codes) != 10 || len(codes[0]) != 19 {
			t.Errorf("codes %q", codes)
		}
		if more := w.add(newKeyring(), ada, "Key"); more != nil {
			t.Errorf("a further passkey comes with %q", more)
		}
		if _, u, err := w.a.Accounts.SessionUser(w.ctx(), home, w.must2(w.finish(k, w.half("ada")))); err != nil || u.ID != ada.UserID {
			t.Errorf("%v, %v", u.ID, err)
		}
		f, err := w.a.Accounts.SecondFactor(w.ctx(), ada)
		if w.must(err); len(f.Passkeys) != 2 || f.Passkeys[0].Name != "Phone" || f.Passkeys[0].LastUsedAt == nil || f.Passkeys[0].SignCount != 1 || f.Passkeys[1].LastUsedAt != nil || f.Codes != 10 {
			t.Errorf("%+v", f)
		}

		// Without a password, if the authenticator has verified the user.
		alone := func(change func(k *keyring), browser string) (string, error) {
			options, err := w.a.Accounts.PasskeyOptions(w.ctx(), "mine")
			w.must(err)
			other := *k
			change(&other)
			defer func() { k.credential.Counter = other.credential.Counter }()
			return w.a.Accounts.SignInByPasskey(w.ctx(), home, browser, other.sign(w, options))
		}
		session, err := alone(func(*keyring) {}, "mine")
		w.must(err)
		if got := w.actor(session); got.UserID != ada.UserID {
			t.Errorf("it is %v who is signed in", got)
		}
		for why, change := range map[string]func(k *keyring){
			"not verified": func(k *keyring) { k.Options.UserNotVerified = true },
			"no handle":    func(k *keyring) { k.Options.UserHandle = nil },
			"other handle": func(k *keyring) { k.Options.UserHandle = []byte("somebody") },
			"other origin": func(k *keyring) { k.site.Origin = "https://vitrine.test.example.org" },
			"other site":   func(k *keyring) { k.site.ID = "example.org" },
			"other key":    func(k *keyring) { k.credential.Key = apptest.Credential().Key },
			"unknown":      func(k *keyring) { k.credential.ID = []byte("unknown") },
			"copied":       func(k *keyring) { k.Options.BackupEligible = true },
		} {
			if _, err := alone(change, "mine"); domain.KindOf(err) != domain.Unauthenticated {
				t.Errorf("%s: %v", why, err)
			}
		}
		_, err = alone(func(*keyring) {}, "another browser")
		w.want(domain.Unauthenticated, err)

		// The log records the method, and the account's owner is notified.
		var acts []string
		entries, err := w.a.Operating.AuditLog(w.ctx(), w.operator(), domain.AuditFilter{ActorID: ada.UserID}, domain.AuditPlace{}, 100)
		w.must(err)
		for _, e := range entries {
			acts = append(acts, fmt.Sprint(e.Act, e.Details["by"]))
		}
		if want := []string{"session.createdpasskey", "session.createdpasskey", "passkey.added<nil>", "recovery-codes.made<nil>", "passkey.added<nil>", "session.created<nil>"}; !slices.Equal(acts, want) {
			t.Errorf("the log has %v", acts)
		}
		if all := w.mails("ada@example.org"); len(all) != 2 || all[0].Subject != "A passkey was added" {
			t.Errorf("%+v", all)
		}
	})
}

// wantMail checks that a person received exactly one mail with this subject and text.
func (w *accountsRig) wantMail(name, subject, text string) {
	w.t.Helper()
	n := 0
	for _, m := range w.mails(name + "@example.org") {
		if m.Subject == subject && strings.Contains(m.Text, text) {
			n++
		}
	}
	if n != 1 {
		w.t.Errorf("%d mails to %s are %q with %q", n, name, subject, text)
	}
}

// household returns a visitor from the nth household.
func household(n int) domain.Visitor {
	return domain.Visitor{Address: netip.AddrFrom4([4]byte{203, 0, 113, byte(n)})}
}

// must2 returns the value and fails on an error.
func (w *accountsRig) must2(s string, err error) string {
	w.t.Helper()
	w.must(err)
	return s
}

func TestHalfSignInIsRefused(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("op")
		w.member("ada")
		w.member("bob")
		ada, _ := w.sessionOf("ada")
		bob, _ := w.sessionOf("bob")
		k, other := newKeyring(), newKeyring()
		k.credential.Counter = 40
		codes := w.add(k, ada, "Phone")
		theirs := w.add(other, bob, "Phone")

		half := w.half("ada")
		_, err := w.finish(other, half)
		w.want(domain.Unauthenticated, err)
		for _, bad := range []string{"", "{}", "null", "[]", `"x"`, "\x00", strings.Repeat("[", 1<<14), strings.Repeat("x", 1<<20)} {
			_, err := w.a.Accounts.FinishByPasskey(w.ctx(), household(len(bad)%200), half, bad)
			w.want(domain.Unauthenticated, err)
		}
		w.Clock.Advance(16 * time.Minute) // of the attempts
		_, err = w.a.Accounts.FactorOptions(w.ctx(), half)
		w.want(domain.Unauthenticated, err)

		// An answer is valid for one sign-in, and only in the browser that requested it.
		first, second := w.half("ada"), w.half("ada")
		options, err := w.a.Accounts.FactorOptions(w.ctx(), first)
		w.must(err)
		answer := k.sign(w, options)
		_, err = w.a.Accounts.FinishByPasskey(w.ctx(), home, second, answer)
		w.want(domain.Unauthenticated, err)
		_, err = w.a.Accounts.FinishByPasskey(w.ctx(), home, first, answer+strings.Repeat(" ", domain.MaxPasskeyAnswer))
		w.want(domain.Unauthenticated, err)
		w.must2(w.a.Accounts.FinishByPasskey(w.ctx(), home, first, answer))
		_, err = w.a.Accounts.FinishByPasskey(w.ctx(), home, first, answer)
		w.want(domain.Unauthenticated, err)

		// A counter that decreases or stays the same indicates a copied key.
		k.credential.Counter -= 1
		_, err = w.finish(k, second)
		w.want(domain.Unauthenticated, err)
		k.credential.Counter = 3
		_, err = w.finish(k, second)
		w.want(domain.Unauthenticated, err)
		k.credential.Counter = 60
		w.must2(w.finish(k, second))

		// Challenges and unfinished sign-ins expire after ten minutes.
		third := w.half("ada")
		w.Clock.Advance(10 * time.Minute)
		_, err = w.a.Accounts.FinishByCode(w.ctx(), home, third, codes[0])
		w.want(domain.Unauthenticated, err)

		// Codes work once, only for their owner, and in any spelling.
		fourth := w.half("ada")
		_, err = w.a.Accounts.FinishByCode(w.ctx(), home, fourth, theirs[0])
		w.want(domain.Invalid, err)
		w.must2(w.a.Accounts.FinishByCode(w.ctx(), home, fourth, " "+strings.ToUpper(strings.ReplaceAll(codes[1], "-", " "))))
		_, err = w.a.Accounts.FinishByCode(w.ctx(), home, w.half("ada"), codes[1])
		w.want(domain.Invalid, err)
		if f, err := w.a.Accounts.SecondFactor(w.ctx(), ada); err != nil || f.Codes != 9 {
			t.Errorf("%+v, %v", f, err)
		}
		w.wantMail("ada", "A recovery code was used", "Codes left: 9.")

		// A new password or a suspension ends unfinished sign-ins.
		fifth := w.half("ada")
		w.must2(w.a.Accounts.ChangePassword(w.ctx(), ada, w.Proved(ada.UserID), another, false))
		_, err = w.a.Accounts.HalfSignIn(w.ctx(), fifth)
		w.want(domain.Unauthenticated, err)
		sixth := w.half("bob")
		_, err = w.a.Operating.SetAccount(w.ctx(), w.operator(), bob.UserID, suspend(true))
		w.must(err)
		_, err = w.a.Accounts.FinishByCode(w.ctx(), home, sixth, theirs[1])
		w.want(domain.Unauthenticated, err)
		options, err = w.a.Accounts.PasskeyOptions(w.ctx(), "")
		w.must(err)
		_, err = w.a.Accounts.SignInByPasskey(w.ctx(), home, "", other.sign(w, options))
		w.want(domain.Unauthenticated, err)
	})
}

// operator returns the creator of the first account.
func (w *accountsRig) operator() domain.Actor {
	w.t.Helper()
	u, err := w.a.People.User(w.ctx(), domain.ParseRef("op"))
	w.must(err)
	return domain.Actor{UserID: u.ID, Tier: u.Tier, Scope: domain.ScopeWrite}
}

// If several use the same factor at once, one of them signs in.
func TestSecondFactorRaces(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("op")
		w.member("ada")
		ada, _ := w.sessionOf("ada")
		k := newKeyring()
		codes := w.add(k, ada, "Phone")
		const n = 8
		race := func(what string, want int, try func(i int) error) {
			t.Helper()
			var wg sync.WaitGroup
			errs := make([]error, n)
			for i := range n {
				wg.Go(func() { errs[i] = try(i) })
			}
			wg.Wait()
			in := 0
			for _, err := range errs {
				switch domain.KindOf(err) {
				case domain.Unauthenticated, domain.Invalid, domain.Conflict, domain.NotFound, domain.Unprocessable:
				default:
					in++
					w.must(err)
				}
			}
			if in != want {
				t.Errorf("%s: %d were let in, want %d: %v", what, in, want, errs)
			}
		}
		halves := make([]string, n)
		for i := range halves {
			halves[i] = w.half("ada")
		}
		race("one code", 1, func(i int) error {
			_, err := w.a.Accounts.FinishByCode(w.ctx(), household(i), halves[i], codes[0])
			return err
		})
		half := w.half("ada")
		options, err := w.a.Accounts.FactorOptions(w.ctx(), half)
		w.must(err)
		answer := k.sign(w, options)
		race("one answer", 1, func(i int) error {
			_, err := w.a.Accounts.FinishByPasskey(w.ctx(), household(20+i), half, answer)
			return err
		})
		half = w.half("ada")
		race("one half", 1, func(i int) error {
			_, err := w.a.Accounts.FinishByCode(w.ctx(), household(40+i), half, codes[1+i])
			return err
		})
		if f, err := w.a.Accounts.SecondFactor(w.ctx(), ada); err != nil || f.Codes != 8 {
			t.Errorf("%d codes are left, %v", f.Codes, err)
		}
		again := newKeyring()
		s := w.Proved(ada.UserID)
		begun, err := w.a.Accounts.BeginPasskey(w.ctx(), ada, s, accounts.PasskeyInput{Name: "Key"})
		w.must(err)
		made := again.make(w.t, begun)
		race("one passkey", 1, func(int) error {
			_, _, err := w.a.Accounts.AddPasskey(w.ctx(), ada, s, accounts.PasskeyInput{Name: "Key"}, made, false)
			return err
		})
		race("removed at once", 2, func(i int) error {
			for {
				f, err := w.a.Accounts.SecondFactor(w.ctx(), ada)
				if err != nil || len(f.Passkeys) == 0 {
					return domain.NewNotFound()
				}
				_, _, err = w.a.Accounts.RemovePasskey(w.ctx(), ada, w.Proved(ada.UserID), f.Passkeys[i%len(f.Passkeys)].ID, false)
				if !errors.Is(err, accounts.ErrUnproved) { // another change in the meantime causes this
					return err
				}
			}
		})
		if f, err := w.a.Accounts.SecondFactor(w.ctx(), ada); err != nil || len(f.Passkeys) != 0 && f.Codes != 0 {
			t.Errorf("%+v, %v", f, err)
		}
	})
}

func TestChangingSecondFactor(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("op")
		w.member("ada")
		ada, s := w.sessionOf("ada")
		other := w.signIn("ada")
		in := accounts.PasskeyInput{Name: "Phone"}
		_, _, err := w.a.Accounts.NewRecoveryCodes(w.ctx(), ada, s, false)
		w.want(domain.Unprocessable, err)

		// A passkey must be added in the session and by the user that started, with the same options.
		options, err := w.a.Accounts.BeginPasskey(w.ctx(), ada, s, in)
		w.must(err)
		k := newKeyring()
		answer := k.make(w.t, options)
		_, _, err = w.a.Accounts.AddPasskey(w.ctx(), ada, w.Proved(ada.UserID), in, answer, false)
		w.want(domain.Unauthenticated, err)
		_, _, err = w.a.Accounts.AddPasskey(w.ctx(), w.operator(), s, in, answer, false)
		w.want(domain.Unauthenticated, err)
		alone, err := w.a.Accounts.PasskeyOptions(w.ctx(), "")
		w.must(err)
		var of struct{ PublicKey map[string]any }
		w.must(json.Unmarshal(options, &of))
		var free struct{ PublicKey map[string]any }
		w.must(json.Unmarshal(alone, &free))
		of.PublicKey["challenge"] = free.PublicKey["challenge"]
		mixed, err := json.Marshal(of)
		w.must(err)
		_, _, err = w.a.Accounts.AddPasskey(w.ctx(), ada, s, in, newKeyring().make(w.t, mixed), false)
		w.want(domain.Unauthenticated, err)
		elsewhere := newKeyring()
		elsewhere.site.Origin = "http://vitrine.test"
		_, _, err = w.a.Accounts.AddPasskey(w.ctx(), ada, s, in, elsewhere.make(w.t, options), false)
		w.want(domain.Unauthenticated, err)
		codes, _, err := w.a.Accounts.AddPasskey(w.ctx(), ada, s, in, answer, false)
		w.must(err)

		// Nobody else can register the same passkey.
		bob := w.member("bob")
		bobs := w.Proved(bob.UserID)
		options, err = w.a.Accounts.BeginPasskey(w.ctx(), bob, bobs, in)
		w.must(err)
		_, _, err = w.a.Accounts.AddPasskey(w.ctx(), bob, bobs, in, k.make(w.t, options), false)
		w.want(domain.Conflict, err)
		s = w.Proved(ada.UserID)
		options, err = w.a.Accounts.BeginPasskey(w.ctx(), ada, s, in)
		w.must(err)
		k.make(w.t, options)
		if !strings.Contains(string(options), "excludeCredentials") {
			t.Errorf("the browser is not told of what there is: %s", options)
		}

		// A passkey confirms the signed-in user, verified, once, and in its session.
		proof := func(change func(k *keyring)) string {
			options, err := w.a.Accounts.ProofOptions(w.ctx(), ada, s)
			w.must(err)
			other := *k
			change(&other)
			defer func() { k.credential.Counter = other.credential.Counter }()
			return other.sign(w, options)
		}
		_, err = w.a.Accounts.ProveByPasskey(w.ctx(), home, ada, s, proof(func(k *keyring) { k.Options.UserNotVerified = true }))
		w.want(domain.Unauthenticated, err)
		good := proof(func(*keyring) {})
		_, err = w.a.Accounts.ProveByPasskey(w.ctx(), home, ada, w.Proved(ada.UserID), good)
		w.want(domain.Unauthenticated, err)
		s, _, err = w.a.Accounts.SessionUser(w.ctx(), home, w.must2(w.a.Accounts.ProveByPasskey(w.ctx(), home, ada, s, good)))
		w.must(err)
		_, err = w.a.Accounts.ProveByPasskey(w.ctx(), home, ada, s, good)
		w.want(domain.Unauthenticated, err)
		fresh, _, err := w.a.Accounts.NewRecoveryCodes(w.ctx(), ada, s, false)
		w.must(err)
		_, err = w.a.Accounts.FinishByCode(w.ctx(), home, w.half("ada"), codes[0])
		w.want(domain.Invalid, err)
		w.must2(w.a.Accounts.FinishByCode(w.ctx(), home, w.half("ada"), fresh[0]))

		// A mailed link is not a second factor.
		w.must(w.a.Accounts.ForgotPassword(w.ctx(), home, "ada@example.org"))
		var token string
		for _, m := range w.mails("ada@example.org") {
			if found := mailedToken.FindString(m.Text); found != "" {
				token = found
			}
		}
		half, err := w.a.Accounts.ResetPassword(w.ctx(), home, token, password+"2")
		w.must(err)
		if kind, _ := auth.TokenKind(half); kind != auth.Half {
			t.Fatalf("the link gives %q", half)
		}
		s2, _, err := w.a.Accounts.SessionUser(w.ctx(), home, w.must2(w.finish(k, half)))
		w.must(err)

		// Removing the last passkey also removes the codes. Sessions stay.
		f, err := w.a.Accounts.SecondFactor(w.ctx(), ada)
		w.must(err)
		_, _, err = w.a.Accounts.RemovePasskey(w.ctx(), ada, s2, f.Passkeys[0].ID+100, false)
		w.want(domain.NotFound, err)
		_, _, err = w.a.Accounts.RemovePasskey(w.ctx(), bob, w.Proved(bob.UserID), f.Passkeys[0].ID, false)
		w.want(domain.NotFound, err)
		if last, _, err := w.a.Accounts.RemovePasskey(w.ctx(), ada, s2, f.Passkeys[0].ID, false); err != nil || !last {
			t.Errorf("%v, %v", last, err)
		}
		if f, err = w.a.Accounts.SecondFactor(w.ctx(), ada); err != nil || len(f.Passkeys)+f.Codes != 0 {
			t.Errorf("%+v, %v", f, err)
		}
		session, err := w.a.Accounts.SignIn(w.ctx(), home, "ada@example.org", password+"2")
		w.must(err)
		w.actor(session)
		_, _, err = w.a.Accounts.SessionUser(w.ctx(), home, other) // ended by the new password
		w.want(domain.Unauthenticated, err)
	})
}

// Operators can reset the second factor of an account, and deleting the account deletes it.
func TestSecondFactorOfOthers(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		op := w.first("op")
		w.member("ada")
		ada, _ := w.sessionOf("ada")
		stays := w.signIn("ada")
		codes := w.add(newKeyring(), ada, "Phone")
		half, ref := w.half("ada"), domain.Ref{ID: int64(ada.UserID)}
		_, err := w.a.Operating.RemoveSecondFactor(w.ctx(), operating.OnSite(ada, home), ref)
		w.want(domain.Forbidden, err)
		_, err = w.a.Operating.AccountDetails(w.ctx(), operating.OnSite(ada, home), ref)
		w.want(domain.Forbidden, err)
		_, err = w.a.Operating.RemoveSecondFactor(w.ctx(), operating.OnSite(op, home), ref)
		w.must(err)
		_, err = w.a.Operating.RemoveSecondFactor(w.ctx(), operating.CommandLine(), ref)
		w.want(domain.Unprocessable, err)
		_, err = w.a.Accounts.FinishByCode(w.ctx(), home, half, codes[0])
		w.want(domain.Unauthenticated, err)
		w.actor(stays)
		w.actor(w.signIn("ada"))
		w.wantMail("ada", "Your second factor was removed", "/forgot-password")
		entries, err := w.a.Operating.AuditLog(w.ctx(), w.operator(), domain.AuditFilter{Act: domain.ActFactorEnded}, domain.AuditPlace{}, 10)
		if w.must(err); len(entries) != 1 || entries[0].Actor != "op" || entries[0].About.Label != "ada" {
			t.Errorf("%+v", entries)
		}

		k := newKeyring()
		w.add(k, ada, "Key")
		w.half("ada")
		w.must(w.a.Accounts.DeleteAccount(w.ctx(), ada, w.Proved(ada.UserID), "ada"))
		for _, table := range []string{"passkeys", "recovery_codes", "half_sign_ins"} {
			if rows := w.Dump()[table]; len(rows) != 0 {
				t.Errorf("%s has %v", table, rows)
			}
		}
		options, err := w.a.Accounts.PasskeyOptions(w.ctx(), "")
		w.must(err)
		_, err = w.a.Accounts.SignInByPasskey(w.ctx(), home, "", k.sign(w, options))
		w.want(domain.Unauthenticated, err)
	})
}

// Somebody who knows only the password cannot guess codes, and does not lock the account's owner out.
func TestSecondFactorIsLimited(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("op")
		w.member("ada")
		ada, s := w.sessionOf("ada")
		known := domain.Visitor{Address: home.Address, Browser: auth.BrowserSecret(w.signIn("ada"))}
		codes := w.add(newKeyring(), ada, "Phone")
		half, tried := w.half("ada"), 0
		for i := range 100 {
			_, err := w.a.Accounts.FinishByCode(w.ctx(), household(i), half, "wrong")
			if domain.KindOf(err) == domain.TooMany {
				break
			}
			w.want(domain.Invalid, err)
			tried++
		}
		if tried != 30 {
			t.Errorf("%d codes were tried from everywhere, want 30", tried)
		}
		_, err := w.a.Accounts.FinishByCode(w.ctx(), household(7), half, codes[0])
		w.want(domain.TooMany, err)
		w.must2(w.a.Accounts.FinishByCode(w.ctx(), known, half, codes[0]))
		proofs := 0
		for range 60 {
			_, err := w.a.Accounts.ProveByPasskey(w.ctx(), home, ada, s, "{}")
			if domain.KindOf(err) == domain.TooMany {
				break
			}
			w.want(domain.Unauthenticated, err)
			proofs++
		}
		if proofs != 10 {
			t.Errorf("%d proofs were tried, want 10", proofs)
		}
	})
}

// Browsers offer passkeys on https and on localhost, for host names only.
func TestWherePasskeysWork(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		apptest.Base: true, "https://vitrine.test:8443/sub": true, "http://localhost:8080": true, "http://vitrine.localhost": true,
		"http://vitrine.test": false, "http://127.0.0.1:8080": false, "https://192.0.2.1": false, "https://[::1]:8443": false,
	} {
		r := apptest.New(t, func(c *config.Config) { c.SiteURL = address })
		if got := r.S.App.Accounts.PasskeysPossible(); got != want {
			t.Errorf("%s: %v", address, got)
		}
		if _, err := r.S.App.Accounts.PasskeyOptions(t.Context(), ""); (err == nil) != want {
			t.Errorf("%s: %v", address, err)
		}
	}
}
