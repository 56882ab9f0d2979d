package store_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/domain"
	"vitrine/internal/heavy"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
	"vitrine/internal/words"
)

// pagesModel changes a channel, and searches it with stores that remember pages and that do not.
type pagesModel struct {
	t        *testing.T
	s        *store.Store
	known    *store.Store
	ada, bob domain.UserID
	channel  domain.ChannelID
	inside   []domain.ChannelID
	blocks   []domain.BlockID
	placed   []domain.ConnectionID
	titled   int // searches with a list of matches in titles
}

func (m *pagesModel) text(r *rand.Rand) string {
	all := []string{"moss", "fern", "moss and fern", "Moss!", "lichen", "mossy stones"}
	return pick(r, all)
}

func (m *pagesModel) step(r *rand.Rand) {
	switch r.IntN(9) {
	case 0, 1, 2:
		id := storetest.Block(m.t, m.s, m.bob, m.text(r))
		m.blocks = append(m.blocks, id)
		if r.IntN(3) > 0 {
			m.placed = append(m.placed, storetest.Connect(m.t, m.s, m.ada, m.channel, domain.BlockRef(id), 0))
		}
	case 3:
		if len(m.placed) > 0 {
			i := r.IntN(len(m.placed))
			storetest.Disconnect(m.t, m.s, m.placed[i])
			m.placed = slices.Delete(m.placed, i, i+1)
		}
	case 4, 5:
		if len(m.blocks) > 0 {
			id, title := pick(r, m.blocks), m.text(r)
			was, err := m.s.Block(m.t.Context(), m.bob, id)
			if err != nil {
				m.t.Fatal(err)
			}
			is := was
			is.Title = &title
			storetest.In(m.t, m.s, func(tx *store.Tx) error {
				if err := tx.Blocks().LockBlock(m.t.Context(), id); err != nil {
					return err
				}
				return tx.Blocks().UpdateBlock(m.t.Context(), was, &is, storetest.Later)
			})
		}
	case 6:
		id := storetest.Channel(m.t, m.s, m.bob, m.text(r), domain.Public)
		m.inside = append(m.inside, id)
		m.placed = append(m.placed, storetest.Connect(m.t, m.s, m.ada, m.channel, domain.ChannelRef(id), 0))
	case 7:
		if len(m.inside) > 0 {
			storetest.SetVisibility(m.t, m.s, m.bob, pick(r, m.inside), pick(r, []domain.Visibility{domain.Private, domain.Public, domain.Closed}))
		}
	default:
		storetest.SetVisibility(m.t, m.s, m.ada, m.channel, pick(r, []domain.Visibility{domain.Public, domain.Closed, domain.Private}))
	}
}

// search returns a page and reports whether the words were looked up.
func (m *pagesModel) search(s *store.Store, viewer domain.UserID, q domain.Search) (l domain.List[domain.Subject], looked bool) {
	m.t.Helper()
	err := s.InSnapshot(m.t.Context(), func(v *store.Snapshot) (err error) {
		store.Trace(v, func(query string, _ []any) {
			looked = looked || strings.Contains(query, "search_words")
			if strings.Contains(query, "AND w.rowid > ") && strings.Contains(query, "l.id AS rowid") {
				m.titled++
			}
		})
		l, err = v.Search(context.Background(), store.SearchQuery{Search: q, Viewer: viewer, Words: words.Parse(q.Query)})
		return err
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return l, looked
}

// Pages of searches in a channel are remembered, and on SQLite the matches of common words in titles. Results never differ
// from those of a store that remembers nothing.
func TestSearchInChannelKnowsPages(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		limits := store.DefaultSearchLimits
		limits.Rare, limits.Counted, limits.Spare, limits.AtOnce = 2, 4, 20, 24
		m := &pagesModel{t: t, s: s, known: s.WithSearchLimits(limits), ada: storetest.User(t, s, "Ada"), bob: storetest.User(t, s, "Bob")}
		m.channel = storetest.Channel(t, s, m.ada, "Moss", domain.Public)
		found := 0
		for seed := range uint64(heavy.Count(1, 4)) {
			r := rand.New(rand.NewPCG(seed, 1))
			for range 80 {
				m.step(r)
				for range 6 {
					q := domain.Search{Query: pick(r, []string{"moss", "fern", "moss fern", "mos"}), Channel: pick(r, []domain.ChannelID{m.channel, m.channel, 0}),
						Sort: domain.SearchSort{Key: pick(r, []domain.SearchKey{domain.SearchByScore, domain.SearchByCreated, domain.SearchByName,
							domain.SearchByUpdated, domain.SearchByConnections, domain.SearchByChance}), Desc: r.IntN(2) == 0},
						Page: domain.Page{Number: 1 + r.Int64N(2), Per: 3}}
					viewer := pick(r, []domain.UserID{0, m.ada, m.bob})
					want, _ := m.search(s.WithSearchLimits(limits), viewer, q)
					got, looked := m.search(m.known, viewer, q)
					if !slices.Equal(got.Items, want.Items) || min(got.Total, 4) != min(want.Total, 4) {
						t.Fatalf("%+v for %d: %v, want %v", q, viewer, got, want)
					}
					if q.Channel != 0 && !looked && len(got.Items) > 0 {
						found++
					}
				}
			}
		}
		if found == 0 {
			t.Error("no page was known")
		}
		if (m.titled > 0) != (s.Database() == "sqlite") {
			t.Errorf("%d searches listed titles", m.titled)
		}
		q := domain.Search{Query: "moss", Channel: m.channel, Page: domain.Page{Number: 1, Per: 3}}
		for _, id := range m.inside {
			storetest.SetVisibility(t, s, m.bob, id, domain.Public)
		}
		storetest.SetVisibility(t, s, m.ada, m.channel, domain.Public)
		for i, want := range []bool{true, false} {
			if _, looked := m.search(m.known, 0, q); looked != want {
				t.Errorf("search %d looked up words: %v", i, looked)
			}
		}
	})
}
