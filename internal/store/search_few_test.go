package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
	"vitrine/internal/words"
)

// One statement finds what few documents contain, for every viewer and order. This includes an
// empty page beyond the last.
func TestSearchOfFewTakesOneStatement(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		open, secret := storetest.Channel(t, s, ada, "Open", domain.Public), storetest.Channel(t, s, ada, "Secret", domain.Private)
		few := store.DefaultSearchLimits.Rare
		for i := range few {
			block := domain.BlockRef(storetest.Block(t, s, bob, fmt.Sprint("common ", i)))
			storetest.Connect(t, s, ada, open, block, 0)
		}
		storetest.Connect(t, s, ada, open, domain.BlockRef(storetest.Block(t, s, ada, "moss")), 0)
		storetest.Connect(t, s, ada, secret, domain.BlockRef(storetest.Block(t, s, bob, "hidden moss, and moss")), 0)
		ask := func(viewer domain.UserID, q domain.Search) (l domain.List[domain.Subject], statements int) {
			err := s.InSnapshot(t.Context(), func(v *store.Snapshot) (err error) {
				store.Trace(v, func(string, []any) { statements++ })
				l, err = v.Search(context.Background(), store.SearchQuery{Search: q, Viewer: viewer, Words: words.Parse(q.Query)})
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return l, statements
		}
		for viewer, want := range map[domain.UserID]int64{0: 1, ada: 2, bob: 2} { // users see their own blocks
			for key := domain.SearchByScore; key <= domain.SearchByChance; key++ {
				for page, items := range map[int64]int64{1: want, 2: 0} {
					l, n := ask(viewer, domain.Search{Query: "mos", Sort: domain.SearchSort{Key: key}, Page: domain.Page{Number: page, Per: 24}})
					if n != 1 || l.Total != want || int64(len(l.Items)) != items {
						t.Errorf("%d finds %v of %d by %d on page %d, in %d statements, want %d of %d in one", viewer, l.Items, l.Total, key, page, n, items, want)
					}
				}
			}
		}
		l, n := ask(ada, domain.Search{Query: "common", Page: domain.Page{Number: 1, Per: 24}})
		if l.Total != few || len(l.Items) != 24 || n < 2 {
			t.Errorf("%d of what many have on the page, %d in all, in %d statements", len(l.Items), l.Total, n)
		}
	})
}

// If a word has many documents, the statement that finds this out also counts them, except closed
// ones, if the engine has collected them for it. The total and the order are the same as without.
func TestSearchOfManyCountsOnce(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		open, secret := storetest.Channel(t, s, ada, "Open moss", domain.Public), storetest.Channel(t, s, ada, "Secret moss", domain.Private)
		for i := range 20 {
			in := []domain.ChannelID{open, open, secret}[i%3]
			storetest.Connect(t, s, ada, in, domain.BlockRef(storetest.Block(t, s, bob, fmt.Sprint("moss ", i))), 0)
		}
		limits := store.DefaultSearchLimits
		limits.Rare = 5
		without := limits
		without.Rare = 0
		for viewer, total := range map[domain.UserID]int64{0: 15, ada: 22, bob: 21} {
			for key := domain.SearchByScore; key <= domain.SearchByChance; key++ {
				for page := int64(1); page <= 4; page++ {
					q := domain.Search{Query: "moss", Sort: domain.SearchSort{Key: key}, Page: domain.Page{Number: page, Per: 7}}
					var counts []string
					ask := func(limits store.SearchLimits) (l domain.List[domain.Subject]) {
						counts = nil
						err := s.WithSearchLimits(limits).InSnapshot(t.Context(), func(v *store.Snapshot) (err error) {
							store.Trace(v, func(query string, _ []any) {
								if strings.Contains(query, "SELECT 1 AS one FROM search_words") {
									counts = append(counts, query)
								}
							})
							l, err = v.Search(t.Context(), store.SearchQuery{Search: q, Viewer: viewer, Words: words.Parse(q.Query)})
							return err
						})
						if err != nil {
							t.Fatal(err)
						}
						return l
					}
					want := ask(without)
					got := ask(limits)
					if got.Total != total || want.Total != total || !slices.Equal(got.Items, want.Items) {
						t.Errorf("%d by %d, page %d: %v of %d, without %v of %d, want %d", viewer, key, page, got.Items, got.Total, want.Items, want.Total, total)
					}
					if database.Pool(db) == nil || key == domain.SearchByChance {
						continue
					}
					if viewer == 0 && len(counts) > 0 || viewer != 0 && (len(counts) != 1 || strings.Contains(counts[0], "UNION ALL")) {
						t.Errorf("%d by %d, page %d: counted by %q", viewer, key, page, counts)
					}
				}
			}
		}
	})
}
