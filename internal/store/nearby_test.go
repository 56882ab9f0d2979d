package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/contents"
	"vitrine/internal/store/storetest"
)

// The neighbours of each item are its neighbours in the list of the channel, for every viewer.
func TestNeighboursAsListed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		here := storetest.Channel(t, s, ada, "Here", domain.Public)
		for i := range 24 {
			item := domain.BlockRef(storetest.Block(t, s, ada, fmt.Sprint(i)))
			switch i % 4 {
			case 1:
				item = domain.ChannelRef(storetest.Channel(t, s, ada, fmt.Sprint("Ada's ", i), domain.Private))
			case 2:
				item = domain.ChannelRef(storetest.Channel(t, s, bob, fmt.Sprint("Bob's ", i), domain.Private))
			}
			by := ada
			if i%4 == 2 {
				by = bob
			}
			storetest.Connect(t, s, by, here, item, int64(i/2))
		}
		for _, viewer := range []domain.UserID{0, ada, bob} {
			err := s.InSnapshot(t.Context(), func(v *store.Snapshot) error {
				c, err := v.Channels().Channel(t.Context(), viewer, domain.Ref{ID: int64(here)})
				if err != nil {
					return err
				}
				l, err := v.Contents().Contents(t.Context(), contents.Query{Viewer: viewer, Channel: c, Sort: domain.ContentSort{Desc: true},
					Page: domain.Page{Number: 1, Per: 100}})
				if err != nil {
					return err
				}
				if want := map[domain.UserID]int{0: 12, ada: 18, bob: 18}[viewer]; len(l.Items) != want {
					t.Errorf("viewer %d sees %d items, want %d", viewer, len(l.Items), want)
				}
				at := func(i int) domain.ConnectionID {
					if i < 0 || i >= len(l.Items) {
						return 0
					}
					return l.Items[i].ID
				}
				for i, conn := range l.Items {
					_, key, err := v.Nearby().Place(t.Context(), here, conn.Item)
					if err != nil {
						return err
					}
					above, below, err := v.Nearby().Neighbours(t.Context(), viewer, here, key)
					if err != nil || above != at(i-1) || below != at(i+1) {
						t.Errorf("viewer %d, item %d: %d and %d, %v; want %d and %d", viewer, i, above, below, err, at(i-1), at(i+1))
					}
				}
				_, _, err = v.Nearby().Place(t.Context(), here, domain.BlockRef(999_999))
				if domain.KindOf(err) != domain.NotFound {
					t.Errorf("the place of nothing: %v", err)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// Channels are related by the items that they share and that are not private. They are shown to
// users who may see them.
func TestRelated(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		here := storetest.Channel(t, s, ada, "Here", domain.Public)
		hidden := storetest.Channel(t, s, ada, "Hidden item", domain.Private)
		closed := storetest.Channel(t, s, bob, "Two of them", domain.Closed)
		public := storetest.Channel(t, s, bob, "One of them", domain.Public)
		secret := storetest.Channel(t, s, ada, "Three of them", domain.Private)
		byHidden := storetest.Channel(t, s, ada, "The hidden item alone", domain.Public)
		gone := storetest.Channel(t, s, bob, "Gone", domain.Public)
		for i := range 3 {
			b := domain.BlockRef(storetest.Block(t, s, ada, fmt.Sprint(i)))
			storetest.Connect(t, s, ada, here, b, 0)
			storetest.Connect(t, s, ada, secret, b, 0)
			storetest.Connect(t, s, bob, gone, b, 0)
			if i < 2 {
				storetest.Connect(t, s, bob, closed, b, 0)
			}
			if i < 1 {
				storetest.Connect(t, s, bob, public, b, 0)
			}
		}
		storetest.Connect(t, s, ada, here, domain.ChannelRef(hidden), 0)
		storetest.Connect(t, s, ada, byHidden, domain.ChannelRef(hidden), 0)
		storetest.In(t, s, func(tx *store.Tx) error {
			c, err := tx.Channels().Channel(t.Context(), bob, domain.Ref{ID: int64(gone)})
			if err != nil {
				return err
			}
			return tx.Channels().DeleteChannel(t.Context(), c, storetest.Now.Add(time.Minute))
		})
		seen := []contents.Shared{{Channel: closed, Items: 2}, {Channel: public, Items: 1}}
		for viewer, want := range map[domain.UserID][]contents.Shared{0: seen, bob: seen,
			ada: append([]contents.Shared{{Channel: secret, Items: 3}}, seen...)} {
			got, err := s.Nearby().Related(t.Context(), viewer, here, 10)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("viewer %d: %v, %v; want %v", viewer, got, err, want)
			}
			if got, err = s.Nearby().Related(t.Context(), viewer, here, 1); err != nil || !slices.Equal(got, want[:1]) {
				t.Errorf("viewer %d, one: %v, %v", viewer, got, err)
			}
		}
	})
}

// Covers show the first blocks of channels that the viewer may see, in the order of the channel, without channels and
// without blocks whose content is pending or failed. They look no further than the first items.
func TestCovers(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		crew := storetest.Group(t, s, "Crew", ada, bob)
		open, private := storetest.Channel(t, s, ada, "Open", domain.Closed), storetest.Channel(t, s, ada, "Private", domain.Private)
		group := storetest.OwnedChannel(t, s, domain.GroupRef(crew), ada, "Of the group", domain.Private)
		empty, far := storetest.Channel(t, s, ada, "Empty", domain.Public), storetest.Channel(t, s, ada, "Far", domain.Public)
		var blocks []domain.BlockID
		for i := range 7 {
			b := storetest.Block(t, s, ada, fmt.Sprint(i))
			blocks = append(blocks, b)
			for _, c := range []domain.ChannelID{open, private, group, far} {
				storetest.Connect(t, s, ada, c, domain.BlockRef(b), 0)
			}
		}
		storetest.Connect(t, s, ada, open, domain.ChannelRef(empty), 0)
		storetest.Exec(t, db, "UPDATE blocks SET type = 'Link', state = 'failed' WHERE id = $1", blocks[6])
		storetest.Exec(t, db, "UPDATE blocks SET type = 'PendingBlock', state = 'processing' WHERE id = $1", blocks[4])
		for i := range 24 { // items above those of Far
			storetest.Connect(t, s, ada, far, domain.ChannelRef(storetest.Channel(t, s, ada, fmt.Sprint("Above ", i), domain.Public)), 0)
		}
		first := []domain.BlockID{blocks[5], blocks[3], blocks[2], blocks[1]}
		all := []domain.ChannelID{open, private, group, empty, far, open, 1 << 40}
		for viewer, seen := range map[domain.UserID][]domain.ChannelID{0: {open}, bob: {open, group}, ada: {open, private, group}} {
			got, err := s.Nearby().Covers(t.Context(), viewer, all)
			if err != nil || len(got) != len(seen) {
				t.Errorf("viewer %d: %v, %v", viewer, got, err)
			}
			for _, c := range seen {
				var ids []domain.BlockID
				for _, b := range got[c] {
					ids = append(ids, b.ID)
				}
				if !slices.Equal(ids, first) {
					t.Errorf("viewer %d, channel %d: %v, want %v", viewer, c, ids, first)
				}
			}
		}
		if got, err := s.Nearby().Covers(t.Context(), ada, nil); err != nil || len(got) != 0 {
			t.Errorf("of no channels: %v, %v", got, err)
		}
		storetest.Exec(t, db, "UPDATE blocks SET type = 'Text', state = 'available'")
	})
}

// Recent channels are those to which a user belongs, most recently changed first. Pins show only
// channels that the user still sees.
func TestRecentAndPinned(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob, eve := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob"), storetest.User(t, s, "Eve")
		guild, crew := storetest.Group(t, s, "Guild", bob, ada), storetest.Group(t, s, "Crew", bob)
		all := map[string]domain.ChannelID{
			"own":        storetest.Channel(t, s, ada, "Own", domain.Private),
			"guild's":    storetest.OwnedChannel(t, s, domain.GroupRef(guild), bob, "Guild's", domain.Private),
			"helped":     storetest.Channel(t, s, bob, "Helped", domain.Private),
			"by group":   storetest.Channel(t, s, eve, "By group", domain.Private),
			"given away": storetest.OwnedChannel(t, s, domain.GroupRef(crew), ada, "Given away", domain.Public),
			"taken":      storetest.OwnedChannel(t, s, domain.UserRef(ada), bob, "Taken", domain.Closed),
			"another's":  storetest.Channel(t, s, eve, "Another's", domain.Public),
		}
		storetest.In(t, s, func(tx *store.Tx) error {
			if _, err := tx.Membership().AddCollaborator(t.Context(), all["helped"], domain.UserRef(ada), storetest.Now); err != nil {
				return err
			}
			_, err := tx.Membership().AddCollaborator(t.Context(), all["by group"], domain.GroupRef(guild), storetest.Now)
			return err
		})
		order := []string{"guild's", "taken", "own", "by group", "helped"}
		for i, name := range append(slices.Clone(order), "given away", "another's") {
			b := storetest.Block(t, s, ada, name)
			at := storetest.Now.Add(time.Duration(100-i) * time.Minute)
			storetest.In(t, s, func(tx *store.Tx) error {
				if err := tx.Channels().LockChannels(t.Context(), all[name]); err != nil {
					return err
				}
				for _, who := range []domain.UserID{ada, bob, eve} {
					c, err := tx.Channels().Channel(t.Context(), who, domain.Ref{ID: int64(all[name])})
					if domain.KindOf(err) == domain.NotFound {
						continue
					} else if err != nil {
						return err
					}
					_, _, err = tx.Connections().Connect(t.Context(), store.NewConnection{Channel: c, Item: domain.BlockRef(b), UserID: who, Now: at})
					return err
				}
				return nil
			})
		}
		for _, limit := range []int{10, 2} {
			got, err := s.Nearby().RecentChannels(t.Context(), ada, limit)
			if err != nil || len(got) != min(limit, len(order)) {
				t.Fatalf("%d channels, %v", len(got), err)
			}
			for i, c := range got {
				if c.ID != all[order[i]] || c.Role == domain.RoleNone {
					t.Errorf("channel %d is %s with the role %d", i, c.Title, c.Role)
				}
			}
		}
		if got, err := s.Nearby().RecentChannels(t.Context(), 0, 10); err != nil || len(got) != 0 {
			t.Errorf("a guest has %d channels, %v", len(got), err)
		}
		pin := func(at time.Duration, names ...string) (n int64) {
			storetest.In(t, s, func(tx *store.Tx) (err error) {
				for i, name := range names {
					if err := tx.Nearby().Pin(t.Context(), ada, all[name], storetest.Now.Add(at+time.Duration(i))); err != nil {
						return err
					}
				}
				n, err = tx.Nearby().TrimPins(t.Context(), ada)
				return err
			})
			return n
		}
		if n := pin(time.Hour, "helped", "own", "another's"); n != 3 {
			t.Errorf("%d pins", n)
		}
		if n := pin(2*time.Hour, "helped"); n != 3 {
			t.Errorf("%d pins after one more of the same", n)
		}
		storetest.In(t, s, func(tx *store.Tx) error {
			_, err := tx.Membership().RemoveCollaborator(t.Context(), all["helped"], domain.UserRef(ada))
			return err
		})
		pinned := func() (titles []string) {
			got, err := s.Nearby().PinnedChannels(t.Context(), ada)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range got {
				titles = append(titles, c.Title)
			}
			return titles
		}
		if got := pinned(); !slices.Equal(got, []string{"Own", "Another's"}) {
			t.Errorf("pinned: %v", got)
		}
		storetest.In(t, s, func(tx *store.Tx) error { return tx.Nearby().Unpin(t.Context(), ada, all["own"]) })
		if n := pin(3 * time.Hour); n != 1 || len(pinned()) != 1 {
			t.Errorf("%d pins, %v", n, pinned())
		}
	})
}
