package store_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// branch is a node of a planted order: a row of order_nodes.
type branch struct{ level, first, n int64 }

// plant builds a tree for both orders of a channel that is as high as possible for its few items:
// its nodes have few children.
func (m *model) plant(db *database.DB, r *rand.Rand) (height int) {
	m.t.Helper()
	for sort, column := range []string{"position_key", "created_at"} {
		row := m.leavesBy(db, column, r)
		all := row
		for height = 1; len(row) > 3; height++ {
			var above []branch
			for len(row) > 0 {
				k := min(2+r.IntN(3), len(row))
				parent := branch{level: int64(height), first: row[0].first}
				for _, child := range row[:k] {
					parent.n += child.n
				}
				above, row = append(above, parent), row[k:]
			}
			row, all = above, append(all, above...)
		}
		values := make([]string, len(all))
		for i, b := range all {
			values[i] = fmt.Sprintf("(%d, %d, %d, %d, %d, 0)", m.channel, sort, b.level, b.first, b.n)
		}
		storetest.Exec(m.t, db, "DELETE FROM order_nodes WHERE channel_id = $1 AND sort = $2", m.channel, sort)
		storetest.Exec(m.t, db, "INSERT INTO order_nodes (channel_id, sort, level, first_key, n, n_private) VALUES "+
			strings.Join(values, ", "))
	}
	return height
}

// leavesBy divides the keys of a channel into small leaves.
func (m *model) leavesBy(db *database.DB, column string, r *rand.Rand) (row []branch) {
	m.t.Helper()
	rows, err := db.Reader().Query(m.t.Context(), "SELECT "+column+" FROM connections WHERE channel_id = $1 ORDER BY 1", m.channel)
	if err != nil {
		m.t.Fatal(err)
	}
	defer rows.Close()
	room := int64(0)
	for rows.Next() {
		var key int64
		if err := rows.Scan(&key); err != nil {
			m.t.Fatal(err)
		}
		if room == 0 {
			row, room = append(row, branch{first: key}), 3+r.Int64N(12)
		}
		row[len(row)-1].n++
		room--
	}
	row[0].first = math.MinInt64
	return row
}

// A high tree is used and emptied, from all sides.
func TestShrinkingHighTrees(t *testing.T) {
	t.Parallel()
	const n = 400
	for name, next := range map[string]func(r *rand.Rand, left int) int{
		"at random":       func(r *rand.Rand, left int) int { return r.IntN(left) },
		"from the top":    func(_ *rand.Rand, left int) int { return left - 1 },
		"from the bottom": func(*rand.Rand, int) int { return 0 },
		"from the middle": func(_ *rand.Rand, left int) int { return left / 2 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
				r := rand.New(rand.NewPCG(9, uint64(len(name))))
				m := filled(t, s, db, n)
				if height := m.plant(db, r); height < 4 {
					t.Fatalf("the tree has %d levels", height)
				}
				storetest.Check(t, s)
				storetest.In(t, s, func(tx *store.Tx) error {
					for range 40 {
						if err := m.step(t.Context(), tx, r); err != nil {
							return err
						}
					}
					return nil
				})
				for len(m.items) > 0 {
					m.compare(r)
					storetest.In(t, s, func(tx *store.Tx) error {
						for range min(60, len(m.items)) {
							if err := m.remove(t.Context(), tx, next(r, len(m.items))); err != nil {
								return err
							}
						}
						return nil
					})
				}
				storetest.Check(t, s)
				storetest.In(t, s, func(tx *store.Tx) error { return m.insert(t.Context(), tx, 0) })
				m.compare(r)
			})
		})
	}
}
