package store_test

import (
	"context"
	"fmt"
	"testing"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
	"vitrine/internal/words"
)

// What few documents have is found by one statement, whoever asks and however it is sorted, and
// so is that there is nothing on a page beyond the last.
func TestSearchOfFewTakesOneStatement(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		open, secret := storetest.Channel(t, s, ada, "Open", domain.Public), storetest.Channel(t, s, ada, "Secret", domain.Private)
		few := store.DefaultSearchLimits.Few
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
		for viewer, want := range map[domain.UserID]int64{0: 1, ada: 2, bob: 2} { // what bob made he sees
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
