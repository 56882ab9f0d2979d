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

// Dumped is a job that is carried from one database to another, where it gets another id.
type Dumped struct {
	JobKind     string
	Args        json.RawMessage
	Queue       string // its class and owner
	MaxAttempts int64
	At          time.Time // when it is to run
}

// Kind implements Args.
func (c Dumped) Kind() string { return c.JobKind }

// MarshalJSON gives the arguments as they were.
func (c Dumped) MarshalJSON() ([]byte, error) { return c.Args, nil }

// EachUnfinished visits the jobs that wait or run, as a snapshot has them. One that runs will
// be run again where it is carried to.
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
		var compact bytes.Buffer // PostgreSQL writes JSON in its own way
		if err := json.Compact(&compact, []byte(args)); err != nil {
			return fmt.Errorf("jobs: the arguments of a job of the kind %.100q: %w", c.JobKind, err)
		}
		c.Args, c.At = compact.Bytes(), time.Unix(seconds, 0).UTC()
		if err := visit(c); err != nil {
			return err
		}
	}
	return database.Classify(ctx, rows.Err())
}

// Add notes jobs that were carried from another database.
func (q *Queue) Add(ctx context.Context, tx *database.Tx, some []Dumped) error {
	all := make([]river.InsertManyParams, len(some))
	for i, c := range some {
		if !json.Valid(c.Args) {
			return fmt.Errorf("jobs: the arguments of a job of the kind %.100q are no JSON", c.JobKind)
		}
		all[i] = river.InsertManyParams{Args: c, InsertOpts: &river.InsertOpts{Queue: c.Queue, MaxAttempts: int(c.MaxAttempts)}}
		if c.At.After(time.Now()) { // what is due waits for nobody who leads
			all[i].InsertOpts.ScheduledAt = c.At
		}
	}
	if len(all) == 0 {
		return nil
	}
	_, err := q.inserter.InsertManyTx(ctx, tx.SQL(), all)
	return database.Classify(ctx, err)
}
