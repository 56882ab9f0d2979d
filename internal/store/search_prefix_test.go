package store_test

import (
	"fmt"
	"testing"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// The last word is a prefix that matches any number of words, also at the end of a phrase. A word
// that only shares the beginning is another one, unless both have the same stem: ros is one of rose, and rose one of
// rosee.
func TestSearchPrefix(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "Ada")
		words := []string{"rose", "rose", "rosary", "ros", "ro", "arose", "Rosé", "розы"}
		for _, word := range words {
			storetest.Block(t, s, ada, "red "+word)
		}
		expect := func(query string, want int64) {
			t.Helper()
			for _, limits := range wordLimits() {
				if l := search(t, s.WithSearchLimits(limits), ada, domain.Search{Query: query}); l.Total != want || len(l.Items) != int(want) {
					t.Errorf("%q finds %d, %d on the page, want %d, few are %d", query, l.Total, len(l.Items), want, limits.Rare)
				}
			}
		}
		few := map[string]int64{"rose": 4, "ros": 5, "ro": 6, "rosa": 1, "rosee": 3, `"red ros`: 5, `"red ros"`: 1, "red ros": 5, "роз": 1, `"ros`: 5, `"ros"`: 1}
		for query, want := range few {
			expect(query, want)
		}
		// More words than are looked up one by one.
		for i := range 40 {
			storetest.Block(t, s, ada, fmt.Sprintf("red ros%c%c and more", 'a'+i%20, 'a'+i/20))
		}
		for query, want := range map[string]int64{"ros": 45, `"red ros`: 45, `"red ros"`: 1, "rosb": 2, "rose": 6} {
			expect(query, want)
		}
	})
}
