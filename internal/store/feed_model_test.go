package store_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/heavy"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// feedModel is the definition of the feed: all activities, and all followings.
type feedModel struct {
	t        *testing.T
	s        *store.Store
	db       *database.DB
	known    *store.Store // remembers parts of feeds
	users    []domain.UserID
	channels []domain.ChannelID
	groups   []domain.GroupID
	done     []domain.Activity
	follows  map[domain.UserID]map[domain.Subject]bool
}

func newFeedModel(t *testing.T, s *store.Store, db *database.DB) *feedModel {
	m := &feedModel{t: t, s: s, db: db, known: s.WithFeedLimits(store.FeedLimits{Many: 3, Kept: 8, Walked: 6}), follows: map[domain.UserID]map[domain.Subject]bool{}}
	for range 6 {
		u := storetest.User(t, s, "Ada")
		m.users = append(m.users, u)
		m.follows[u] = map[domain.Subject]bool{}
	}
	for i := range 3 {
		m.channels = append(m.channels, storetest.Channel(t, s, m.users[i], "Things", domain.Public))
	}
	m.groups = append(m.groups, storetest.Group(t, s, "Club", m.users[0]), storetest.Group(t, s, "Team", m.users[1]))
	return m
}

func (m *feedModel) sources() (all []domain.Subject) {
	for _, u := range m.users {
		all = append(all, storetest.UserSubject(u))
	}
	for _, c := range m.channels {
		all = append(all, storetest.ChannelSubject(c))
	}
	for _, g := range m.groups {
		all = append(all, storetest.GroupSubject(g))
	}
	return all
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func (m *feedModel) step(r *rand.Rand) {
	user, source := pick(r, m.users), pick(r, m.sources())
	switch k := r.IntN(100); {
	case k < 65:
		a := domain.Activity{Kind: domain.CreatedChannel, Actor: user, Item: storetest.ChannelSubject(m.channels[0])}
		if r.IntN(2) == 0 {
			a.Channel = pick(r, m.channels)
		}
		if r.IntN(3) == 0 {
			a.Group = pick(r, m.groups)
		}
		a.ID = storetest.Record(m.t, m.s, a)
		m.done = append(m.done, a)
	case k < 67 && len(m.done) > 0:
		i := r.IntN(len(m.done))
		storetest.Exec(m.t, m.db, "DELETE FROM activities WHERE id = $1", m.done[i].ID)
		m.done = slices.Delete(m.done, i, i+1)
	case k < 85:
		storetest.Follow(m.t, m.s, user, source)
		m.follows[user][source] = true
	default:
		storetest.Unfollow(m.t, m.s, user, source)
		delete(m.follows[user], source)
	}
}

// feed returns what a user should see within a window, except their own activities.
func (m *feedModel) feed(user domain.UserID, w domain.Window) (ids []domain.ActivityID) {
	for _, a := range m.done {
		followed := slices.ContainsFunc(a.Sources(), func(s domain.Subject) bool { return m.follows[user][s] })
		if followed && a.Actor != user && a.ID > w.After && a.ID < w.Before {
			ids = append(ids, a.ID)
		}
	}
	if !w.Rising {
		slices.Reverse(ids)
	}
	return ids[:min(len(ids), w.Limit)]
}

// read reads a whole window in pages of its limit.
func (m *feedModel) read(s *store.Store, user domain.UserID, w domain.Window) (ids []domain.ActivityID) {
	err := s.InSnapshot(m.t.Context(), func(v *store.Snapshot) error {
		for at := w; ; {
			got, err := v.Activity().FeedIDs(context.Background(), user, at)
			if err != nil {
				return err
			}
			all, err := v.Activity().VisibleActivities(context.Background(), user, got)
			for _, id := range got {
				if a, found := all[id]; found && a.Actor != user {
					ids = append(ids, id)
				}
			}
			if err != nil || len(got) < at.Limit {
				return err
			}
			at = at.From(got[len(got)-1])
		}
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return ids
}

func (m *feedModel) compare(r *rand.Rand) {
	m.t.Helper()
	for _, u := range m.users {
		stable, err := m.s.StableUpTo(m.t.Context())
		if err != nil {
			m.t.Fatal(err)
		}
		w := domain.Window{Before: stable + 1, Rising: r.IntN(2) == 0, Limit: 1 + r.IntN(7)}
		if r.IntN(2) == 0 && len(m.done) > 0 {
			w.After = pick(r, m.done).ID
		}
		if r.IntN(2) == 0 && len(m.done) > 0 {
			w.Before = pick(r, m.done).ID
		}
		whole := w
		whole.Limit = len(m.done) + 1
		want := m.feed(u, whole)
		for what, s := range map[string]*store.Store{"merged": m.s, "known": m.known} {
			if got := m.read(s, u, w); !slices.Equal(got, want) {
				m.t.Fatalf("user %d, %+v, %s: feed %v, want %v", u, w, what, got, want)
			}
		}
	}
}

// TestFeedIsWhatIsFollowed compares the feed with its definition.
func TestFeedIsWhatIsFollowed(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		m := newFeedModel(t, s, db)
		for seed := range uint64(heavy.Count(2, 5)) {
			r := rand.New(rand.NewPCG(seed, 1))
			for i := range 150 {
				m.step(r)
				if i%10 == 0 {
					m.compare(r)
				}
			}
		}
		m.compare(rand.New(rand.NewPCG(9, 9)))
	})
}
