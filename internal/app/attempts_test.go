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

// Who tries too often from one address does not keep the holder out elsewhere.
func TestNobodyIsLockedOutFromElsewhere(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("ada")
		refused := 0
		for range 130 { // an account may be tried 100 times
			_, err := w.a.SignIn(w.ctx(), elsewhere, "ada@example.org", strings.Repeat("x", 2000)) // too long to be hashed
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

// Strangers at many addresses do not keep out a browser that signed in before, which has a
// limited count of its own.
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
			_, err := w.a.SignIn(w.ctx(), from(i/10), "ada@example.org", tooLong)
			w.want(domain.Unauthenticated, err)
		}
		_, err := w.a.SignIn(w.ctx(), home, "ada@example.org", password)
		w.want(domain.TooMany, err) // as before: a stranger's browser is one of many
		_, err = w.a.SignIn(w.ctx(), known, "grace@example.org", password)
		w.must(err)                                                                    // from an address without attempts; the cookie belongs to another account
		w.must2(w.a.ChangePassword(w.ctx(), ada, w.Proved(ada.UserID), another, true)) // her own session is not limited either
		_, err = w.a.SignIn(w.ctx(), known, "ada@example.org", another)
		w.want(domain.TooMany, err) // the new password has ended what was known

		w.Clock.Advance(25 * time.Hour)
		session, err = w.a.SignIn(w.ctx(), home, "ada@example.org", another)
		w.must(err)
		known.Browser = auth.BrowserSecret(session)
		for i := range 100 {
			_, err := w.a.SignIn(w.ctx(), from(i/10), "ada@example.org", tooLong)
			w.want(domain.Unauthenticated, err)
		}
		w.must(w.a.SignOut(w.ctx(), session))
		refused := 0
		for range 12 {
			if _, err := w.a.SignIn(w.ctx(), known, "ada@example.org", tooLong); domain.KindOf(err) == domain.TooMany {
				refused++
			}
		}
		if refused != 2 {
			t.Errorf("a known browser was refused %d times of 12", refused)
		}
		w.Clock.Advance(14 * time.Minute) // strangers' windows have not ended
		_, err = w.a.SignIn(w.ctx(), known, "ada@example.org", another)
		w.want(domain.TooMany, err)
	})
}

// The cookie of a known browser changes with each sign-in, and is worth nothing after the
// next, a new password, or the end of its session by hand.
func TestKnownBrowsersAreForgotten(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada := w.first("ada")
		knows := func(session string) bool {
			t.Helper()
			known, err := w.S.Store.KnowsBrowser(w.ctx(), auth.HashToken(auth.BrowserSecret(session)), "ada@example.org", w.Clock.Now())
			w.must(err)
			return known
		}
		first := w.signIn("ada")
		second, err := w.a.SignIn(w.ctx(), domain.Visitor{Address: home.Address, Browser: auth.BrowserSecret(first)}, "ada@example.org", password)
		w.must(err)
		if knows(first) || !knows(second) {
			t.Error("the cookie has not changed with the second sign-in")
		}
		w.must(w.a.SignOut(w.ctx(), second))
		third := w.signIn("ada")
		if !knows(second) || !knows(third) {
			t.Error("signing out forgets the browser")
		}
		all, err := w.a.Sessions(w.ctx(), ada)
		w.must(err)
		w.must(w.a.EndSession(w.ctx(), ada, all[0].ID)) // the third
		if knows(third) || !knows(second) {
			t.Error("ending a session does not forget its browser alone")
		}
		fourth := w.signIn("ada")
		s, _, err := w.a.SessionUser(w.ctx(), home, fourth)
		w.must(err)
		w.must(w.a.EndOtherSessions(w.ctx(), ada, s.ID))
		if knows(second) || !knows(fourth) {
			t.Error("ending all other sessions does not forget their browsers alone")
		}
		w.Clock.Advance(401 * 24 * time.Hour)
		w.must(w.a.SweepAccounts(w.ctx()))
		if rows := w.Dump()["known_browsers"]; len(rows) != 0 {
			t.Errorf("%d browsers are left", len(rows))
		}
	})
}

// One password tried on many accounts, slowly, meets the limit of a day: for an IPv6
// address that of its network. Who signs in uses nothing of it up.
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
			_, err := w.a.SignIn(w.ctx(), from, fmt.Sprintf("user%d@example.org", i), tooLong)
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
		for range 12 { // more than a pair may fail
			w.signIn("ada")
		}
	})
}

// Guessing at one account from ever new addresses meets the limit of a day.
func TestGuessingIsLimitedByDay(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("ada")
		checked := 0
		for i := range 400 {
			if i%50 == 0 {
				w.Clock.Advance(16 * time.Minute)
			}
			from := domain.Visitor{Address: netip.AddrFrom4([4]byte{203, 0, byte(i >> 8), byte(i)})}
			_, err := w.a.SignIn(w.ctx(), from, "ada@example.org", strings.Repeat("x", 2000))
			if domain.KindOf(err) == domain.Unauthenticated {
				checked++
			}
		}
		if checked != 300 {
			t.Errorf("%d attempts at an account in a day", checked)
		}
	})
}
