package store_test

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/account"
	"vitrine/internal/store/storetest"
)

// count returns the number of rows of a table.
func count(t *testing.T, db *database.DB, from string, args ...any) (n int64) {
	t.Helper()
	if err := db.Reader().QueryRow(t.Context(), "SELECT count(*) FROM "+from, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// session starts a session of a user that expires after an hour.
func session(t *testing.T, s *store.Store, user domain.UserID, n int) domain.Session {
	t.Helper()
	one := domain.Session{UserID: user, Agent: "Browser", Address: "192.0.2.1", CreatedAt: minutes(0), ExpiresAt: minutes(60), ProvedAt: minutes(0), Hash: hash(n)}
	storetest.In(t, s, func(tx *store.Tx) (err error) {
		one.ID, err = tx.Account().CreateSession(t.Context(), one, hash(n))
		return err
	})
	return one
}

// A session is found by its secret until it expires, ends, or gets another secret, and while its user may act.
func TestSessionsOfUsers(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx := t.Context()
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		first, other := session(t, s, ada, 1), session(t, s, ada, 2)
		his := session(t, s, bob, 3)
		live := func(what string, n int, at time.Time, want bool) {
			t.Helper()
			got, _, err := s.Users().Session(ctx, hash(n), at)
			if (err == nil) != want || err != nil && domain.KindOf(err) != domain.NotFound || err == nil && string(got.Hash) != string(hash(n)) {
				t.Errorf("%s: %+v, %v", what, got, err)
			}
		}
		live("its secret", 1, minutes(59), true)
		live("expired", 1, minutes(60), false)
		live("another secret", 4, minutes(1), false)
		for _, column := range []string{"suspended_at", "deleted_at"} {
			storetest.Exec(t, db, "UPDATE users SET "+column+" = 1 WHERE id = $1", ada)
			live(column, 1, minutes(1), false)
			live("of somebody else", 3, minutes(1), true)
			storetest.Exec(t, db, "UPDATE users SET "+column+" = NULL WHERE id = $1", ada)
		}
		// A new secret replaces the old one, once.
		renew := func(was domain.Session, n int) error {
			return s.InTx(ctx, func(tx *store.Tx) error { return tx.Account().RenewSession(ctx, was, hash(n)) })
		}
		first.ProvedAt = minutes(5)
		if err := renew(first, 5); err != nil {
			t.Fatal(err)
		}
		want(t, "renewed with the old secret", domain.NotFound, renew(first, 6))
		stolen := his
		stolen.UserID = ada
		want(t, "renewed by somebody else", domain.NotFound, renew(stolen, 6))
		live("the old secret", 1, minutes(1), false)
		live("the new secret", 5, minutes(1), true)
		_, err := s.Account().CurrentSession(ctx, first)
		want(t, "the current state by the old secret", domain.NotFound, err)
		first.Hash = hash(5)
		if got, err := s.Account().CurrentSession(ctx, first); err != nil || !got.ProvedAt.Equal(minutes(5)) {
			t.Errorf("%+v, %v", got, err)
		}
		// Proofs are forgotten, except one.
		storetest.In(t, s, func(tx *store.Tx) error { return tx.Account().ForgetProofs(ctx, ada, first.ID) })
		for _, row := range []struct {
			session domain.Session
			proved  bool
		}{{first, true}, {other, false}, {his, true}} {
			if got, err := s.Account().CurrentSession(ctx, row.session); err != nil || got.ProvedAt.IsZero() == row.proved {
				t.Errorf("session %d: %+v, %v", row.session.ID, got, err)
			}
		}
		// Being seen extends a session, and never goes back.
		for _, row := range []struct{ at, seen int }{{10, 10}, {7, 10}, {12, 12}} {
			seen := first
			seen.LastSeenAt, seen.ExpiresAt, seen.Agent = minutes(row.at), minutes(row.at+60), fmt.Sprint("Browser at ", row.at)
			storetest.In(t, s, func(tx *store.Tx) error { return tx.Account().SessionSeen(ctx, seen) })
			all, err := s.Account().Sessions(ctx, ada, minutes(20))
			if err != nil || len(all) != 2 || all[0].ID != first.ID || !all[0].LastSeenAt.Equal(minutes(row.seen)) || !all[0].ExpiresAt.Equal(minutes(row.seen+60)) ||
				all[0].Agent != fmt.Sprint("Browser at ", row.seen) {
				t.Errorf("seen at %d: %+v, %v", row.at, all, err)
			}
		}
		if all, err := s.Account().Sessions(ctx, ada, minutes(60)); err != nil || len(all) != 1 {
			t.Errorf("after one has expired: %+v, %v", all, err)
		}
		// A user ends one of their sessions, the session of a secret, or all others.
		end := func(user domain.UserID, id domain.SessionID) error {
			return s.InTx(ctx, func(tx *store.Tx) error { return tx.Account().EndSession(ctx, user, id) })
		}
		want(t, "ended by somebody else", domain.NotFound, end(bob, first.ID))
		if err := end(ada, other.ID); err != nil {
			t.Error(err)
		}
		want(t, "ended again", domain.NotFound, end(ada, other.ID))
		storetest.In(t, s, func(tx *store.Tx) error {
			got, err := tx.Account().EndSessionByHash(ctx, hash(3))
			if got.ID != his.ID || got.UserID != bob {
				t.Errorf("ended %+v", got)
			}
			return err
		})
		keep, more := session(t, s, ada, 7), session(t, s, ada, 8)
		storetest.In(t, s, func(tx *store.Tx) error { return tx.Account().EndSessions(ctx, ada, keep.ID) })
		live("the kept one", 7, minutes(1), true)
		live("another", 8, minutes(1), false)
		live("and another", 5, minutes(1), false)
		seen := more
		seen.LastSeenAt = minutes(30)
		storetest.In(t, s, func(tx *store.Tx) error { return tx.Account().SessionSeen(ctx, seen) }) // does not bring it back
		live("seen after its end", 8, minutes(1), false)
	})
}

// Beyond a hundred browsers of a user, the oldest are signed out and forgotten. Others keep theirs.
func TestMostSessions(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx := t.Context()
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		storetest.In(t, s, func(tx *store.Tx) error {
			for n := range 101 {
				for u, user := range []domain.UserID{ada, bob} {
					if u == 1 && n > 1 {
						continue
					}
					id, err := tx.Account().CreateSession(ctx, domain.Session{UserID: user, CreatedAt: minutes(0), ExpiresAt: minutes(60)}, hash(1000*u+n))
					if err != nil {
						return err
					}
					b := account.KnownBrowser{Hash: hash(1000*u + n), User: user, Session: id, CreatedAt: minutes(0), ExpiresAt: minutes(60)}
					if err := tx.Account().RememberBrowser(ctx, b, nil); err != nil {
						return err
					}
				}
			}
			return nil
		})
		for table, where := range map[string]string{"sessions": "user_id = $1", "known_browsers": "user_id = $1"} {
			if n := count(t, db, table+" WHERE "+where, ada); n != 100 {
				t.Errorf("%d %s", n, table)
			}
			if n := count(t, db, table+" WHERE "+where, bob); n != 2 {
				t.Errorf("%d %s of bob", n, table)
			}
		}
		_, _, err := s.Users().Session(ctx, hash(0), minutes(1))
		want(t, "the oldest", domain.NotFound, err)
		for _, n := range []int{1, 100, 1000} {
			if _, _, err := s.Users().Session(ctx, hash(n), minutes(1)); err != nil {
				t.Errorf("session %d: %v", n, err)
			}
		}
	})
}

// A browser is known to the account that it signed in to, until it expires or its session is ended on purpose.
func TestKnownBrowsers(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx := t.Context()
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		storetest.Exec(t, db, "UPDATE users SET email = 'ada@xn--mller-kva.example' WHERE id = $1", ada)
		storetest.Exec(t, db, "UPDATE users SET email = 'bob@example.org' WHERE id = $1", bob)
		remember := func(user domain.UserID, n int, of domain.SessionID, replaced []byte) {
			t.Helper()
			storetest.In(t, s, func(tx *store.Tx) error {
				return tx.Account().RememberBrowser(ctx, account.KnownBrowser{Hash: hash(n), User: user, Session: of, CreatedAt: minutes(0), ExpiresAt: minutes(100)}, replaced)
			})
		}
		knows := func(what string, n int, email string, at int, want bool) {
			t.Helper()
			if got, err := s.Account().KnowsBrowser(ctx, hash(n), email, minutes(at)); err != nil || got != want {
				t.Errorf("%s: %v, %v", what, got, err)
			}
		}
		one, two := session(t, s, ada, 11), session(t, s, ada, 12)
		remember(ada, 1, one.ID, nil)
		knows("its account", 1, "ada@müller.example", 1, true)
		knows("its account, as it is stored", 1, "ada@xn--mller-kva.example", 1, true)
		knows("another account", 1, "bob@example.org", 1, false)
		knows("another browser", 2, "ada@müller.example", 1, false)
		knows("expired", 1, "ada@müller.example", 100, false)
		remember(ada, 2, two.ID, hash(1))
		knows("replaced", 1, "ada@müller.example", 1, false)
		knows("by the next", 2, "ada@müller.example", 1, true)
		remember(bob, 3, session(t, s, bob, 13).ID, hash(2))
		knows("replaced by somebody else", 2, "ada@müller.example", 1, true)
		storetest.Exec(t, db, "UPDATE users SET deleted_at = 1 WHERE id = $1", ada)
		knows("a deleted account", 2, "ada@müller.example", 1, false)
		storetest.Exec(t, db, "UPDATE users SET deleted_at = NULL WHERE id = $1", ada)
		storetest.In(t, s, func(tx *store.Tx) error { return tx.Account().EndSession(ctx, ada, one.ID) })
		knows("another session ended", 2, "ada@müller.example", 1, true)
		storetest.In(t, s, func(tx *store.Tx) error { return tx.Account().EndSession(ctx, ada, two.ID) })
		knows("its session ended", 2, "ada@müller.example", 1, false)
		knows("of bob", 3, "bob@example.org", 1, true)
		storetest.In(t, s, func(tx *store.Tx) error {
			if n, err := tx.Account().SweepKnownBrowsers(ctx, minutes(100), 10); err != nil || n != 1 {
				t.Errorf("swept %d, %v", n, err)
			}
			return nil
		})
	})
}

// Attempts are counted in a window that begins with the first one.
func TestAttempts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		attempt := func(key, at int) (n int64, end time.Time) {
			t.Helper()
			storetest.In(t, s, func(tx *store.Tx) (err error) {
				n, end, err = tx.Account().Attempt(ctx, hash(key), minutes(at), 10*time.Minute)
				return err
			})
			return n, end
		}
		for i, row := range []struct {
			key, at int
			n       int64
			end     int
		}{{1, 0, 1, 10}, {1, 1, 2, 10}, {2, 1, 1, 11}, {1, 9, 3, 10}, {1, 10, 1, 20}, {1, 11, 2, 20}, {2, 10, 2, 11}} {
			if n, end := attempt(row.key, row.at); n != row.n || !end.Equal(minutes(row.end)) {
				t.Errorf("%d: %d until %v, want %d until %v", i, n, end, row.n, minutes(row.end))
			}
		}
		take := func(key int) {
			storetest.In(t, s, func(tx *store.Tx) error { return tx.Account().TakeBackAttempt(ctx, hash(key)) })
		}
		take(1)
		if n, _ := attempt(1, 12); n != 2 {
			t.Errorf("%d after one was taken back", n)
		}
		for range 5 { // never below zero
			take(1)
		}
		take(9) // unknown
		if n, _ := attempt(1, 12); n != 1 {
			t.Errorf("%d after all were taken back", n)
		}
		storetest.In(t, s, func(tx *store.Tx) error { return tx.Account().ForgetAttempts(ctx, hash(1)) })
		if n, end := attempt(1, 13); n != 1 || !end.Equal(minutes(23)) {
			t.Errorf("%d until %v after they were forgotten", n, end)
		}
		var g sync.WaitGroup
		var sum atomic.Int64
		for range 8 {
			g.Go(func() {
				err := s.InTx(ctx, func(tx *store.Tx) error {
					n, _, err := tx.Account().Attempt(ctx, hash(3), minutes(0), time.Minute)
					sum.Add(n)
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		g.Wait()
		if n, _ := attempt(3, 0); n != 9 || sum.Load() != 36 {
			t.Errorf("%d attempts at once, the sum of their numbers is %d", n-1, sum.Load())
		}
	})
}

// A mailed link works once, for its purpose and in time, and replaces the one before.
func TestMailLinks(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx := t.Context()
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		create := func(user domain.UserID, p account.LinkPurpose, n int) (id account.MailLinkID) {
			t.Helper()
			storetest.In(t, s, func(tx *store.Tx) (err error) {
				if id, err = tx.Account().CreateMailLink(ctx, account.MailLink{User: user, Purpose: p, Email: fmt.Sprintf("m%d@example.org", n), CreatedAt: minutes(0), ExpiresAt: minutes(10)}); err != nil {
					return err
				}
				_, err = tx.Account().MarkMailLink(ctx, id, hash(n), minutes(1))
				return err
			})
			return id
		}
		works := func(what string, p account.LinkPurpose, n, at int, is bool) {
			t.Helper()
			l, err := s.Account().MailLinkByHash(ctx, p, hash(n), minutes(at))
			if !is {
				want(t, what, domain.NotFound, err)
			} else if err != nil || l.Purpose != p {
				t.Errorf("%s: %+v, %v", what, l, err)
			}
		}
		first := create(ada, account.PasswordLink, 1)
		address := create(ada, account.AddressLink, 2)
		create(bob, account.PasswordLink, 3)
		works("its purpose", account.PasswordLink, 1, 9, true)
		works("another purpose", account.AddressLink, 1, 9, false)
		works("expired", account.PasswordLink, 1, 10, false)
		works("another token", account.PasswordLink, 9, 1, false)
		for _, column := range []string{"suspended_at", "deleted_at"} {
			storetest.Exec(t, db, "UPDATE users SET "+column+" = 1 WHERE id = $1", ada)
			works(column, account.PasswordLink, 1, 1, false)
			storetest.Exec(t, db, "UPDATE users SET "+column+" = NULL WHERE id = $1", ada)
		}
		next := create(ada, account.PasswordLink, 4)
		works("replaced", account.PasswordLink, 1, 1, false)
		works("the next one", account.PasswordLink, 4, 1, true)
		works("of another purpose", account.AddressLink, 2, 1, true)
		works("of somebody else", account.PasswordLink, 3, 1, true)
		mark := func(id account.MailLinkID, n, at int) error {
			return s.InTx(ctx, func(tx *store.Tx) error {
				_, err := tx.Account().MarkMailLink(ctx, id, hash(n), minutes(at))
				return err
			})
		}
		want(t, "marking a replaced one", domain.NotFound, mark(first, 5, 1))
		want(t, "marking an expired one", domain.NotFound, mark(next, 5, 10))
		if err := mark(next, 6, 9); err != nil { // the job runs again
			t.Error(err)
		}
		works("the token of the first mail", account.PasswordLink, 4, 1, false)
		works("the token of the second mail", account.PasswordLink, 6, 1, true)
		take := func(id account.MailLinkID, n int) error {
			return s.InTx(ctx, func(tx *store.Tx) error { return tx.Account().TakeMailLink(ctx, id, hash(n)) })
		}
		want(t, "taken with an old token", domain.NotFound, take(next, 4))
		if err := take(next, 6); err != nil {
			t.Error(err)
		}
		want(t, "taken twice", domain.NotFound, take(next, 6))
		storetest.In(t, s, func(tx *store.Tx) error { return tx.Account().EndMailLinks(ctx, ada, account.AddressLink) })
		want(t, "taken after its end", domain.NotFound, take(address, 2))
		storetest.In(t, s, func(tx *store.Tx) error {
			for _, row := range []struct{ at, swept int }{{9, 0}, {10, 1}, {10, 0}} {
				if n, err := tx.Account().SweepMailLinks(ctx, minutes(row.at), 10); err != nil || n != row.swept {
					t.Errorf("swept %d at %d, %v", n, row.at, err)
				}
			}
			return nil
		})
	})
}

// A requested account is confirmed once, and other requests for its address go with it.
func TestSignups(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx := t.Context()
		create := func(email string, n int) (id account.SignupID) {
			t.Helper()
			storetest.In(t, s, func(tx *store.Tx) (err error) {
				if id, err = tx.Account().CreateSignup(ctx, account.Signup{Email: email, Name: fmt.Sprint("Name ", n), PasswordHash: "x", CreatedAt: minutes(0), ExpiresAt: minutes(10)}); err != nil {
					return err
				}
				_, err = tx.Account().MarkSignup(ctx, id, hash(n), minutes(1))
				return err
			})
			return id
		}
		take := func(n, at int) (got account.Signup, err error) {
			err = s.InTx(ctx, func(tx *store.Tx) (err error) {
				got, err = tx.Account().TakeSignup(ctx, hash(n), minutes(at))
				return err
			})
			return got, err
		}
		create("a@example.org", 1)
		create("a@example.org", 2)
		third := create("b@example.org", 3)
		for _, row := range []struct {
			name  string
			n, at int
			is    bool
		}{{"in time", 1, 9, true}, {"expired", 1, 10, false}, {"unknown", 9, 1, false}} {
			got, err := s.Account().SignupByHash(ctx, hash(row.n), minutes(row.at))
			if !row.is {
				want(t, row.name, domain.NotFound, err)
			} else if err != nil || got.Name != fmt.Sprint("Name ", row.n) || got.Link != 0 {
				t.Errorf("%s: %+v, %v", row.name, got, err)
			}
		}
		_, err := take(1, 10)
		want(t, "taken too late", domain.NotFound, err)
		if got, err := take(1, 9); err != nil || got.Email != "a@example.org" {
			t.Errorf("%+v, %v", got, err)
		}
		_, err = take(1, 9)
		want(t, "taken twice", domain.NotFound, err)
		if got, err := s.Account().SignupByHash(ctx, hash(2), minutes(1)); err != nil || got.Name != "Name 2" {
			t.Errorf("the other request: %+v, %v", got, err)
		}
		storetest.In(t, s, func(tx *store.Tx) error { return tx.Account().ForgetSignups(ctx, "a@example.org") })
		if n := count(t, db, "signups"); n != 1 {
			t.Errorf("%d are left", n)
		}
		err = s.InTx(ctx, func(tx *store.Tx) error {
			_, err := tx.Account().MarkSignup(ctx, third, hash(4), minutes(10))
			return err
		})
		want(t, "mailed too late", domain.NotFound, err)
		storetest.In(t, s, func(tx *store.Tx) error {
			for _, row := range []struct{ at, swept int }{{9, 0}, {10, 1}, {10, 0}} {
				if n, err := tx.Account().SweepSignups(ctx, minutes(row.at), 5); err != nil || n != row.swept {
					t.Errorf("swept %d at %d, %v", n, row.at, err)
				}
			}
			return nil
		})
		// Of two links for one address that are followed at once, both may be taken, and neither waits for ever.
		create("c@example.org", 5)
		create("c@example.org", 6)
		var g sync.WaitGroup
		for _, n := range []int{5, 6} {
			g.Go(func() {
				err := s.InTx(ctx, func(tx *store.Tx) error {
					got, err := tx.Account().TakeSignup(ctx, hash(n), minutes(1))
					if err != nil {
						return err
					}
					return tx.Account().ForgetSignups(ctx, got.Email)
				})
				if err != nil && domain.KindOf(err) != domain.NotFound {
					t.Error(err)
				}
			})
		}
		g.Wait()
		if n := count(t, db, "signups"); n != 0 {
			t.Errorf("%d are left", n)
		}
	})
}

// A link for signing up has so many places. Each user takes one, and it ends with the last.
func TestPlacesOfSignUpLinks(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx := t.Context()
		op := storetest.User(t, s, "Op")
		storetest.Exec(t, db, "UPDATE users SET office = 'operator' WHERE id = $1", op)
		group := storetest.Group(t, s, "Group", op)
		var users []domain.UserID
		for i := range 6 {
			users = append(users, storetest.User(t, s, fmt.Sprint("User ", i)))
		}
		create := func(by domain.UserID, l domain.SignUpLink, n int) (id domain.SignUpLinkID, err error) {
			l.CreatedAt, l.ExpiresAt = minutes(0), minutes(10)
			err = s.InTx(ctx, func(tx *store.Tx) (err error) {
				id, err = tx.Account().CreateSignUpLink(ctx, by, l, hash(n))
				return err
			})
			return id, err
		}
		use := func(id domain.SignUpLinkID, u domain.UserID) (has bool) {
			t.Helper()
			storetest.In(t, s, func(tx *store.Tx) (err error) {
				has, err = tx.Account().UseSignUpLink(ctx, id, u, minutes(2))
				return err
			})
			return has
		}
		usable := func(what string, n, at int, is bool) {
			t.Helper()
			if _, err := s.Account().UsableSignUpLink(ctx, hash(n), minutes(at)); (err == nil) != is {
				t.Errorf("%s: %v", what, err)
			}
		}
		id, err := create(op, domain.SignUpLink{Note: "Class", Places: 3, Group: &domain.Principal{PrincipalRef: domain.GroupRef(group)}}, 1)
		if err != nil {
			t.Fatal(err)
		}
		usable("at first", 1, 9, true)
		usable("expired", 1, 10, false)
		usable("another", 2, 1, false)
		for _, row := range []struct{ column, value, back string }{{"office", "'member'", "'operator'"}, {"suspended_at", "1", "NULL"}, {"deleted_at", "1", "NULL"}} {
			storetest.Exec(t, db, "UPDATE users SET "+row.column+" = "+row.value+" WHERE id = $1", op)
			usable("its creator: "+row.column, 1, 1, false)
			storetest.Exec(t, db, "UPDATE users SET "+row.column+" = "+row.back+" WHERE id = $1", op)
		}
		for i, row := range []struct {
			user  int
			has   bool
			taken int64
			full  bool
		}{{0, true, 1, false}, {0, true, 1, false}, {1, true, 2, false}, {2, true, 3, true}, {3, false, 3, true}, {1, true, 3, true}} {
			if has := use(id, users[row.user]); has != row.has {
				t.Errorf("%d: user %d has a place: %v", i, row.user, has)
			}
			l, err := s.Account().SignUpLink(ctx, id)
			if err != nil || l.Taken != row.taken || (l.UsedAt != nil) != row.full || l.Group == nil || l.Group.ID != int64(group) {
				t.Errorf("%d: %+v, %v", i, l, err)
			}
			usable(fmt.Sprint("after ", i), 1, 1, !row.full)
		}
		storetest.Exec(t, db, "UPDATE users SET deleted_at = 1 WHERE id = $1", users[1])
		came, err := s.Account().CameByLink(ctx, []domain.SignUpLinkID{id, 1 << 40})
		if err != nil || len(came) != 1 || len(came[id]) != 2 || came[id][0].ID != int64(users[0]) || came[id][1].ID != int64(users[2]) {
			t.Errorf("%+v, %v", came, err)
		}
		storetest.Exec(t, db, "UPDATE users SET deleted_at = NULL WHERE id = $1", users[1])
		if none, err := s.Account().CameByLink(ctx, nil); err != nil || len(none) != 0 {
			t.Errorf("%+v, %v", none, err)
		}
		// Ends: an unused link is deleted, and one that somebody used stays as revoked. A full one cannot end.
		end := func(id domain.SignUpLinkID) error {
			return s.InTx(ctx, func(tx *store.Tx) error { return tx.Account().EndSignUpLink(ctx, id, minutes(3)) })
		}
		want(t, "a full link", domain.NotFound, end(id))
		unused, _ := create(0, domain.SignUpLink{Places: 1}, 3)
		usable("of the command line", 3, 1, true)
		some, _ := create(op, domain.SignUpLink{Places: 2}, 4)
		use(some, users[4])
		for _, one := range []domain.SignUpLinkID{unused, some} {
			if err := end(one); err != nil {
				t.Error(err)
			}
			want(t, "again", domain.NotFound, end(one))
		}
		if l, err := s.Account().SignUpLink(ctx, some); err != nil || l.RevokedAt == nil {
			t.Errorf("%+v, %v", l, err)
		}
		_, err = s.Account().SignUpLink(ctx, unused)
		want(t, "the unused one", domain.NotFound, err)
		if use(some, users[5]) {
			t.Error("a place of a revoked link")
		}
		usable("revoked", 4, 1, false)
		// An address has one link at a time, which can be renewed until it is used.
		mailed, err := create(op, domain.SignUpLink{Email: "new@example.org", Places: 1}, 5)
		if err != nil {
			t.Fatal(err)
		}
		_, err = create(op, domain.SignUpLink{Email: "new@example.org", Places: 1}, 6)
		want(t, "a second link for an address", domain.Conflict, err)
		renew := func(n int) error {
			return s.InTx(ctx, func(tx *store.Tx) error { return tx.Account().RenewSignUpLink(ctx, mailed, hash(n), minutes(30)) })
		}
		if err := renew(7); err != nil {
			t.Error(err)
		}
		usable("the token before", 5, 1, false)
		usable("the new token", 7, 29, true)
		if l, err := s.Account().LinkOfEmail(ctx, "new@example.org"); err != nil || l.ID != mailed {
			t.Errorf("%+v, %v", l, err)
		}
		storetest.In(t, s, func(tx *store.Tx) error {
			n, err := tx.Account().CountSignUpLinks(ctx, minutes(1))
			if n != 0 {
				t.Errorf("%d live links without an address", n)
			}
			return err
		})
		use(mailed, users[5])
		want(t, "renewing a used one", domain.NotFound, renew(8))
		_, err = s.Account().LinkOfEmail(ctx, "new@example.org")
		want(t, "the link of an address that was used", domain.NotFound, err)
		if again, err := create(op, domain.SignUpLink{Email: "new@example.org", Places: 1}, 9); err != nil || again == 0 {
			t.Errorf("after it was used: %v", err)
		}
		storetest.In(t, s, func(tx *store.Tx) error { return tx.Account().ForgetSignUpLinks(ctx, "new@example.org") })
		if l, err := s.Account().SignUpLink(ctx, mailed); err != nil || l.UsedBy == "" {
			t.Errorf("the used one: %+v, %v", l, err)
		}
		// Several at once take no more places than there are.
		many, _ := create(op, domain.SignUpLink{Places: 2}, 10)
		var in atomic.Int64
		var g sync.WaitGroup
		for _, u := range users {
			g.Go(func() {
				err := s.InTx(ctx, func(tx *store.Tx) error {
					has, err := tx.Account().UseSignUpLink(ctx, many, u, minutes(2))
					if err == nil && has {
						in.Add(1)
					}
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		g.Wait()
		if l, err := s.Account().SignUpLink(ctx, many); err != nil || in.Load() != 2 || l.Taken != 2 || count(t, db, "signup_link_uses WHERE link_id = $1", many) != 2 {
			t.Errorf("%d are in: %+v, %v", in.Load(), l, err)
		}
	})
}

// Tokens of an application beyond its number are deleted, the oldest first, for each user on their own.
func TestTokensOfApplications(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx := t.Context()
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		var app, other domain.ApplicationID
		storetest.In(t, s, func(tx *store.Tx) (err error) {
			if app, err = tx.Account().CreateApplication(ctx, domain.Application{ClientID: "a", UserID: ada, Name: "A", RedirectURIs: []string{}, CreatedAt: minutes(0)}, hash(900)); err != nil {
				return err
			}
			other, err = tx.Account().CreateApplication(ctx, domain.Application{ClientID: "b", UserID: ada, Name: "B", RedirectURIs: []string{}, CreatedAt: minutes(0)}, hash(901))
			return err
		})
		issue := func(of domain.ApplicationID, user domain.UserID, n int) {
			t.Helper()
			storetest.In(t, s, func(tx *store.Tx) error {
				return tx.Account().CreateApplicationToken(ctx, domain.Token{UserID: user, ApplicationID: of, Name: "t", Hint: "h", Scope: domain.ScopeRead, CreatedAt: minutes(n)}, hash(n), nil, 3)
			})
		}
		for n := 1; n <= 5; n++ {
			issue(app, bob, n)
		}
		issue(app, ada, 6)
		issue(app, 0, 7)
		issue(other, bob, 8)
		holds := func(n int, is bool) {
			t.Helper()
			h, err := s.Account().TokenHolder(ctx, hash(n))
			if (err == nil) != is {
				t.Errorf("token %d: %+v, %v", n, h, err)
			}
		}
		for n, is := range map[int]bool{1: false, 2: false, 3: true, 4: true, 5: true, 6: true, 7: true, 8: true, 9: false} {
			holds(n, is)
		}
		if h, err := s.Account().TokenHolder(ctx, hash(7)); err != nil || h.Actor.UserID != 0 || h.Actor.ApplicationID != app || h.Actor.Tier != domain.TierFree {
			t.Errorf("its own token: %+v, %v", h, err)
		}
		storetest.Exec(t, db, "UPDATE users SET suspended_at = 1 WHERE id = $1", ada)
		for n, suspended := range map[int]bool{5: false, 6: true, 7: true} { // the owner of the application answers for its own token
			if h, err := s.Account().TokenHolder(ctx, hash(n)); err != nil || h.Suspended != suspended {
				t.Errorf("token %d: %+v, %v", n, h, err)
			}
		}
		storetest.Exec(t, db, "UPDATE users SET suspended_at = NULL WHERE id = $1", ada)
		remove := func(of domain.ApplicationID, n int) error {
			return s.InTx(ctx, func(tx *store.Tx) error { _, err := tx.Account().DeleteApplicationToken(ctx, of, hash(n)); return err })
		}
		want(t, "by another application", domain.NotFound, remove(other, 5))
		if err := remove(app, 5); err != nil {
			t.Error(err)
		}
		want(t, "again", domain.NotFound, remove(app, 5))
		for range 2 { // the second time changes nothing
			storetest.In(t, s, func(tx *store.Tx) error { return tx.Account().DeleteApplication(ctx, app, minutes(9)) })
		}
		for n, is := range map[int]bool{3: false, 6: false, 7: false, 8: true} {
			holds(n, is)
		}
		_, err := s.Account().ApplicationByClientID(ctx, "a")
		want(t, "a deleted application", domain.NotFound, err)
		_, err = s.Account().ApplicationSecret(ctx, app)
		want(t, "its secret", domain.NotFound, err)
	})
}

// The second factor: pending sign-ins, recovery codes and counters of passkeys.
func TestSecondFactors(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx := t.Context()
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		begin := func(user domain.UserID, n int) {
			t.Helper()
			storetest.In(t, s, func(tx *store.Tx) error {
				return tx.Account().BeginHalfSignIn(ctx, user, hash(n), minutes(n), minutes(100))
			})
		}
		for n := 1; n <= 21; n++ {
			begin(ada, n)
		}
		begin(bob, 50)
		for n, is := range map[int]bool{1: false, 2: true, 21: true, 50: true} { // at most twenty wait
			if _, err := s.Account().HalfSignIn(ctx, hash(n), minutes(30)); (err == nil) != is {
				t.Errorf("half sign-in %d: %v", n, err)
			}
		}
		_, err := s.Account().HalfSignIn(ctx, hash(21), minutes(100))
		want(t, "expired", domain.NotFound, err)
		storetest.Exec(t, db, "UPDATE users SET suspended_at = 1 WHERE id = $1", ada)
		_, err = s.Account().HalfSignIn(ctx, hash(21), minutes(30))
		want(t, "suspended", domain.NotFound, err)
		storetest.Exec(t, db, "UPDATE users SET suspended_at = NULL WHERE id = $1", ada)
		take := func(user domain.UserID, n, at int) error {
			return s.InTx(ctx, func(tx *store.Tx) error { return tx.Account().TakeHalfSignIn(ctx, user, hash(n), minutes(at)) })
		}
		want(t, "of somebody else", domain.NotFound, take(bob, 21, 30))
		want(t, "too late", domain.NotFound, take(ada, 21, 100))
		if err := take(ada, 21, 99); err != nil {
			t.Error(err)
		}
		want(t, "twice", domain.NotFound, take(ada, 21, 99))

		put := func(user domain.UserID, all ...int) {
			t.Helper()
			var hashes [][]byte
			for _, n := range all {
				hashes = append(hashes, hash(n))
			}
			storetest.In(t, s, func(tx *store.Tx) error { return tx.Account().PutRecoveryCodes(ctx, user, hashes, minutes(5)) })
		}
		put(ada, 1, 2, 3)
		put(bob, 1)
		code := func(user domain.UserID, n int) error {
			return s.InTx(ctx, func(tx *store.Tx) error { return tx.Account().TakeRecoveryCode(ctx, user, hash(n)) })
		}
		if err := code(ada, 1); err != nil {
			t.Error(err)
		}
		want(t, "a used code", domain.NotFound, code(ada, 1))
		want(t, "an unknown code", domain.NotFound, code(ada, 9))
		want(t, "somebody else's code", domain.NotFound, code(bob, 2))
		if left, made, err := s.Account().RecoveryCodes(ctx, ada); err != nil || left != 2 || !made.Equal(minutes(5)) {
			t.Errorf("%d codes of %v, %v", left, made, err)
		}
		put(ada, 4)
		want(t, "a replaced code", domain.NotFound, code(ada, 2))
		if left, _, err := s.Account().RecoveryCodes(ctx, bob); err != nil || left != 1 {
			t.Errorf("%d codes of bob, %v", left, err)
		}

		add := func(user domain.UserID, credential int, counter uint32) error {
			return s.InTx(ctx, func(tx *store.Tx) error {
				return tx.Account().AddPasskey(ctx, account.Passkey{User: user, CredentialID: hash(credential), PublicKey: hash(0), Name: "Key", Transports: []string{"usb", "nfc"}, SignCount: counter, CreatedAt: minutes(0)})
			})
		}
		if err := add(ada, 1, 5); err != nil {
			t.Fatal(err)
		}
		want(t, "the same credential", domain.Conflict, add(bob, 1, 0))
		p, err := s.Account().PasskeyByCredential(ctx, hash(1))
		if err != nil || p.User != ada || !slices.Equal(p.Transports, []string{"usb", "nfc"}) || p.LastUsedAt != nil {
			t.Fatalf("%+v, %v", p, err)
		}
		used := func(p account.Passkey, counter uint32) (fresh bool, err error) {
			p.SignCount = counter
			err = s.InTx(ctx, func(tx *store.Tx) (err error) { fresh, err = tx.Account().PasskeyUsed(ctx, p, minutes(6)); return err })
			return fresh, err
		}
		for _, row := range []struct {
			counter uint32
			fresh   bool
		}{{6, true}, {6, false}, {5, false}, {0, false}, {7, true}} {
			if fresh, err := used(p, row.counter); err != nil || fresh != row.fresh {
				t.Errorf("counter %d: %v, %v", row.counter, fresh, err)
			}
		}
		if err := add(bob, 2, 0); err != nil {
			t.Fatal(err)
		}
		uncounted, err := s.Account().PasskeyByCredential(ctx, hash(2))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // an authenticator that does not count
			if fresh, err := used(uncounted, 0); err != nil || !fresh {
				t.Errorf("%v, %v", fresh, err)
			}
		}
		remove := func(user domain.UserID, id account.PasskeyID) error {
			return s.InTx(ctx, func(tx *store.Tx) error { _, err := tx.Account().DeletePasskey(ctx, user, id); return err })
		}
		want(t, "somebody else's passkey", domain.NotFound, remove(bob, p.ID))
		begin(ada, 60)
		for _, had := range []bool{true, false} {
			storetest.In(t, s, func(tx *store.Tx) error {
				got, err := tx.Account().EndSecondFactor(ctx, ada)
				if got != had {
					t.Errorf("had a passkey: %v", got)
				}
				return err
			})
		}
		want(t, "a removed passkey", domain.NotFound, remove(ada, p.ID))
		_, err = used(p, 9)
		want(t, "a removed passkey in use", domain.NotFound, err)
		want(t, "a pending sign-in after the factor ended", domain.NotFound, take(ada, 60, 61))
		want(t, "a code after the factor ended", domain.NotFound, code(ada, 4))
		if n, err := s.Account().CountPasskeys(ctx, bob); err != nil || n != 1 {
			t.Errorf("%d passkeys of bob, %v", n, err)
		}
	})
}

// Identities belong to one account, and an account has one of each provider. Steps of a sign-in are used once.
func TestIdentities(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		for _, row := range []struct {
			user            domain.UserID
			issuer, subject string
			ok              bool
		}{
			{ada, "https://a.example", "1", true},
			{bob, "https://a.example", "1", false}, // of another account
			{ada, "https://a.example", "2", false}, // a second one of the provider
			{ada, "https://b.example", "1", true},
			{bob, "https://a.example", "2", true},
		} {
			err := s.InTx(ctx, func(tx *store.Tx) error {
				_, err := tx.Identity().ConnectIdentity(ctx, account.Identity{User: row.user, Issuer: row.issuer, Subject: row.subject, CreatedAt: minutes(0)})
				return err
			})
			if row.ok != (err == nil) || err != nil && domain.KindOf(err) != domain.Conflict {
				t.Errorf("%+v: %v", row, err)
			}
		}
		all, err := s.Identity().Identities(ctx, ada)
		if err != nil || len(all) != 2 || all[0].Issuer != "https://a.example" || !all[0].UsedAt.Equal(minutes(0)) {
			t.Fatalf("%+v, %v", all, err)
		}
		storetest.In(t, s, func(tx *store.Tx) error {
			return tx.Identity().IdentityUsed(ctx, all[0].ID, "new@example.org", minutes(5))
		})
		if i, err := s.Identity().Identity(ctx, "https://a.example", "1"); err != nil || i.Email != "new@example.org" || !i.UsedAt.Equal(minutes(5)) || i.User != ada {
			t.Errorf("%+v, %v", i, err)
		}
		_, err = s.Identity().Identity(ctx, "https://b.example", "2")
		want(t, "an unknown one", domain.NotFound, err)
		disconnect := func(user domain.UserID) error {
			return s.InTx(ctx, func(tx *store.Tx) error { _, err := tx.Identity().DisconnectIdentity(ctx, user, all[0].ID); return err })
		}
		want(t, "of somebody else", domain.NotFound, disconnect(bob))
		if err := disconnect(ada); err != nil {
			t.Error(err)
		}
		want(t, "twice", domain.NotFound, disconnect(ada))

		storetest.In(t, s, func(tx *store.Tx) error {
			for n := range 4 {
				if err := tx.Identity().PutStep(ctx, hash(n), hash(100+n), minutes(n+1)); err != nil {
					return err
				}
			}
			return nil
		})
		take := func(n, at int) (sealed []byte, err error) {
			err = s.InTx(ctx, func(tx *store.Tx) (err error) {
				sealed, err = tx.Identity().TakeStep(ctx, hash(n), minutes(at))
				return err
			})
			return sealed, err
		}
		if sealed, err := s.Identity().Step(ctx, hash(3), minutes(3)); err != nil || string(sealed) != string(hash(103)) {
			t.Errorf("%q, %v", sealed, err)
		}
		_, err = s.Identity().Step(ctx, hash(3), minutes(4))
		want(t, "an expired step", domain.NotFound, err)
		_, err = take(3, 4)
		want(t, "taking an expired step", domain.NotFound, err)
		if sealed, err := take(3, 3); err != nil || string(sealed) != string(hash(103)) {
			t.Errorf("%q, %v", sealed, err)
		}
		_, err = take(3, 3)
		want(t, "taking a step twice", domain.NotFound, err)
		for _, row := range []struct{ at, limit, swept int }{{0, 9, 0}, {2, 1, 1}, {2, 9, 1}, {9, 9, 1}, {9, 9, 0}} {
			storetest.In(t, s, func(tx *store.Tx) error {
				n, err := tx.Identity().SweepSteps(ctx, minutes(row.at), row.limit)
				if n != row.swept {
					t.Errorf("swept %d at %d, want %d", n, row.at, row.swept)
				}
				return err
			})
		}
	})
}

// Settings and secrets: the first account is claimed once, and a secret is created once.
func TestSettingsAndSecrets(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		if first, err := s.Account().NobodyYet(ctx); err != nil || !first {
			t.Errorf("%v, %v", first, err)
		}
		var claimed atomic.Int64
		var secrets sync.Map
		var g sync.WaitGroup
		for n := range 5 {
			g.Go(func() {
				err := s.InTx(ctx, func(tx *store.Tx) error {
					first, err := tx.Account().ClaimFirstAccount(ctx)
					if first {
						claimed.Add(1)
					}
					return err
				})
				if err != nil {
					t.Error(err)
				}
				key, err := s.EnsureSecret(ctx, "key", hash(n))
				if err != nil {
					t.Error(err)
				}
				secrets.Store(string(key), true)
			})
		}
		g.Wait()
		different := 0
		secrets.Range(func(_, _ any) bool { different++; return true })
		if claimed.Load() != 1 || different != 1 {
			t.Errorf("%d first accounts, %d secrets", claimed.Load(), different)
		}
		storetest.User(t, s, "Ada")
		storetest.In(t, s, func(tx *store.Tx) error {
			if first, err := tx.Account().ClaimFirstAccount(ctx); err != nil || first {
				t.Errorf("after the first: %v, %v", first, err)
			}
			return nil
		})
		_, err := s.Account().Setting(ctx, "x")
		want(t, "an unknown setting", domain.NotFound, err)
		for _, value := range []string{"a", "b"} {
			storetest.In(t, s, func(tx *store.Tx) error { return tx.Account().PutSetting(ctx, "x", value) })
			if got, err := s.Account().Setting(ctx, "x"); err != nil || got != value {
				t.Errorf("%q, %v", got, err)
			}
		}
		for range 2 {
			storetest.In(t, s, func(tx *store.Tx) error { return tx.Account().DeleteSecret(ctx, "key") })
		}
		_, err = s.Account().Secret(ctx, "key")
		want(t, "a deleted secret", domain.NotFound, err)
	})
}

// The secret of private feeds has a version, and no reader who may not act.
func TestFeedReaders(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ctx := t.Context()
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		reader := func(user domain.UserID, is bool, version int64) {
			t.Helper()
			a, v, err := s.Account().FeedReader(ctx, user)
			if err != nil || a.SignedIn() != is || v != version || a.MayWrite() || is && a.UserID != user {
				t.Errorf("%+v, %d, %v", a, v, err)
			}
		}
		reader(ada, true, 1)
		for want := int64(2); want <= 3; want++ {
			storetest.In(t, s, func(tx *store.Tx) error {
				v, err := tx.Account().RenewFeeds(ctx, ada)
				if v != want {
					t.Errorf("version %d, want %d", v, want)
				}
				return err
			})
		}
		reader(ada, true, 3)
		reader(bob, true, 1)
		reader(1<<40, false, 1)
		for _, column := range []string{"suspended_at", "deleted_at"} {
			storetest.Exec(t, db, "UPDATE users SET "+column+" = 1 WHERE id = $1", ada)
			reader(ada, false, 1)
			storetest.Exec(t, db, "UPDATE users SET "+column+" = NULL WHERE id = $1", ada)
		}
		storetest.In(t, s, func(tx *store.Tx) error { return tx.Account().ForgetUser(ctx, ada) })
		reader(ada, true, 1)
	})
}
