package store_test

import (
	"fmt"
	"slices"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// Each seed has an order of its own for the shuffled results, which is the same on every page and
// is not a rotation of one list. Pages beyond them do not repeat anything either.
func TestSearchByChanceShuffles(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		const n = 61
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		open, secret := storetest.Channel(t, s, ada, "Open", domain.Public), storetest.Channel(t, s, ada, "Secret", domain.Private)
		for i := range n {
			in := []domain.ChannelID{open, secret}[i%2]
			storetest.Connect(t, s, ada, in, domain.BlockRef(storetest.Block(t, s, ada, fmt.Sprint("moss ", i))), 0)
		}
		storetest.Connect(t, s, ada, secret, domain.BlockRef(storetest.Block(t, s, bob, "moss of another")), 0)
		limits := store.DefaultSearchLimits
		limits.BeforeWords, limits.BeforeOrder = 0, 0
		few, many := store.DefaultSearchLimits, limits
		many.Shuffled, many.Rare = 10, 0
		for name, limits := range map[string]store.SearchLimits{"all counted": limits, "a filter read first": few, "too many": many} {
			s := s.WithSearchLimits(limits)
			for _, query := range []string{"", "moss"} {
				for viewer, total := range map[domain.UserID]int{ada: n + 1, bob: n/2 + 2, 0: n/2 + 1} {
					order := func(seed, per int64) (all []int64) {
						for page := int64(1); ; page++ {
							l := search(t, s, viewer, domain.Search{Query: query, Types: []string{"Text"}, Seed: seed,
								Sort: domain.SearchSort{Key: domain.SearchByChance}, Page: domain.Page{Number: page, Per: per}})
							if len(l.Items) == 0 {
								return all
							}
							for _, found := range l.Items {
								all = append(all, found.ID)
							}
						}
					}
					first := order(1, 100)
					if len(first) != total || len(slices.Compact(slices.Sorted(slices.Values(first)))) != total {
						t.Errorf("%s: %d finds %v for %q, want %d", name, viewer, first, query, total)
					}
					if parts := order(1, 7); !slices.Equal(parts, first) {
						t.Errorf("%s: %v by pages, %v at once", name, parts, first)
					}
					rotated := 0
					for seed := range int64(6) {
						if turned(order(seed+2, 100), first) {
							rotated++
						}
					}
					if ring := limits.Shuffled == 10; ring && rotated != 6 || !ring && rotated != 0 {
						t.Errorf("%s: %d of 6 orders for %q are the first one turned", name, rotated, query)
					}
				}
			}
		}
	})
}

// turned reports whether a list is a rotation of another.
func turned(a, b []int64) bool {
	i := slices.Index(b, a[0])
	return i >= 0 && slices.Equal(a, slices.Concat(b[i:], b[:i]))
}
