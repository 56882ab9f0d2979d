// Package derived maintains the values that derive from others. Right before the commit of a
// transaction it writes what derives from its changes: search documents, counts, and the number of
// the account's writes. It is written once for all transactions that share the commit, so that a
// common count is changed once, and FTS5 writes their words as one segment.
//
// Its checks compare the facts about channels, blocks, users and files with the values derived
// from them, and repair those. Other packages of the store check their own tables. Backfills
// report how much jobs have yet to fill in for rows from before an upgrade.
package derived

import (
	"context"
	"slices"
	"strings"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/account"
	"vitrine/internal/store/counters"
	"vitrine/internal/store/search"
	"vitrine/internal/store/sqlx"
)

// Derived contains what a transaction writes at its end.
type Derived struct {
	Documents search.Index
	Deltas    counters.Deltas
	Writer    domain.UserID // whose writes are counted, or 0

	by      *database.Tx
	db      sqlx.Conn // connection of by
	spelled *search.Spelled
	written []string // words of other transactions that Write has written
}

// Use makes a transaction write it on its connection, unless another one that shares the commit
// does. It does not write the words in spelled again.
func (d *Derived) Use(by *database.Tx, db sqlx.Conn, spelled *search.Spelled) {
	d.by, d.db, d.spelled = by, db, spelled
	d.Documents.Use(db, &d.Deltas, spelled)
	d.Deltas.Use(db)
}

// Defer schedules the write, if there is anything to write. The write must depend only on the data
// here and on the tables that it changes, because other transactions that share the commit may
// have changed what this one has read.
func (d *Derived) Defer(ctx context.Context) error {
	if err := d.Documents.Settle(ctx); err != nil {
		return err
	}
	if d.Writer != 0 || !d.Documents.Empty() || !d.Deltas.Empty() {
		d.by.Defer(d)
	}
	return nil
}

// tables contains a part of the name of each table that is written, including those that queries
// read under other names: triggers write search_closed, and FTS5 writes search_places.
var tables = [...]string{"search_", "group_items", "_counts", "byte_usage"}

// Committed remembers the written words, after the commit.
func (d *Derived) Committed() {
	d.spelled.Add(d.Documents.Written())
	d.spelled.Add(d.written)
}

// Concerns implements database.Deferred.
func (d *Derived) Concerns(query string) bool {
	for _, table := range tables {
		if strings.Contains(query, table) {
			return true
		}
	}
	return false
}

// Write implements database.Deferred. It may be rolled back and called again.
func (d *Derived) Write(ctx context.Context, tx *database.Tx, others []database.Deferred) error {
	db := d.db
	if tx != d.by {
		db.Querier = tx
	}
	var deltas counters.Deltas
	var index search.Index
	deltas.Use(db)
	index.Use(db, &deltas, d.spelled)
	deltas.Join(&d.Deltas)
	index.Join(&d.Documents)
	writers := []domain.UserID{d.Writer}
	for _, other := range others {
		o := other.(*Derived)
		deltas.Join(&o.Deltas)
		index.Join(&o.Documents)
		writers = append(writers, o.Writer)
	}
	if err := index.Flush(ctx); err != nil {
		return err
	}
	d.written = index.Written()
	if err := deltas.Flush(ctx); err != nil {
		return err
	}
	slices.Sort(writers) // the order in which their rows are locked
	for _, user := range slices.Compact(writers) {
		if user == 0 {
			continue
		}
		if err := account.NewWrites(db).CountWrite(ctx, user); err != nil {
			return err
		}
	}
	return nil
}
