// Package derived is what follows from what a transaction has done and is written right
// before its commit: documents of search, counts, and that the account has written. On SQLite
// it is written once for all transactions that share the commit: a count in which they meet is
// changed once, and FTS5 writes their words as one segment.
package derived

import (
	"context"
	"strings"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/account"
	"vitrine/internal/store/counters"
	"vitrine/internal/store/documents"
	"vitrine/internal/store/sqlx"
)

// Derived is what a transaction has to write at its end.
type Derived struct {
	Documents documents.Index
	Deltas    counters.Deltas
	Writer    domain.UserID // whose writes are counted, or 0

	by *database.Tx // the transaction,
	db sqlx.Conn    // and its connection
}

// Use has it written by a transaction on its connection, unless others that share the commit
// write it.
func (d *Derived) Use(by *database.Tx, db sqlx.Conn) {
	d.by, d.db = by, db
	d.Documents.Use(db, &d.Deltas)
	d.Deltas.Use(db)
}

// Defer leaves it to be written, if there is anything. What is written then rests on nothing but
// what is known here and the tables that it is written to: of others that share the commit some
// may have changed what this transaction has read.
func (d *Derived) Defer(ctx context.Context) error {
	if err := d.Documents.Settle(ctx); err != nil {
		return err
	}
	if d.Writer != 0 || !d.Documents.Empty() || !d.Deltas.Empty() {
		d.by.Defer(d)
	}
	return nil
}

// tables has a part of the name of each table that is written, and of what is
// read of them by other names: search_closed by triggers, search_places of FTS5.
var tables = [...]string{"search_", "group_items", "_counts", "byte_usage"}

// Concerns implements database.Deferred.
func (d *Derived) Concerns(query string) bool {
	for _, table := range tables {
		if strings.Contains(query, table) {
			return true
		}
	}
	return false
}

// Write implements database.Deferred. It may be undone, and called again.
func (d *Derived) Write(ctx context.Context, tx *database.Tx, others []database.Deferred) error {
	db := d.db
	if tx != d.by {
		db.Querier = tx
	}
	var deltas counters.Deltas
	var index documents.Index
	deltas.Use(db)
	index.Use(db, &deltas)
	deltas.Join(&d.Deltas)
	index.Join(&d.Documents)
	for _, other := range others {
		o := other.(*Derived)
		deltas.Join(&o.Deltas)
		index.Join(&o.Documents)
	}
	if err := index.Flush(ctx); err != nil {
		return err
	}
	if err := deltas.Flush(ctx); err != nil || d.Writer == 0 {
		return err
	}
	return account.NewWrites(db).CountWrite(ctx, d.Writer)
}
