package app_test

import (
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/domain"
)

func TestSignIn(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("ada")
		s, u, err := w.a.Accounts.SessionUser(w.ctx(), home, w.signIn("ADA"))
		if w.must(err); u.Slug != "ada" || !u.HasPassword || s.Agent != "Browser/1" || s.Address != "192.0.2.1" {
			t.Errorf("%+v %+v", s, u)
		}
		for _, try := range [][2]string{
			{"ada@example.org", "wrong password"}, {"nobody@example.org", password}, {"", ""}, {"ada", password},
			{"ada@example.org", ""}, {"ada@example.org", strings.Repeat("x", 100_000)}, {"a\x00@example.org", password},
			{"\xff@example.org", "\xff\x00"},
		} {
			_, err := w.a.Accounts.SignIn(w.ctx(), home, try[0], try[1])
			w.want(domain.Unauthenticated, err)
			if err.Error() != "The address or the password is not right" {
				t.Errorf("%.40q: %v", try[0], err)
			}
		}
	})
}

// The statements of a sign-in attempt do not reveal whether an address has an account, a password or a suspension. The
// test of auth.CheckPassword checks that a hash is computed in each case.
func TestSignInDoesNotTell(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada := w.first("ada")
		w.member("grace")
		w.Person("alan") // has no password
		suspended := true
		grace, err := w.a.People.User(w.ctx(), domain.Ref{Slug: "grace"})
		w.must(err)
		_, err = w.a.Operating.SetAccount(w.ctx(), ada, grace.ID, suspend(suspended))
		w.must(err)
		attempt := func(name, password string) string {
			return strings.Join(w.Statements(func() {
				_, err := w.a.Accounts.SignIn(w.ctx(), elsewhere, name+"@example.org", password)
				w.want(domain.Unauthenticated, err)
			}), "\n")
		}
		unknown := attempt("nobody", password)
		for what, got := range map[string]string{"wrong": attempt("ada", another), "suspended": attempt("grace", password),
			"without a password": attempt("alan", "")} {
			if got != unknown {
				t.Errorf("%s:\n%s\n\nunknown:\n%s", what, got, unknown)
			}
		}
	})
}

func TestSessions(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		ada, grace := w.first("ada"), w.member("grace")
		first, second := w.signIn("ada"), w.signIn("ada")
		if first == second {
			t.Fatal("the same secret twice")
		}
		all, err := w.a.Accounts.Sessions(w.ctx(), ada)
		if w.must(err); len(all) != 3 { // one from signing up
			t.Fatalf("%d sessions", len(all))
		}
		w.want(domain.NotFound, w.a.Accounts.EndSession(w.ctx(), grace, all[0].ID))
		w.must(w.a.Accounts.EndSession(w.ctx(), ada, all[0].ID))
		w.want(domain.NotFound, w.a.Accounts.EndSession(w.ctx(), ada, all[0].ID))
		_, _, err = w.a.Accounts.SessionUser(w.ctx(), home, second)
		w.want(domain.Unauthenticated, err)
		w.must(w.a.Accounts.EndOtherSessions(w.ctx(), ada, all[1].ID))
		w.actor(first)
		w.must(w.a.Accounts.SignOut(w.ctx(), first))
		w.must(w.a.Accounts.SignOut(w.ctx(), first))
		w.must(w.a.Accounts.SignOut(w.ctx(), "nonsense"))
		_, _, err = w.a.Accounts.SessionUser(w.ctx(), home, first)
		w.want(domain.Unauthenticated, err)
	})
}

func TestSessionsSlideAndExpire(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("ada")
		used, left := w.signIn("ada"), w.signIn("ada")
		w.Clock.Advance(29 * 24 * time.Hour)
		w.actor(used)
		if n := len(w.Statements(func() { w.actor(used) })); n != 1 {
			t.Errorf("%d statements of one just seen", n)
		}
		w.Clock.Advance(2 * 24 * time.Hour)
		s, _, err := w.a.Accounts.SessionUser(w.ctx(), domain.Visitor{Address: elsewhere.Address, Agent: "x\x00\xffy\n" + strings.Repeat("z", 5000)}, used)
		if w.must(err); s.Address != "198.51.100.7" || len([]rune(s.Agent)) > 200 {
			t.Errorf("%+v", s)
		}
		_, _, err = w.a.Accounts.SessionUser(w.ctx(), home, left)
		w.want(domain.Unauthenticated, err)
		w.must(w.a.Accounts.SweepAccounts(w.ctx()))
		if rows := w.Dump()["sessions"]; len(rows) != 1 {
			t.Errorf("%d rows are left", len(rows))
		}
		w.Clock.Advance(31 * 24 * time.Hour)
		_, _, err = w.a.Accounts.SessionUser(w.ctx(), home, used)
		w.want(domain.Unauthenticated, err)
	})
}

// Many attempts at once do not exceed the limits: of an account from one address, of an account from anywhere, and of an
// address for all accounts.
func TestSignInLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of hashes")
	}
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("ada")
		from := func(i int) domain.Visitor {
			return domain.Visitor{Address: netip.AddrFrom4([4]byte{203, 0, 113, byte(i)})}
		}
		// tried returns how many of n concurrent attempts were checked at all.
		tried := func(n int, attempt func(i int) (domain.Visitor, string)) int64 {
			var g sync.WaitGroup
			var checked atomic.Int64
			for i := range n {
				g.Go(func() {
					who, email := attempt(i)
					_, err := w.a.Accounts.SignIn(w.ctx(), who, email, strings.Repeat("x", 2000)) // too long to be hashed
					switch domain.KindOf(err) {
					case domain.Unauthenticated:
						checked.Add(1)
					case domain.TooMany:
					default:
						t.Error(err)
					}
				})
			}
			g.Wait()
			return checked.Load()
		}
		if n := tried(30, func(int) (domain.Visitor, string) { return from(1), "ada@example.org" }); n != 10 {
			t.Errorf("%d attempts of a pair", n)
		}
		w.signIn("ada") // she can still sign in from elsewhere
		if n := tried(300, func(i int) (domain.Visitor, string) { return from(i), "grace@example.org" }); n != 100 {
			t.Errorf("%d attempts at an account", n)
		}
		w.Clock.Advance(16 * time.Minute)
		if n := tried(260, func(i int) (domain.Visitor, string) { return from(1), strings.Repeat("a", 1+i) + "@example.org" }); n != 200 {
			t.Errorf("%d attempts of an address", n)
		}
		w.Clock.Advance(25 * time.Hour)
		w.must(w.a.Accounts.SweepAccounts(w.ctx()))
		if rows := w.Dump()["attempts"]; len(rows) != 0 {
			t.Errorf("%d windows are left", len(rows))
		}
	})
}
