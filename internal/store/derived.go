package store

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

// derived is what follows from what a transaction has done and is written right before its
// commit: documents of search, counts, and that the account has written. On SQLite it is
// written once for all transactions that share the commit: a count in which they meet is
// changed once, and FTS5 writes their words as one segment.
type derived struct {
	by        *database.Tx // the transaction that has done it,
	conn      sqlx.Conn    // and its connection
	documents documents.Index
	deltas    counters.Deltas
	writer    domain.UserID // whose writes are counted, or 0
}

// empty reports whether there is nothing to write.
func (d *derived) empty() bool { return d.writer == 0 && d.documents.Empty() && d.deltas.Empty() }

// deferred is derived, left to be written by those who share the commit.
type deferred derived

// derivedTables has a part of the name of each table that derived writes, and of what is
// read of them by other names: search_closed by triggers, search_places of FTS5.
var derivedTables = [...]string{"search_", "group_items", "_counts", "byte_usage"}

// Concerns implements database.Deferred.
func (d *deferred) Concerns(query string) bool {
	for _, table := range derivedTables {
		if strings.Contains(query, table) {
			return true
		}
	}
	return false
}

// Write implements database.Deferred. It may be undone, and called again.
func (d *deferred) Write(ctx context.Context, tx *database.Tx, others []database.Deferred) error {
	db := d.conn
	if tx != d.by {
		db.Querier = tx
	}
	var deltas counters.Deltas
	var index documents.Index
	deltas.Use(db)
	index.Use(db, &deltas)
	deltas.Join(&d.deltas)
	index.Join(&d.documents)
	for _, other := range others {
		o := other.(*deferred)
		deltas.Join(&o.deltas)
		index.Join(&o.documents)
	}
	if err := index.Flush(ctx); err != nil {
		return err
	}
	if err := deltas.Flush(ctx); err != nil || d.writer == 0 {
		return err
	}
	return account.NewWrites(db).CountWrite(ctx, d.writer)
}
