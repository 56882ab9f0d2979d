package store_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/sqlx"
	"vitrine/internal/store/storetest"
)

// feedUsers contains a few users who change everything concurrently.
type feedUsers struct {
	users    []domain.UserID
	channels []domain.ChannelID
	blocks   []domain.BlockID
	sources  []domain.Subject
}

func newFeedUsers(t *testing.T, s *store.Store) (c feedUsers) {
	for range 5 {
		u := storetest.User(t, s, "Ada")
		c.users = append(c.users, u)
		c.sources = append(c.sources, storetest.UserSubject(u))
		c.blocks = append(c.blocks, storetest.Block(t, s, u, "x"))
	}
	for i := range 3 {
		id := storetest.Channel(t, s, c.users[i], "Things", domain.Public)
		c.channels = append(c.channels, id)
		c.sources = append(c.sources, storetest.ChannelSubject(id))
	}
	return c
}

// news returns up to three activities by a user.
func (c feedUsers) news(r *rand.Rand, by domain.UserID) (all []domain.News) {
	for range 1 + r.IntN(3) {
		block := pick(r, c.blocks)
		n := domain.News{Activity: domain.Activity{Kind: domain.AddedBlock, Actor: by, Item: storetest.BlockSubject(block),
			Channel: pick(r, c.channels), CreatedAt: storetest.Now}}
		for range r.IntN(4) {
			n.Notify = append(n.Notify, pick(r, c.users))
		}
		all = append(all, n)
	}
	return all
}

// act makes one random change in a transaction of its own.
func (c feedUsers) act(ctx context.Context, s *store.Store, r *rand.Rand) error {
	user := pick(r, c.users)
	return s.InTx(ctx, func(tx *store.Tx) error {
		switch k := r.IntN(100); {
		case k < 45:
			return tx.Activity().RecordAll(ctx, c.news(r, user)...)
		case k < 65:
			what := pick(r, c.sources)
			if what == storetest.UserSubject(user) {
				return nil
			}
			_, err := tx.Activity().Follow(ctx, user, what, storetest.Now)
			return err
		case k < 80:
			_, err := tx.Activity().Unfollow(ctx, user, pick(r, c.sources))
			return err
		case k < 90:
			return c.read(ctx, tx, user)
		case k < 96:
			return tx.Activity().MarkAllRead(ctx, user)
		}
		block := pick(r, c.blocks)
		if err := tx.Blocks().LockBlock(ctx, block); err != nil {
			return err
		}
		return tx.Activity().ForgetNotifications(ctx, domain.SubjectBlock, int64(block))
	})
}

// read marks some notifications of a user as read.
func (c feedUsers) read(ctx context.Context, tx *store.Tx, user domain.UserID) error {
	v := store.SnapshotOf(tx)
	unread, err := v.Activity().Receipts(ctx, user, true, domain.Window{Before: math.MaxInt64, Limit: 3})
	if err != nil {
		return err
	}
	for _, n := range unread {
		if err := tx.Activity().MarkRead(ctx, user, []domain.ActivityID{n.ID}, storetest.Now); err != nil {
			return err
		}
	}
	return nil
}

// TestStressFeeds does everything concurrently. Check then verifies that the counters are exact.
func TestStressFeeds(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		c := newFeedUsers(t, s)
		var all sync.WaitGroup
		for i := range uint64(5) {
			all.Go(func() {
				r := rand.New(rand.NewPCG(i, 7))
				for range 60 {
					if err := c.act(t.Context(), s, r); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		c.agree(t, s)
		c.feedsAgree(t, s, db)
	})
}

// feedsAgree compares each feed, read in pages of several sizes, with the followings.
func (c feedUsers) feedsAgree(t *testing.T, s *store.Store, db *database.DB) {
	t.Helper()
	for _, u := range c.users {
		rows, err := db.Reader().Query(t.Context(), `SELECT a.id FROM activities a WHERE EXISTS (SELECT 1 FROM follows f WHERE f.follower_id = $1
			AND (f.followed_type = 'User' AND f.followed_id = a.actor_id OR f.followed_type = 'Channel' AND f.followed_id = a.channel_id
				OR f.followed_type = 'Group' AND f.followed_id = a.group_id)) ORDER BY a.id DESC`, u)
		want, err := sqlx.Collect(t.Context(), rows, err, sqlx.ScanID[domain.ActivityID])
		if err != nil {
			t.Fatal(err)
		}
		for _, limit := range []int{1, 3, 24, 10_000} {
			if got := leafed(t, s, u, limit); !slices.Equal(got, want) {
				t.Errorf("user %d, by %d: %v, want %v", u, limit, got, want)
			}
		}
	}
}

// leafed reads a feed in pages of a size, newest first.
func leafed(t *testing.T, s *store.Store, user domain.UserID, limit int) (ids []domain.ActivityID) {
	t.Helper()
	err := s.InSnapshot(t.Context(), func(v *store.Snapshot) error {
		for w := (domain.Window{Before: math.MaxInt64, Limit: limit}); ; {
			some, err := v.Activity().FeedIDs(t.Context(), user, w)
			ids = append(ids, some...)
			if err != nil || len(some) < limit {
				return err
			}
			w = w.From(some[limit-1])
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// agree compares the list of unread notifications with their count.
func (c feedUsers) agree(t *testing.T, s *store.Store) {
	t.Helper()
	for _, u := range c.users {
		var unread, every []domain.Receipt
		err := s.InSnapshot(t.Context(), func(v *store.Snapshot) (err error) {
			w := domain.Window{Before: math.MaxInt64, Limit: 10_000}
			if unread, err = v.Activity().Receipts(t.Context(), u, true, w); err == nil {
				every, err = v.Activity().Receipts(t.Context(), u, false, w)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		n, err := s.Activity().Unread(t.Context(), u)
		if err != nil {
			t.Fatal(err)
		}
		every = slices.DeleteFunc(every, func(r domain.Receipt) bool { return r.Read })
		if int(n) != len(unread) || !slices.Equal(unread, every) {
			t.Errorf("user %d: %d unread, listed %d, of all %d", u, n, len(unread), len(every))
		}
	}
}
