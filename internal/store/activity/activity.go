// Package activity stores what people did and who is notified: activities, the feeds that are read
// from them, notifications, followings, and the deletion of all of these. It also stores the audit
// log, whose entries the database refuses to change, and to delete before they are 30 days old.
//
// A source (the actor, the channel, the group that owns it) is a row of feed_sources. Its lock
// protects its followers, and keeps an account or group from being deleted while its activities
// are recorded. Inboxes are locked after it, and after everything else. Record and RecordAll are
// called once, at the end of a transaction.
package activity

import (
	"context"

	"vitrine/internal/jobs"
	"vitrine/internal/store/sqlx"
)

// Reads contains statements on one row.
type Reads struct{ db sqlx.Conn }

// NewReads returns the statements on a connection.
func NewReads(db sqlx.Conn) Reads { return Reads{db} }

// Lists contains statements that count and read a page, or read several rows, of one consistent
// state.
type Lists struct{ Reads }

// NewLists returns the statements on a snapshot.
func NewLists(db sqlx.Conn) Lists { return Lists{NewReads(db)} }

// Queue enqueues jobs in the transaction.
type Queue interface {
	Enqueue(ctx context.Context, job jobs.Args, options ...jobs.Option) error
}

// Writes contains the statements of a transaction.
type Writes struct {
	Reads
	queue Queue
}

// NewWrites returns the statements on the connection of a transaction.
func NewWrites(db sqlx.Conn, queue Queue) Writes { return Writes{NewReads(db), queue} }
