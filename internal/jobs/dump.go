package jobs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"vitrine/internal/database"
)

// Dumped is a job that is copied to another database, where it gets a new id.
type Dumped struct {
	JobKind     string
	Args        json.RawMessage
	Queue       string // class and owner
	MaxAttempts int64
	At          time.Time // when it is due
}

// Kind implements Args.
func (c Dumped) Kind() string { return c.JobKind }

// MarshalJSON returns the arguments unchanged.
func (c Dumped) MarshalJSON() ([]byte, error) { return c.Args, nil }

// EachUnfinished calls visit with the jobs of a snapshot that are waiting or running. Running jobs run
// again in the other database.
func (q *Queue) EachUnfinished(ctx context.Context, on database.Querier, visit func(Dumped) error) error {
	at := "unixepoch(scheduled_at)"
	if q.db.Dialect() == database.Postgres {
		at = "CAST(floor(EXTRACT(EPOCH FROM scheduled_at)) AS BIGINT)"
	}
	rows, err := on.Query(ctx, `SELECT kind, CAST(args AS TEXT), queue, max_attempts, `+at+` FROM river_job
		WHERE state IN ('available', 'pending', 'scheduled', 'retryable', 'running') ORDER BY id`)
	if err != nil {
		return fmt.Errorf("jobs: read: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var c Dumped
		var args string
		var seconds int64
		if err := rows.Scan(&c.JobKind, &args, &c.Queue, &c.MaxAttempts, &seconds); err != nil {
			return database.Classify(ctx, err)
		}
		var compact bytes.Buffer // PostgreSQL reformats JSON
		if err := json.Compact(&compact, []byte(args)); err != nil {
			return fmt.Errorf("jobs: the arguments of a job of kind %.100q are not valid JSON: %w", c.JobKind, err)
		}
		c.Args, c.At = compact.Bytes(), time.Unix(seconds, 0).UTC()
		if err := visit(c); err != nil {
			return err
		}
	}
	return database.Classify(ctx, rows.Err())
}

// Add enqueues jobs that were copied from another database.
func (q *Queue) Add(ctx context.Context, tx *database.Tx, some []Dumped) error {
	all := make([]river.InsertManyParams, len(some))
	for i, c := range some {
		if !json.Valid(c.Args) {
			return fmt.Errorf("jobs: the arguments of a job of kind %.100q are not valid JSON", c.JobKind)
		}
		all[i] = river.InsertManyParams{Args: c, InsertOpts: &river.InsertOpts{Queue: c.Queue, MaxAttempts: int(c.MaxAttempts)}}
		if c.At.After(time.Now()) { // jobs that are due become available without a leader
			all[i].InsertOpts.ScheduledAt = c.At
		}
	}
	if len(all) == 0 {
		return nil
	}
	_, err := q.inserter.InsertManyTx(ctx, tx.SQL(), all)
	return database.Classify(ctx, err)
}
