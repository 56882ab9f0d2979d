package counters

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"vitrine/internal/store/sqlx"
)

// Tally is an addition to counts: to what everybody sees, and to the rest.
type Tally struct{ Open, Hidden int64 }

// TallyOf returns the tally of one more item, or with -1 of one less.
func TallyOf(open bool, by int64) Tally {
	if open {
		return Tally{Open: by}
	}
	return Tally{Hidden: by}
}

// deltas contains the additions of a transaction to the rows of one table of counts, by key.
type deltas[K comparable] map[K]Tally

func (d *deltas[K]) add(key K, by Tally) {
	if *d == nil {
		*d = deltas[K]{}
	}
	sum := (*d)[key]
	(*d)[key] = Tally{sum.Open + by.Open, sum.Hidden + by.Hidden}
}

func (d *deltas[K]) join(others deltas[K]) {
	for key, by := range others {
		d.add(key, by)
	}
}

// countTable describes a table of counts.
type countTable[K comparable] struct {
	name    string
	key     []string // columns of the primary key
	sums    []string // columns to add to: for Open and, if there are two, for Hidden
	sparse  bool     // there is one sum, and no row if it is 0
	compare func(a, b K) int
	values  func(K) []any // values of the key columns
}

// write adds the deltas to the table, in the order of their keys.
func (t countTable[K]) write(ctx context.Context, db sqlx.Conn, all deltas[K]) error {
	var keys, fewer []K
	for key, by := range all {
		if by != (Tally{}) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, t.compare)
	for some := range slices.Chunk(keys, sqlx.BatchRows) {
		var args []any
		for _, k := range some {
			by := all[k]
			args = append(append(args, t.values(k)...), []any{by.Open, by.Hidden}[:len(t.sums)]...)
			if t.sparse && by.Open < 0 {
				fewer = append(fewer, k)
			}
		}
		if err := db.Later(ctx, t.adding("VALUES "+sqlx.Tuples(len(some), len(t.key)+len(t.sums))), args...); err != nil {
			return err
		}
	}
	return t.sweep(ctx, db, fewer)
}

// adding returns the statement that adds the rows of a source to the table.
func (t countTable[K]) adding(source string) string {
	set := make([]string, len(t.sums))
	for i, sum := range t.sums {
		set[i] = fmt.Sprintf("%s = %s.%s + excluded.%s", sum, t.name, sum, sum)
	}
	key := strings.Join(t.key, ", ")
	return fmt.Sprintf("INSERT INTO %s (%s, %s) %s ON CONFLICT (%s) DO UPDATE SET %s",
		t.name, key, strings.Join(t.sums, ", "), source, key, strings.Join(set, ", "))
}

// sweep deletes those of the changed rows that are now 0. Each alternative contains a whole key,
// because SQLite may scan all rows for keys IN a list.
func (t countTable[K]) sweep(ctx context.Context, db sqlx.Conn, keys []K) error {
	for some := range slices.Chunk(keys, sqlx.BatchRows) {
		var args []any
		rows := make([]string, len(some))
		for i, k := range some {
			parts := make([]string, len(t.key))
			for j, column := range t.key {
				parts[j] = fmt.Sprintf("%s = $%d", column, len(args)+j+1)
			}
			rows[i], args = strings.Join(parts, " AND "), append(args, t.values(k)...)
		}
		query := fmt.Sprintf("DELETE FROM %s WHERE %s = 0 AND (%s)", t.name, t.sums[0], strings.Join(rows, " OR "))
		if err := db.Later(ctx, query, args...); err != nil {
			return err
		}
	}
	return nil
}
