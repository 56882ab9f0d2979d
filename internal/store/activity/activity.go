// Package activity is what people did, and who is told: activities, the feeds that are read
// from them, notifications, following itself, and forgetting what is gone.
//
// A source (the actor, the channel, the group that owns it) is a row of feed_sources. It
// is the lock between what is recorded and what ends an account or a group, and of who
// follows it; inboxes are locked after it, and last of all. Record and RecordAll come at
// the end of a transaction, once.
package activity

import (
	"context"

	"vitrine/internal/jobs"
	"vitrine/internal/store/sqlx"
)

// Reads are statements on one row.
type Reads struct{ db sqlx.Conn }

// NewReads gives the statements on a connection.
func NewReads(db sqlx.Conn) Reads { return Reads{db} }

// Lists count and read a page, or more than one row, of one consistent state.
type Lists struct{ db sqlx.Conn }

// NewLists gives the statements on a snapshot.
func NewLists(db sqlx.Conn) Lists { return Lists{db} }

// Queue takes the jobs of a transaction.
type Queue interface {
	Enqueue(ctx context.Context, job jobs.Args, options ...jobs.Option) error
}

// Writes are the statements of a transaction.
type Writes struct {
	db    sqlx.Conn
	queue Queue
}

// NewWrites gives the statements on the connection of a transaction.
func NewWrites(db sqlx.Conn, queue Queue) Writes { return Writes{db, queue} }
