package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Things are counted in tables of counts as they come, go, and turn open or hidden. A
// transaction collects what it adds and writes it once, at its end: so the counts are the
// last rows that it locks, in one order for all, and only while it commits. What is added
// commutes, so that nobody needs a lock to know what a count is.

// tallies are what is added to counts: of what all see, and of the rest.
type tallies struct{ open, hidden int64 }

// tallied is tallies for one thing more, or one less by -1.
func tallied(open bool, by int64) tallies {
	if open {
		return tallies{open: by}
	}
	return tallies{hidden: by}
}

// counterDeltas is what a transaction adds to the rows of one table of counts, by their keys.
type counterDeltas[K comparable] map[K]tallies

func (d *counterDeltas[K]) add(key K, by tallies) {
	if *d == nil {
		*d = counterDeltas[K]{}
	}
	sum := (*d)[key]
	(*d)[key] = tallies{sum.open + by.open, sum.hidden + by.hidden}
}

// countTable says how a table of counts is written.
type countTable[K comparable] struct {
	name    string
	key     []string // columns of the primary key
	sums    []string // columns that are added to: of `open`, and of `hidden` if there are two
	sparse  bool     // has one sum, and no row where that is 0
	compare func(a, b K) int
	values  func(K) []any // of the columns of the key
}

// write adds the deltas to the table, in the order of keys.
func (t countTable[K]) write(ctx context.Context, q Queries, deltas counterDeltas[K]) error {
	var keys, fewer []K
	for key, by := range deltas {
		if by != (tallies{}) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, t.compare)
	for some := range slices.Chunk(keys, bulkRows) {
		var args []any
		for _, k := range some {
			by := deltas[k]
			args = append(append(args, t.values(k)...), []any{by.open, by.hidden}[:len(t.sums)]...)
			if t.sparse && by.open < 0 {
				fewer = append(fewer, k)
			}
		}
		if err := q.exec(ctx, t.adding("VALUES "+placeholders(len(some), len(t.key)+len(t.sums))), args...); err != nil {
			return err
		}
	}
	return t.sweep(ctx, q, fewer)
}

// adding adds the rows of a source to the table.
func (t countTable[K]) adding(source string) string {
	set := make([]string, len(t.sums))
	for i, sum := range t.sums {
		set[i] = fmt.Sprintf("%s = %s.%s + excluded.%s", sum, t.name, sum, sum)
	}
	key := strings.Join(t.key, ", ")
	return fmt.Sprintf("INSERT INTO %s (%s, %s) %s ON CONFLICT (%s) DO UPDATE SET %s",
		t.name, key, strings.Join(t.sums, ", "), source, key, strings.Join(set, ", "))
}

// sweep deletes those of the rows, which the transaction has changed, that are 0 now.
// Each alternative names a whole key, as in addToPath.
func (t countTable[K]) sweep(ctx context.Context, q Queries, keys []K) error {
	for some := range slices.Chunk(keys, bulkRows) {
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
		if err := q.exec(ctx, query, args...); err != nil {
			return err
		}
	}
	return nil
}

// writeCounts writes the deltas of all tables of counts.
func (tx *Tx) writeCounts(ctx context.Context) error {
	if err := contentCounts.write(ctx, tx.Queries, tx.counts); err != nil {
		return err
	}
	if err := adderCounts.write(ctx, tx.Queries, tx.adders); err != nil {
		return err
	}
	if err := updatedCounts.write(ctx, tx.Queries, tx.updated); err != nil {
		return err
	}
	err := byteCounts.write(ctx, tx.Queries, tx.bytes)
	tx.counts, tx.adders, tx.updated, tx.bytes = nil, nil, nil, nil
	return err
}
