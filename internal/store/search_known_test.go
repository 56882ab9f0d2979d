package store_test

import (
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

// A search whose words are known to have many results does not count them again. Removals make
// it count again as soon as too few may be left, and it finds the same as a search that knows nothing.
func TestSearchOfKnownWordsCountsAgain(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		open, other := storetest.Channel(t, s, ada, "Open moss", domain.Public), storetest.Channel(t, s, ada, "Other", domain.Public)
		var blocks []domain.BlockID
		var connections []domain.ConnectionID
		for i := range 30 {
			blocks = append(blocks, storetest.Block(t, s, bob, fmt.Sprint("moss and fern ", i)))
			connections = append(connections, storetest.Connect(t, s, ada, open, domain.BlockRef(blocks[i]), 0))
		}
		storetest.Connect(t, s, ada, other, domain.BlockRef(blocks[0]), 0)
		limits := store.DefaultSearchLimits
		limits.Rare, limits.Counted, limits.Spare, limits.AtOnce, limits.Gathered, limits.BeforeWords, limits.Shuffled = 2, 20, 4, 24, 0, 0, 20
		remembering := s.WithSearchLimits(limits)
		ask := func(s *store.Store, viewer domain.UserID, q domain.Search) (l domain.List[domain.Subject], counted bool) {
			err := s.InSnapshot(t.Context(), func(v *store.Snapshot) (err error) {
				store.Trace(v, func(query string, _ []any) {
					counted = counted || strings.Contains(query, "count(*)") && strings.Contains(query, "search_words") && !strings.Contains(query, "shown0") || strings.Contains(query, "OVER ()")
				})
				l, err = v.Search(t.Context(), store.SearchQuery{Search: q, Viewer: viewer, Words: words.Parse(q.Query)})
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return l, counted
		}
		check := func(when string, counts bool) {
			t.Helper()
			for _, query := range []string{"moss", "moss fern"} {
				for _, channel := range []domain.ChannelID{0, open} {
					for i, key := range []domain.SearchKey{domain.SearchByScore, domain.SearchByCreated, domain.SearchByName, domain.SearchByChance} {
						if channel != 0 && i > 1 {
							continue // these read all matches anyway
						}
						for _, viewer := range []domain.UserID{0, ada} { // by score, the exact results have a number of their own
							q := domain.Search{Query: query, Channel: channel, Sort: domain.SearchSort{Key: key, Desc: true}, Page: domain.Page{Number: 1, Per: 7}}
							got, counted := ask(remembering, viewer, q)
							want, _ := ask(s.WithSearchLimits(limits), viewer, q)
							if !slices.Equal(got.Items, want.Items) || min(got.Total, 20) != min(want.Total, 20) {
								t.Errorf("%s: %q in %d by %d finds %v of %d, want %v of %d", when, query, channel, key, got.Items, got.Total, want.Items, want.Total)
							}
							if counts := counts && i <= 1 && viewer == 0; counted != counts {
								t.Errorf("%s: %q in %d by %d for %d counted: %v, want %v", when, query, channel, key, viewer, counted, counts)
							}
						}
					}
				}
			}
		}
		check("at first", true)
		check("again", false)
		storetest.Block(t, s, ada, "moss and fern, which nobody else sees")
		storetest.Disconnect(t, s, connections[1])
		check("one less", false)
		for _, c := range connections[2:5] {
			storetest.Disconnect(t, s, c)
		}
		check("so many less that the rest may be fewer than are counted", true)
		storetest.SetVisibility(t, s, ada, other, domain.Private)
		check("again, less one that is still in a channel", false)
		storetest.SetVisibility(t, s, ada, open, domain.Private)
		got, _ := ask(remembering, 0, domain.Search{Query: "moss", Page: domain.Page{Number: 1, Per: 7}})
		if got.Total != 0 || len(got.Items) != 0 {
			t.Errorf("in private: %v of %d", got.Items, got.Total)
		}
	})
}

// The total in a channel is exact, and counted again as soon as anything in the channel changes. If the matches of a page
// are far from the newest ones, it is read from the channel.
func TestSearchOfKnownWordsInChannel(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "Ada")
		channel, other := storetest.Channel(t, s, ada, "Channel", domain.Public), storetest.Channel(t, s, ada, "Other", domain.Public)
		var connections []domain.ConnectionID
		add := func(to domain.ChannelID, text string) {
			connections = append(connections, storetest.Connect(t, s, ada, to, domain.BlockRef(storetest.Block(t, s, ada, text)), 0))
		}
		for i := range 8 {
			add(channel, fmt.Sprint("moss ", i))
		}
		limits := store.DefaultSearchLimits
		limits.Nearest, limits.BeforeWords = 30, 0
		s = s.WithSearchLimits(limits)
		asked, seed := 0, int64(0)
		check := func(when string, total, statements int) {
			t.Helper()
			err := s.InSnapshot(t.Context(), func(v *store.Snapshot) error {
				asked, seed = 0, seed+1 // by which the known pages differ
				store.Trace(v, func(query string, _ []any) {
					if strings.Contains(query, "search_words") {
						asked++
					}
				})
				l, err := v.Search(t.Context(), store.SearchQuery{Search: domain.Search{Query: "moss", Channel: channel, Seed: seed,
					Sort: domain.SearchSort{Key: domain.SearchByCreated, Desc: true}, Page: domain.Page{Number: 1, Per: 4}}, Words: words.Parse("moss")})
				if err == nil && (l.Total != int64(total) || len(l.Items) != 4 || asked != statements) {
					t.Errorf("%s: %v of %d in %d statements, want %d in %d", when, l.Items, l.Total, asked, total, statements)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		check("counted", 8, 1)
		check("known", 8, 1)
		add(channel, "moss, the ninth")
		check("one more", 9, 1)
		storetest.Disconnect(t, s, connections[0])
		check("one less", 8, 1)
		for i := range 31 {
			add(other, fmt.Sprint("moss elsewhere ", i))
		}
		check("behind many others", 8, 2)
		check("known to be there", 8, 1)
	})
}

// Each removal adds a row, and old rows are summed up, so only a few remain.
func TestSearchCountsRemovals(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ada := storetest.User(t, s, "Ada")
		channel := storetest.Channel(t, s, ada, "Channel", domain.Public)
		var connections []domain.ConnectionID
		for range 300 {
			connections = append(connections, storetest.Connect(t, s, ada, channel, domain.BlockRef(storetest.Block(t, s, ada, "moss")), 0))
		}
		removals := func() (sum, rows int64) {
			err := db.Reader().QueryRow(t.Context(), "SELECT CAST(COALESCE(sum(n), 0) AS BIGINT), count(*) FROM search_removals").Scan(&sum, &rows)
			if err != nil {
				t.Fatal(err)
			}
			return sum, rows
		}
		before, _ := removals()
		for _, id := range connections {
			storetest.Disconnect(t, s, id)
		}
		// Each connection counts, and each document, since its block is in no channel any more.
		if sum, rows := removals(); sum != before+600 || rows > 256 {
			t.Errorf("%d removals in %d rows, want 600", sum-before, rows)
		}
	})
}
