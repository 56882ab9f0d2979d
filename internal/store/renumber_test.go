package store_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// filled returns a model of a channel with n blocks.
func filled(t *testing.T, s *store.Store, db *database.DB, n int64) *model {
	m := newModel(t, s)
	storetest.Fill(t, s, db, m.owner, m.channel, n)
	for page := int64(1); int64(len(m.items)) < n; page++ {
		for _, c := range m.contents(domain.ContentSort{Key: domain.ByPosition}, domain.Page{Number: page, Per: 1000}).Items {
			m.items = append(m.items, c.ID)
		}
	}
	return m
}

// rekey assigns each connection of the model a key by its index and rebuilds the orders.
func (m *model) rekey(db *database.DB, key func(i int64) int64) {
	m.t.Helper()
	rows := make([]string, len(m.items))
	for i, id := range m.items {
		rows[i] = fmt.Sprintf("(%d, %d)", id, key(int64(i)))
	}
	storetest.Exec(m.t, db, "WITH v (id, k) AS (VALUES "+strings.Join(rows, ", ")+`)
		UPDATE connections SET position_key = v.k FROM v WHERE connections.id = v.id`)
	storetest.In(m.t, m.s, func(tx *store.Tx) error { return tx.Bulk().Rebuild(m.t.Context(), m.channel) })
}

// Keys may be anywhere in the range of 64 bits and as close as possible. Renumbering always makes
// an insertion possible.
func TestRenumbering(t *testing.T) {
	t.Parallel()
	const n = 400
	for _, c := range []struct {
		name string
		key  func(i int64) int64
	}{
		{"dense", func(i int64) int64 { return i }},
		{"dense at the upper end", func(i int64) int64 { return math.MaxInt64 - n + 1 + i }},
		{"dense at the lower end", func(i int64) int64 { return math.MinInt64 + i }},
		{"half at each end", func(i int64) int64 {
			if i < n/2 {
				return math.MinInt64 + i
			}
			return math.MaxInt64 - n + 1 + i
		}},
		{"far apart from both ends on", func(i int64) int64 { return math.MinInt64 + i*(math.MaxInt64/(n/2)) }},
		{"dense within wide gaps", func(i int64) int64 { return i/40*(1<<40) + i%40 }},
		{"dense in the middle, at the bounds of leaves too", func(i int64) int64 {
			if i < 70 || i >= n-70 {
				return (i - n/2) << 32
			}
			return i - n/2
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
				m := filled(t, s, db, n)
				for seed, where := range []func(r *rand.Rand) int64{
					func(*rand.Rand) int64 { return n/2 + 1 },
					func(*rand.Rand) int64 { return 0 },
					func(*rand.Rand) int64 { return 1 },
					func(r *rand.Rand) int64 { return r.Int64N(n) + 1 },
				} {
					m.rekey(db, c.key)
					r := rand.New(rand.NewPCG(7, uint64(seed)))
					storetest.In(t, s, func(tx *store.Tx) error { return m.churn(t.Context(), tx, r, where) })
					m.compare(r)
				}
			})
		})
	}
}

// churn inserts, moves and removes, and leaves the number of items unchanged.
func (m *model) churn(ctx context.Context, tx *store.Tx, r *rand.Rand, where func(r *rand.Rand) int64) error {
	for range 15 {
		if err := m.insert(ctx, tx, where(r)); err != nil {
			return err
		}
		at := int(where(r)) - 1
		if at < 0 {
			at = len(m.items) - 1
		}
		if err := m.move(ctx, tx, r.IntN(len(m.items)), at); err != nil {
			return err
		}
		if err := m.remove(ctx, tx, r.IntN(len(m.items))); err != nil {
			return err
		}
	}
	return nil
}

// More than half of all keys lie between the two items, and renumbering the leaf of the lower one
// does not bring it closer.
func TestInsertingBetweenKeysFarApart(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		m := filled(t, s, db, 192) // three leaves of 64
		m.rekey(db, func(i int64) int64 {
			if i <= 128 {
				return math.MinInt64 + i<<40
			}
			return math.MaxInt64 - 200 + i
		})
		storetest.In(t, s, func(tx *store.Tx) error {
			if err := m.remove(t.Context(), tx, 128); err != nil {
				return err
			}
			return m.insert(t.Context(), tx, 129)
		})
		m.compare(rand.New(rand.NewPCG(8, 0)))
	})
}
