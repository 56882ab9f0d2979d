package store_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/scope"
	"vitrine/internal/store"
	"vitrine/internal/store/redo"
	"vitrine/internal/store/storetest"
)

// A key is claimed once until it expires, and then again.
func TestClaimOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		made := int64(0)
		for i, row := range []struct {
			key  int
			user domain.UserID
			at   int // minutes; claims expire after ten
			ours bool
			kind string // of the earlier one
			made int64
		}{
			{1, ada, 0, true, "", 0},
			{1, ada, 0, false, "Block", 1},
			{1, ada, 9, false, "Block", 1},
			{2, bob, 9, true, "", 0},
			{1, ada, 10, true, "", 0}, // it has expired
			{1, ada, 19, false, "Block", 3},
			{2, bob, 18, false, "Block", 2},
		} {
			storetest.In(t, s, func(tx *store.Tx) error {
				ours, kind, was, err := tx.Redo().ClaimOnce(ctx, hash(row.key), nil, row.user, minutes(row.at), minutes(row.at+10))
				if ours != row.ours || kind != row.kind || was != row.made {
					t.Errorf("%d: %v %q %d", i, ours, kind, was)
				}
				if err != nil || !ours {
					return err
				}
				made++
				return tx.Redo().KeepOnce(ctx, hash(row.key), "Block", made)
			})
		}
		// A failed transaction claims nothing.
		stop := errors.New("stop")
		err := s.InTx(ctx, func(tx *store.Tx) error {
			if ours, _, _, err := tx.Redo().ClaimOnce(ctx, hash(3), nil, ada, minutes(0), minutes(10)); err != nil || !ours {
				t.Errorf("%v, %v", ours, err)
			}
			return stop
		})
		if !errors.Is(err, stop) {
			t.Error(err)
		}
		storetest.In(t, s, func(tx *store.Tx) error {
			if ours, _, _, err := tx.Redo().ClaimOnce(ctx, hash(3), nil, ada, minutes(0), minutes(10)); err != nil || !ours {
				t.Errorf("%v, %v", ours, err)
			}
			return nil
		})
		if err := s.InTx(ctx, func(tx *store.Tx) error { return tx.Redo().KeepOnce(ctx, hash(9), "Block", 1) }); err == nil {
			t.Error("kept a result without a claim")
		}
		// Exactly one of several at once gets it, and the others find what it has made.
		var ours atomic.Int64
		var g sync.WaitGroup
		for n := range 6 {
			g.Go(func() {
				err := s.InTx(ctx, func(tx *store.Tx) error {
					mine, kind, was, err := tx.Redo().ClaimOnce(ctx, hash(4), nil, ada, minutes(0), minutes(10))
					if err != nil {
						return err
					}
					if !mine {
						if kind != "Group" || was < 100 {
							return fmt.Errorf("found %q %d", kind, was)
						}
						return nil
					}
					ours.Add(1)
					return tx.Redo().KeepOnce(ctx, hash(4), "Group", int64(100+n))
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		g.Wait()
		if ours.Load() != 1 {
			t.Errorf("%d claims", ours.Load())
		}
	})
}

// The answer to a request is kept once, for the request that has claimed the key.
func TestKeptAnswers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ada := storetest.User(t, s, "Ada")
		_, err := s.Redo().Answered(ctx, hash(1), minutes(0))
		want(t, "nothing claimed", domain.NotFound, err)
		storetest.In(t, s, func(tx *store.Tx) error {
			_, _, _, err := tx.Redo().ClaimOnce(ctx, hash(1), hash(100), ada, minutes(0), minutes(10))
			return err
		})
		for i, row := range []struct {
			request, answer string
			kept            string
		}{
			{string(hash(101)), "of another request", ""},
			{string(hash(100)), "first", "first"},
			{string(hash(100)), "second", "first"},
		} {
			storetest.In(t, s, func(tx *store.Tx) error {
				return tx.Redo().KeepAnswer(ctx, hash(1), []byte(row.request), []byte(row.answer))
			})
			a, err := s.Redo().Answered(ctx, hash(1), minutes(9))
			if err != nil || string(a.Answer) != row.kept || string(a.Request) != string(hash(100)) || !a.ClaimedAt.Equal(minutes(0)) {
				t.Errorf("%d: %q of %q, %v", i, a.Answer, a.Request, err)
			}
		}
		_, err = s.Redo().Answered(ctx, hash(1), minutes(10))
		want(t, "expired", domain.NotFound, err)
	})
}

// Keys are counted up to a limit, by user, and swept in batches once they have expired.
func TestCountAndSweepOfKeys(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		storetest.In(t, s, func(tx *store.Tx) error {
			for n := range 6 {
				if _, _, _, err := tx.Redo().ClaimOnce(ctx, hash(n), nil, ada, minutes(0), minutes(n+1)); err != nil {
					return err
				}
			}
			_, _, _, err := tx.Redo().ClaimOnce(ctx, hash(9), nil, bob, minutes(0), minutes(30))
			return err
		})
		for limit, want := range map[int]int{1: 1, 5: 5, 6: 6, 7: 6} {
			if n, err := s.Redo().OnceKeys(ctx, ada, limit); err != nil || n != want {
				t.Errorf("up to %d: %d, %v", limit, n, err)
			}
		}
		for i, row := range []struct{ at, limit, swept, left int }{{0, 10, 0, 6}, {3, 2, 2, 4}, {3, 2, 1, 3}, {3, 2, 0, 3}, {30, 10, 4, 0}} {
			storetest.In(t, s, func(tx *store.Tx) error {
				n, err := tx.Redo().SweepOnceKeys(ctx, minutes(row.at), row.limit)
				if n != row.swept {
					t.Errorf("%d: swept %d, want %d", i, n, row.swept)
				}
				return err
			})
			if n, err := s.Redo().OnceKeys(ctx, ada, 100); err != nil || n != row.left {
				t.Errorf("%d: %d are left, want %d, %v", i, n, row.left, err)
			}
		}
	})
}

// A request with a key has its effect once, together with the key or not at all.
func TestClaimOfRequests(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "Ada")
		claim := func() (*scope.Claim, context.Context) {
			c := &scope.Claim{Hash: hash(1), Request: hash(100), User: ada, Now: func() time.Time { return minutes(0) }, Kept: time.Hour}
			return c, scope.With(t.Context(), &scope.Scope{Claim: c})
		}
		titles := func() (all []string) {
			t.Helper()
			for _, c := range []string{"first", "second", "third", "fourth"} {
				if _, err := s.Channels().Channel(t.Context(), ada, domain.Ref{Slug: c}); err == nil {
					all = append(all, c)
				}
			}
			return all
		}
		create := func(ctx context.Context, title string, then error) error {
			return s.InTx(ctx, func(tx *store.Tx) error {
				slug, err := tx.Slugs().SlugFor(ctx, store.ChannelSlug, title, storetest.Now)
				if err != nil {
					return err
				}
				if _, err := tx.Channels().CreateChannel(ctx, store.NewChannel{Slug: slug, Title: title, Visibility: domain.Closed,
					Owner: domain.UserRef(ada), UserID: ada, Now: storetest.Now}); err != nil {
					return err
				}
				return then
			})
		}
		stop := errors.New("stop")
		c, ctx := claim()
		if err := create(ctx, "First", stop); !errors.Is(err, stop) || c.Committed || c.Repeated || len(titles()) != 0 {
			t.Errorf("a transaction that failed: %v, %+v, %v", err, c, titles())
		}
		// The same request may try another transaction; only the first that is committed claims the key.
		if err := create(ctx, "Second", nil); err != nil || !c.Committed || c.Repeated {
			t.Errorf("the first transaction: %v, %+v", err, c)
		}
		if err := create(ctx, "Third", nil); err != nil || c.Repeated {
			t.Errorf("the second transaction: %v, %+v", err, c)
		}
		c, ctx = claim()
		if err := create(ctx, "Fourth", nil); err == nil || c.Committed || !c.Repeated {
			t.Errorf("the repeated request: %v, %+v", err, c)
		}
		if got := titles(); !slices.Equal(got, []string{"second", "third"}) {
			t.Errorf("there are %v", got)
		}
	})
}

// A removal can be read and undone by its user, until it expires, and is undone once.
func TestRemovals(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		in := storetest.Channel(t, s, ada, "Here", domain.Closed)
		items := []redo.Removed{
			{Type: domain.ItemBlock, ID: 7, Maker: bob, Position: 3, Metadata: `{"k":"v"}`},
			{Type: domain.ItemChannel, ID: 8, Maker: ada, Position: 1},
		}
		for n := range 4 {
			storetest.In(t, s, func(tx *store.Tx) error {
				return tx.Redo().AddRemoval(ctx, redo.Removal{ID: fmt.Sprint("key", n), User: ada, Channel: in, Items: items, ExpiresAt: minutes(n + 1)}, minutes(0))
			})
		}
		for _, row := range []struct {
			name string
			user domain.UserID
			id   string
			at   int
			is   bool
		}{
			{"its user", ada, "key1", 1, true},
			{"somebody else", bob, "key1", 1, false},
			{"nobody", 0, "key1", 1, false},
			{"another key", ada, "key9", 1, false},
			{"expired", ada, "key1", 2, false},
		} {
			r, err := s.Redo().Removal(ctx, row.user, row.id, minutes(row.at))
			if !row.is {
				want(t, row.name, domain.NotFound, err)
				continue
			}
			if err != nil || !reflect.DeepEqual(r.Items, items) || r.Undone || r.Channel != in || r.User != ada {
				t.Errorf("%s: %+v, %v", row.name, r, err)
			}
		}
		var first atomic.Int64
		var g sync.WaitGroup
		for range 4 {
			g.Go(func() {
				err := s.InTx(ctx, func(tx *store.Tx) error {
					fresh, err := tx.Redo().TakeRemoval(ctx, "key3")
					if fresh {
						first.Add(1)
					}
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		g.Wait()
		if r, err := s.Redo().Removal(ctx, ada, "key3", minutes(1)); err != nil || !r.Undone || first.Load() != 1 {
			t.Errorf("undone %d times: %+v, %v", first.Load(), r, err)
		}
		storetest.In(t, s, func(tx *store.Tx) error {
			if fresh, err := tx.Redo().TakeRemoval(ctx, "key9"); err != nil || fresh {
				t.Errorf("an unknown one: %v, %v", fresh, err)
			}
			for _, swept := range []int{2, 1, 0} {
				if n, err := tx.Redo().SweepRemovals(ctx, minutes(3), 2); err != nil || n != swept {
					t.Errorf("swept %d, want %d, %v", n, swept, err)
				}
			}
			return nil
		})
		if _, err := s.Redo().Removal(ctx, ada, "key3", minutes(1)); err != nil {
			t.Errorf("the one that has not expired: %v", err)
		}
	})
}
