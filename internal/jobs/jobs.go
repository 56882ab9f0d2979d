// Package jobs is a job queue. Jobs are enqueued in a transaction, run after its commit on any server,
// retried after failures, and taken over by another server if theirs dies. It wraps River for both
// databases, and does not know any kind of job.
//
// A job runs at least once, so handlers must be idempotent.
package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"vitrine/internal/database"
	"vitrine/internal/jobs/adapter"
	"vitrine/internal/obs"
)

// MaxAttempts is the default maximum number of attempts. With Backoff, the last attempt is almost two days
// after the first.
const MaxAttempts = 20

// Args are the arguments of a job, encoded as JSON. They stay in the database for a day after the job is
// done, or a week after it has failed. They must not contain secrets, because anyone with access to the
// database can read them.
type Args interface {
	// Kind returns the kind of the job: letters, digits, "_" and "-". It must not change while such
	// jobs may be waiting.
	Kind() string
}

// Queue enqueues jobs in transactions. It is safe for concurrent use.
type Queue struct {
	db       *database.DB
	inserter adapter.Inserter
	waker    atomic.Pointer[func()] // wakes the workers of this process, on SQLite
}

// NewQueue returns the queue of a database. Migrate must create its tables before the first job is
// enqueued.
func NewQueue(db *database.DB) *Queue {
	inserter, err := adapter.NewInserter(db.Dialect(), producerOf, &river.Config{
		Logger:      slog.New(slog.DiscardHandler),
		MaxAttempts: MaxAttempts,
		// River sends at most one notification of new jobs in this interval, and counts those
		// that are rolled back.
		FetchCooldown: time.Millisecond,
	})
	if err != nil {
		panic(err) // impossible: the configuration is constant
	}
	return &Queue{db: db, inserter: inserter}
}

// Option configures a job.
type Option func(*river.InsertOpts)

// Attempts limits the number of attempts.
func Attempts(n int) Option {
	return func(o *river.InsertOpts) { o.MaxAttempts = n }
}

// At schedules a job for a time.
func At(t time.Time) Option {
	return func(o *river.InsertOpts) { o.ScheduledAt = t.UTC() }
}

// Unique enqueues the job only if none with the same kind and arguments is waiting or running. Use it for
// jobs that determine their work when they start. Changes during a run may be missed, because they
// enqueue no further job.
func Unique() Option {
	return func(o *river.InsertOpts) {
		o.UniqueOpts = river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{
			rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable,
			rivertype.JobStateRunning, rivertype.JobStateScheduled,
		}}
	}
}

// Enqueue adds a job in a transaction. The job runs after the commit. An error aborts the transaction, so
// return it. Call Wake after the commit. The cause is stored with the job for its log messages; if ctx is
// traced, its span replaces the trace of the cause.
func (q *Queue) Enqueue(ctx context.Context, tx *database.Tx, cause obs.Origin, args Args, options ...Option) error {
	o := classed(args)
	for _, option := range options {
		option(&o)
	}
	ctx, span := obs.StartSpan(ctx, obs.ProducerSpan, "enqueue")
	defer span.End()
	span.Text("vitrine.job.kind", args.Kind())
	if current := obs.SpanOf(ctx); current != nil {
		cause.Trace = current.Traceparent()
	}
	if cause != (obs.Origin{}) {
		o.Metadata, _ = json.Marshal(cause) // strings can always be encoded
	}
	if _, err := q.inserter.InsertTx(ctx, tx.SQL(), args, &o); err != nil {
		span.Fail("")
		return fmt.Errorf("jobs: enqueue %s: %w", args.Kind(), database.Classify(ctx, err))
	}
	return nil
}

// Wake makes the workers of this process fetch jobs immediately. On PostgreSQL all workers are notified by
// the database. On SQLite, other processes find the job at their next poll.
func (q *Queue) Wake() {
	if wake := q.waker.Load(); wake != nil {
		(*wake)()
	}
}
