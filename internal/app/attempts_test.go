package app_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"vitrine/internal/auth"
	"vitrine/internal/domain"
)

// Too many attempts from one address do not lock the account's owner out elsewhere.
func TestNobodyIsLockedOutFromElsewhere(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("ada")
		refused := 0
		for range 130 { // the limit is 100 per account
			_, err := w.a.Accounts.SignIn(w.ctx(), elsewhere, "ada@example.org", strings.Repeat("x", 2000)) // too long to be hashed
			if domain.KindOf(err) == domain.TooMany {
				refused++
			}
		}
		if refused != 120 {
			t.Errorf("%d of 130 were refused", refused)
		}
		w.signIn("ada")
	})
}

// Attempts from many foreign addresses do not lock out a browser that signed in before, because it has a limit of its
// own.
func TestKnownBrowserIsNotCountedWithStrangers(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada := w.first("ada")
		w.member("grace")
		session := w.signIn("ada")
		known := domain.Visitor{Address: elsewhere.Address, Browser: auth.BrowserSecret(session)}
		tooLong := strings.Repeat("x", 2000) // to be hashed
		from := func(i int) domain.Visitor {
			return domain.Visitor{Address: netip.AddrFrom4([4]byte{203, 0, 113, byte(i)}), Browser: auth.BrowserSecret("made up")}
		}
		for i := range 100 {
			_, err := w.a.Accounts.SignIn(w.ctx(), from(i/10), "ada@example.org", tooLong)
			w.want(domain.Unauthenticated, err)
		}
		_, err := w.a.Accounts.SignIn(w.ctx(), home, "ada@example.org", password)
		w.want(domain.TooMany, err) // an unknown browser is limited with all others
		_, err = w.a.Accounts.SignIn(w.ctx(), known, "grace@example.org", password)
		w.must(err)                                                                             // from an address without attempts; the cookie belongs to another account
		w.must2(w.a.Accounts.ChangePassword(w.ctx(), ada, w.Proved(ada.UserID), another, true)) // nor is her own session limited
		_, err = w.a.Accounts.SignIn(w.ctx(), known, "ada@example.org", another)
		w.want(domain.TooMany, err) // the new password has made known browsers unknown

		w.Clock.Advance(25 * time.Hour)
		session, err = w.a.Accounts.SignIn(w.ctx(), home, "ada@example.org", another)
		w.must(err)
		known.Browser = auth.BrowserSecret(session)
		for i := range 100 {
			_, err := w.a.Accounts.SignIn(w.ctx(), from(i/10), "ada@example.org", tooLong)
			w.want(domain.Unauthenticated, err)
		}
		w.must(w.a.Accounts.SignOut(w.ctx(), session))
		refused := 0
		for range 12 {
			if _, err := w.a.Accounts.SignIn(w.ctx(), known, "ada@example.org", tooLong); domain.KindOf(err) == domain.TooMany {
				refused++
			}
		}
		if refused != 2 {
			t.Errorf("a known browser was refused %d times of 12", refused)
		}
		w.Clock.Advance(14 * time.Minute) // the limits for strangers still apply
		_, err = w.a.Accounts.SignIn(w.ctx(), known, "ada@example.org", another)
		w.want(domain.TooMany, err)
	})
}

// The cookie of a known browser changes with each sign-in. The old one stops working after the next sign-in, a new
// password, or when its session is ended by hand.
func TestKnownBrowsersAreForgotten(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada := w.first("ada")
		knows := func(session string) bool {
			t.Helper()
			known, err := w.S.Store.Account().KnowsBrowser(w.ctx(), auth.HashToken(auth.BrowserSecret(session)), "ada@example.org", w.Clock.Now())
			w.must(err)
			return known
		}
		first := w.signIn("ada")
		second, err := w.a.Accounts.SignIn(w.ctx(), domain.Visitor{Address: home.Address, Browser: auth.BrowserSecret(first)}, "ada@example.org", password)
		w.must(err)
		if knows(first) || !knows(second) {
			t.Error("the cookie has not changed with the second sign-in")
		}
		w.must(w.a.Accounts.SignOut(w.ctx(), second))
		third := w.signIn("ada")
		if !knows(second) || !knows(third) {
			t.Error("signing out forgets the browser")
		}
		all, err := w.a.Accounts.Sessions(w.ctx(), ada)
		w.must(err)
		w.must(w.a.Accounts.EndSession(w.ctx(), ada, all[0].ID)) // the third session
		if knows(third) || !knows(second) {
			t.Error("ending a session does not forget its browser alone")
		}
		fourth := w.signIn("ada")
		s, _, err := w.a.Accounts.SessionUser(w.ctx(), home, fourth)
		w.must(err)
		w.must(w.a.Accounts.EndOtherSessions(w.ctx(), ada, s.ID))
		if knows(second) || !knows(fourth) {
			t.Error("ending all other sessions does not forget their browsers alone")
		}
		w.Clock.Advance(401 * 24 * time.Hour)
		w.must(w.a.Accounts.SweepAccounts(w.ctx()))
		if rows := w.Dump()["known_browsers"]; len(rows) != 0 {
			t.Errorf("%d browsers are left", len(rows))
		}
	})
}

// Slowly trying one password on many accounts reaches the daily limit, for IPv6 per network. Successful sign-ins do not
// count.
func TestSprayingIsLimitedByDay(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("ada")
		tooLong, checked := strings.Repeat("x", 2000), 0
		for i := range 540 {
			if i%100 == 0 {
				w.Clock.Advance(16 * time.Minute)
			}
			host := [16]byte{0x20, 0x01, 0x0d, 0xb8, 15: byte(i)}
			from := domain.Visitor{Address: netip.AddrFrom16(host)}
			_, err := w.a.Accounts.SignIn(w.ctx(), from, fmt.Sprintf("user%d@example.org", i), tooLong)
			switch domain.KindOf(err) {
			case domain.Unauthenticated:
				checked++
			case domain.TooMany:
			default:
				t.Fatal(err)
			}
		}
		if checked != 500 {
			t.Errorf("%d attempts of a network in a day", checked)
		}
		for range 12 { // more failures than allowed per address and account
			w.signIn("ada")
		}
	})
}

// Guessing the password of one account from many addresses reaches the daily limit.
func TestGuessingIsLimitedByDay(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("ada")
		checked := 0
		for i := range 400 {
			if i%50 == 0 {
				w.Clock.Advance(16 * time.Minute)
			}
			from := domain.Visitor{Address: netip.AddrFrom4([4]byte{203, 0, byte(i >> 8), byte(i)})}
			_, err := w.a.Accounts.SignIn(w.ctx(), from, "ada@example.org", strings.Repeat("x", 2000))
			if domain.KindOf(err) == domain.Unauthenticated {
				checked++
			}
		}
		if checked != 300 {
			t.Errorf("%d attempts at an account in a day", checked)
		}
	})
}
