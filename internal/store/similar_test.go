package store_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/contents"
	"vitrine/internal/store/storetest"
)

// Images whose hashes agree in a part are found by everyone who may see them, and by nobody else.
func TestLookAlikes(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ada, bob, eve := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob"), storetest.User(t, s, "Eve")
		hash := int64(-0x123456789abcdef0)
		near, far := hash^(1<<62|1<<16|1), ^hash
		open, private := storetest.Channel(t, s, ada, "Open", domain.Public), storetest.Channel(t, s, ada, "Private", domain.Private)
		public := picture(t, s, ada, "public", "", &hash)
		storetest.Connect(t, s, ada, open, domain.BlockRef(public), 0)
		hidden := picture(t, s, ada, "hidden", "", &near)
		storetest.Connect(t, s, ada, private, domain.BlockRef(hidden), 0)
		loose := picture(t, s, bob, "loose", "", &near)
		picture(t, s, ada, "other", "", &far)
		picture(t, s, ada, "without", "", nil)
		for _, c := range []struct {
			viewer domain.UserID
			own    bool
			want   []domain.BlockID
		}{
			{ada, false, []domain.BlockID{public, hidden}}, {ada, true, []domain.BlockID{public, hidden}},
			{bob, false, []domain.BlockID{public, loose}}, {bob, true, []domain.BlockID{loose}},
			{eve, false, []domain.BlockID{public}}, {eve, true, nil}, {0, false, []domain.BlockID{public}}, {0, true, nil},
		} {
			found, err := s.Nearby().LookAlikes(t.Context(), c.viewer, hash, c.own)
			var got []domain.BlockID
			for _, l := range found {
				got = append(got, l.Block)
			}
			slices.Sort(got)
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%d, own %t: %v, want %v: %v", c.viewer, c.own, got, c.want, err)
			}
		}
		looks, err := s.Nearby().OwnLooks(t.Context(), ada, 2)
		if err != nil || len(looks) != 2 || looks[1] != (contents.LookAlike{Block: hidden, Hash: near}) {
			t.Errorf("%v, %v", looks, err)
		}
	})
}

// Each part of a hash has an index.
func TestLookAlikesUseIndexes(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		if db.Dialect() != database.SQLite {
			return // the planner of PostgreSQL reads small tables whole
		}
		var all string
		err := db.View(t.Context(), func(q database.Querier) error {
			rows, err := q.Query(t.Context(), `EXPLAIN QUERY PLAN SELECT b.id FROM files f JOIN blocks b ON b.image_id = f.id
				WHERE f.look_hash IS NOT NULL AND ((f.look_hash >> 16) & 65535) = $1 AND b.type = 'Image'`, 7)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				var a, b, c int64
				var text string
				if err := rows.Scan(&a, &b, &c, &text); err != nil {
					return err
				}
				all += text + "\n"
			}
			return rows.Err()
		})
		if err != nil || !strings.Contains(all, "INDEX files_look_1 ") {
			t.Errorf("%s, %v", all, err)
		}
	})
}

// Viewers find exactly the random images in random channels that they may see and whose hash has an equal part.
func TestLookAlikesAreVisible(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		r := rand.New(rand.NewPCG(7, 11))
		people := []domain.UserID{storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob"), storetest.User(t, s, "Eve")}
		var channels []domain.ChannelID
		for i := range 6 {
			channels = append(channels, storetest.Channel(t, s, people[i%3], fmt.Sprint("Channel ", i), []domain.Visibility{domain.Public, domain.Private}[i%2]))
		}
		hashes := map[domain.BlockID]int64{}
		base := []int64{int64(r.Uint64()), int64(r.Uint64())}
		for i := range 60 {
			hash := base[r.IntN(2)]
			for range r.IntN(6) {
				hash ^= 1 << r.IntN(64)
			}
			by := r.IntN(3)
			id := picture(t, s, people[by], fmt.Sprint("image ", i), "", &hash)
			hashes[id] = hash
			for range r.IntN(3) {
				in := r.IntN(6)
				if in%3 == by { // their own
					storetest.In(t, s, func(tx *store.Tx) error {
						there, err := tx.Contents().ConnectionOf(t.Context(), channels[in], domain.BlockRef(id))
						if err != nil || there != 0 {
							return err
						}
						c, err := tx.Channels().Channel(t.Context(), people[by], domain.Ref{ID: int64(channels[in])})
						if err == nil {
							_, _, err = tx.Connections().Connect(t.Context(), store.NewConnection{Channel: c, Item: domain.BlockRef(id), UserID: people[by], Now: storetest.Now})
						}
						return err
					})
				}
			}
		}
		ids := slices.Sorted(maps.Keys(hashes))
		for _, viewer := range append(people, 0) {
			visible, err := s.Blocks().VisibleBlocksByID(t.Context(), viewer, ids)
			if err != nil {
				t.Fatal(err)
			}
			for _, hash := range append(base, hashes[ids[0]], hashes[ids[1]]) {
				for _, own := range []bool{false, true} {
					var want []domain.BlockID
					for _, id := range ids {
						b, seen := visible[id]
						agrees := slices.ContainsFunc([]int{0, 16, 32, 48}, func(at int) bool { return hash>>at&65535 == hashes[id]>>at&65535 })
						if seen && agrees && (!own || b.Author.PrincipalRef == domain.UserRef(viewer)) {
							want = append(want, id)
						}
					}
					found, err := s.Nearby().LookAlikes(t.Context(), viewer, hash, own)
					var got []domain.BlockID
					for _, l := range found {
						got = append(got, l.Block)
					}
					slices.Sort(got)
					if err != nil || !slices.Equal(got, want) {
						t.Errorf("%d, own %t: %v, want %v: %v", viewer, own, got, want, err)
					}
				}
			}
		}
	})
}
