// Package counters has the tables of counts: what somebody made and what a group has
// (content_counts), what each user connected to a channel (adder_counts) and when its
// blocks were changed (updated_counts), and bytes that are stored (byte_usage).
//
// Counts are rows that many transactions change. So a transaction registers with Deltas
// what it adds, wherever it changes what is counted, and writes the sums once, right
// before its commit: counts are the last rows that it locks, in one order for all, and
// only while it commits. What is added commutes, so that nobody needs a lock to know what
// a count is.
package counters

import (
	"context"
	"slices"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// Reads are the statements that change nothing.
type Reads struct{ db sqlx.Conn }

// NewReads gives the statements on a connection.
func NewReads(db sqlx.Conn) Reads { return Reads{db} }

// Writes are the statements of a transaction on counts that are locked before they are
// changed: how much room a user has for bytes.
type Writes struct{ db sqlx.Conn }

// NewWrites gives the statements on the connection of a transaction.
func NewWrites(db sqlx.Conn) Writes { return Writes{db} }

// Deltas is what one transaction adds to counts. The store flushes it before the commit.
//
// Registering: Content and Contents, Connection, BlockTime and TouchBlock, File and
// Unused, ChannelTouched.
type Deltas struct {
	db sqlx.Conn

	contents deltas[contentKey]
	adders   deltas[adderKey]
	updated  deltas[updatedKey]
	bytes    deltas[domain.UserID]

	touched        []domain.ChannelID // whose rows in lists have an older updated_at
	touchedInGroup bool               // a group owns one of them
}

// Use runs the statements on the connection of a transaction.
func (d *Deltas) Use(db sqlx.Conn) { d.db = db }

// Empty reports whether nothing is registered.
func (d *Deltas) Empty() bool {
	return len(d.contents)+len(d.adders)+len(d.updated)+len(d.bytes)+len(d.touched) == 0
}

// Join registers what is registered with others, which keep it.
func (d *Deltas) Join(o *Deltas) {
	d.contents.join(o.contents)
	d.adders.join(o.adders)
	d.updated.join(o.updated)
	d.bytes.join(o.bytes)
	d.touched, d.touchedInGroup = append(d.touched, o.touched...), d.touchedInGroup || o.touchedInGroup
}

// Flush writes everything that is registered. Rows of lists come first, as they do where
// a transaction writes them at once; then the counts, table by table and each in the order
// of its keys, so that two transactions never wait for each other.
func (d *Deltas) Flush(ctx context.Context) error {
	if err := d.writeTouched(ctx); err != nil {
		return err
	}
	return d.FlushCounts(ctx)
}

// FlushCounts writes the counts alone, for statements that compare them with what is
// counted.
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

// ChannelTouched registers that the updated_at of a locked channel has moved.
func (d *Deltas) ChannelTouched(id domain.ChannelID, owner domain.PrincipalType) {
	d.touched = append(d.touched, id)
	d.touchedInGroup = d.touchedInGroup || owner == domain.TypeGroup
}

// writeTouched carries the times of change of channels to their rows in lists, once for
// each channel however much the transaction added to it. The channels that they are in
// keep no copy, for there may be thousands.
func (d *Deltas) writeTouched(ctx context.Context) error {
	if len(d.touched) == 0 {
		return nil
	}
	slices.Sort(d.touched)
	touched := slices.Compact(d.touched)
	which, ids := d.db.In("item_id", "$1"), sqlx.IDs(d.db.Dialect, touched)
	if len(touched) == 1 { // SQLite writes one row without noting how to take it back
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
