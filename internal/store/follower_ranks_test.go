package store_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// audience creates n users who all follow a subject, in the order of their ids.
func audience(t *testing.T, s *store.Store, what domain.Subject, n int64) (all []domain.UserID) {
	t.Helper()
	storetest.In(t, s, func(tx *store.Tx) error {
		made, err := tx.Bulk().LoadUsers(t.Context(), 0, n, storetest.Now)
		for i := range made.N {
			all = append(all, domain.UserID(made.First+i))
			if _, err := tx.Activity().Follow(t.Context(), all[i], what, storetest.Now); err != nil {
				return err
			}
		}
		return err
	})
	return all
}

// pageOf returns the ids of a page of followers.
func pageOf(t *testing.T, s *store.Store, what domain.Subject, desc bool, page domain.Page) (ids []domain.UserID) {
	t.Helper()
	err := s.InSnapshot(t.Context(), func(v *store.Snapshot) error {
		l, err := v.Users().Followers(t.Context(), what, desc, page)
		for _, u := range l.Items {
			ids = append(ids, u.ID)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

func TestFollowersPagesAmongMany(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		star := storetest.UserSubject(storetest.User(t, s, "Star"))
		want := audience(t, s, star, 3_400)
		r := rand.New(rand.NewPCG(1, 2))
		for range 3 {
			for _, desc := range []bool{false, true} {
				for _, number := range []int64{1, 5, 10, 11, 15, 20, 21, 22, 31, 32, 34, 35, 36} {
					page := domain.Page{Number: number, Per: 97}
					from, to := min(97*int(number-1), len(want)), min(97*int(number), len(want))
					expected := slices.Clone(want[from:to])
					if desc {
						expected = slices.Clone(want[len(want)-to : len(want)-from])
						slices.Reverse(expected)
					}
					if got := pageOf(t, s, star, desc, page); !slices.Equal(got, expected) {
						t.Fatalf("page %d, desc %v: %v, want %v", number, desc, got, expected)
					}
				}
			}
			// Some unfollow, among them a whole row of follower_ranks. Some of those follow again as the
			// newest.
			gone := slices.Clone(want[1_000:2_000])
			gone = append(gone, want[0], want[len(want)-1])
			want = slices.DeleteFunc(want, func(u domain.UserID) bool { return slices.Contains(gone, u) })
			back := gone[:r.IntN(len(gone))]
			want = append(want, back...)
			storetest.In(t, s, func(tx *store.Tx) error {
				for _, u := range gone {
					if _, err := tx.Activity().Unfollow(t.Context(), u, star); err != nil {
						return err
					}
				}
				for _, u := range back {
					if _, err := tx.Activity().Follow(t.Context(), u, star, storetest.Now); err != nil {
						return err
					}
				}
				return nil
			})
		}
		storetest.Check(t, s)
	})
}

func TestFollowsEndInParts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "Ada")
		channel := storetest.Channel(t, s, ada, "Things", domain.Public)
		what := storetest.ChannelSubject(channel)
		fans := audience(t, s, what, 2_100)
		storetest.Follow(t, s, fans[0], storetest.UserSubject(ada))
		storetest.Record(t, s, domain.Activity{Kind: domain.CreatedChannel, Actor: ada, Item: what, Channel: channel, CreatedAt: storetest.Now})
		for i, left := range []int{2_100, 1_100, 100, 0, 0} {
			storetest.In(t, s, func(tx *store.Tx) error {
				if i == 0 {
					c, err := tx.Channels().Channel(t.Context(), ada, domain.Ref{ID: int64(channel)})
					if err != nil {
						return err
					}
					return tx.Channels().DeleteChannel(t.Context(), c, storetest.Now) // leaves them to a job
				}
				return tx.Activity().EndSomeFollows(t.Context(), what)
			})
			storetest.Check(t, s)
			if got := pageOf(t, s, what, false, domain.Page{Number: 1, Per: 5_000}); len(got) != left || !slices.Equal(got, fans[2_100-left:]) {
				t.Errorf("%d followers are left, want %d", len(got), left)
			}
		}
		for fan, want := range map[domain.UserID]int64{fans[0]: 1, fans[2_099]: 0} {
			if u, err := s.Users().User(t.Context(), domain.Ref{ID: int64(fan)}); err != nil || u.Following != want {
				t.Errorf("user %d follows %d, want %d (%v)", fan, u.Following, want, err)
			}
		}
	})
}

// Notifications that were marked as read all at once are not unread, and later ones are not read.
func TestUnreadAfterReadingAll(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, eve := storetest.User(t, s, "Ada"), storetest.User(t, s, "Eve")
		onProgress := func() domain.ActivityID {
			return storetest.Record(t, s, domain.Activity{Kind: domain.FollowedUser, Actor: eve, Item: storetest.UserSubject(ada), CreatedAt: storetest.Now}, ada)
		}
		old := onProgress()
		storetest.In(t, s, func(tx *store.Tx) error { return tx.Activity().MarkAllRead(t.Context(), ada) })
		fresh := onProgress()
		for _, rising := range []bool{false, true} {
			w := domain.Window{Before: fresh + 1, Rising: rising, Limit: 10}
			all := []domain.Receipt{{ID: fresh}, {ID: old, Read: true}}
			if rising {
				slices.Reverse(all)
			}
			for unread, want := range map[bool][]domain.Receipt{false: all, true: {{ID: fresh}}} {
				err := s.InSnapshot(t.Context(), func(v *store.Snapshot) error {
					got, err := v.Activity().Receipts(t.Context(), ada, unread, w)
					if !slices.Equal(got, want) {
						t.Errorf("unread %v, rising %v: %v, want %v", unread, rising, got, want)
					}
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		}
	})
}
