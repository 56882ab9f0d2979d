// Package counters maintains the tables of counts: the items of users and groups (content_counts),
// the connections of each user in a channel (adder_counts), the times at which its blocks were
// changed (updated_counts), and stored bytes (byte_usage).
//
// Many transactions change the same counts. So a transaction registers its changes with Deltas and
// writes the sums once, right before its commit. Counts are the last rows that it locks, in the
// same order for all transactions, and only during the commit. Additions commute, so no
// transaction needs a lock to know a count.
package counters

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// Reads contains the statements that change nothing.
type Reads struct{ db sqlx.Conn }

// NewReads returns the statements on a connection.
func NewReads(db sqlx.Conn) Reads { return Reads{db} }

// Writes contains the statements of a transaction on counts that are locked before they change:
// the byte quotas of users.
type Writes struct{ Reads }

// NewWrites returns the statements on the connection of a transaction.
func NewWrites(db sqlx.Conn) Writes { return Writes{NewReads(db)} }

// Deltas contains what one transaction adds to counts. The store flushes it before the commit.
//
// Content, Contents, Connection, BlockTime, TouchBlock, File, Unused and ChannelTouched register
// changes.
type Deltas struct {
	db sqlx.Conn

	contents deltas[contentKey]
	adders   deltas[adderKey]
	updated  deltas[updatedKey]
	bytes    deltas[domain.UserID]

	touched        []domain.ChannelID // their rows in lists have an old updated_at
	touchedInGroup bool               // a group owns one of them
}

// Use runs the statements on the connection of a transaction.
func (d *Deltas) Use(db sqlx.Conn) { d.db = db }

// Empty reports whether nothing is registered.
func (d *Deltas) Empty() bool {
	return len(d.contents)+len(d.adders)+len(d.updated)+len(d.bytes)+len(d.touched) == 0
}

// Join adds what is registered with o, which keeps it.
func (d *Deltas) Join(o *Deltas) {
	d.contents.join(o.contents)
	d.adders.join(o.adders)
	d.updated.join(o.updated)
	d.bytes.join(o.bytes)
	d.touched, d.touchedInGroup = append(d.touched, o.touched...), d.touchedInGroup || o.touchedInGroup
}

// Flush writes all registered changes. It writes rows of lists first, like transactions that write
// those directly, and then the counts, table by table and in the order of their keys. So two
// transactions cannot deadlock.
func (d *Deltas) Flush(ctx context.Context) error {
	if err := d.writeTouched(ctx); err != nil {
		return err
	}
	return d.FlushCounts(ctx)
}

// FlushCounts writes only the counts, for statements that compare them with the counted rows.
func (d *Deltas) FlushCounts(ctx context.Context) error {
	if err := contentCounts.write(ctx, d.db, d.contents); err != nil {
		return err
	}
	if err := adderCounts.write(ctx, d.db, d.adders); err != nil {
		return err
	}
	if err := updatedCounts.write(ctx, d.db, d.updated); err != nil {
		return err
	}
	err := byteCounts.write(ctx, d.db, d.bytes)
	d.contents, d.adders, d.updated, d.bytes = nil, nil, nil, nil
	return err
}

// ChannelTouched registers that the updated_at of a locked channel has changed.
func (d *Deltas) ChannelTouched(id domain.ChannelID, owner domain.PrincipalType) {
	d.touched = append(d.touched, id)
	d.touchedInGroup = d.touchedInGroup || owner == domain.TypeGroup
}

// writeTouched copies the times of change of channels to their rows in lists, once per channel and
// transaction. The channels that contain them have no copy, since there may be thousands.
func (d *Deltas) writeTouched(ctx context.Context) error {
	if len(d.touched) == 0 {
		return nil
	}
	slices.Sort(d.touched)
	touched := slices.Compact(d.touched)
	which, ids := d.db.In("item_id", "$1"), sqlx.IDs(d.db.Dialect, touched)
	if len(touched) == 1 { // SQLite writes a single row without a statement journal
		which, ids = "item_id = $1", touched[0]
	}
	const theirs = ` SET updated_at = (SELECT ch.updated_at FROM channels ch WHERE ch.id = item_id) WHERE kind = 'Channel' AND `
	err := d.db.Later(ctx, "UPDATE search_documents"+theirs+which, ids)
	if err == nil && d.touchedInGroup {
		err = d.db.Later(ctx, "UPDATE group_items"+theirs+which, ids)
	}
	d.touched, d.touchedInGroup = nil, false
	return err
}

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
