// Package jobs is the queue: work that is enqueued in the transaction that needs
// it, run after the commit by whichever server is free, retried when it fails, and
// taken over by another server when one dies. It is River behind a small
// interface, on both databases, and knows no kind of job.
//
// A job runs at least once: every handler must be such that running it twice does
// no harm.
package jobs

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivertype"

	"vitrine/internal/database"
	"vitrine/internal/obs"
	"vitrine/internal/obs/trace"
)

// MaxAttempts is how often a job is tried unless Attempts says otherwise. With the
// back-off of Backoff the last try is nearly two days after the first.
const MaxAttempts = 20

// Args are the arguments of a job: a struct that JSON can encode. They are kept in
// the database until a day after the job is done, or a week after it was given
// up, and anybody who reads the database reads them: put no secrets there.
type Args interface {
	// Kind names the job: letters, digits, "_" and "-". It must never change while
	// such jobs may be waiting.
	Kind() string
}

// Queue takes jobs within transactions. It is safe for concurrent use.
type Queue struct {
	db       *database.DB
	inserter *river.Client[*sql.Tx]
	waker    atomic.Pointer[func()] // of the workers of this process, on SQLite
}

// NewQueue makes the queue of a database, which must have the tables of Migrate
// before anything is enqueued.
func NewQueue(db *database.DB) *Queue {
	driver := inserting{riversqlite.New(nil)}
	if db.Dialect() == database.Postgres {
		driver.Driver = riverdatabasesql.New(nil)
	}
	inserter, err := river.NewClient(driver, &river.Config{
		Logger:      slog.New(slog.DiscardHandler),
		MaxAttempts: MaxAttempts,
		// River notifies listeners of new jobs at most once in this time, and a
		// notification that is rolled back counts.
		FetchCooldown: time.Millisecond,
	})
	if err != nil {
		panic(err) // the configuration is constant
	}
	return &Queue{db: db, inserter: inserter}
}

// Option changes how one job is enqueued.
type Option func(*river.InsertOpts)

// Attempts bounds how often a job is tried.
func Attempts(n int) Option {
	return func(o *river.InsertOpts) { o.MaxAttempts = n }
}

// At has a job wait until a time.
func At(t time.Time) Option {
	return func(o *river.InsertOpts) { o.ScheduledAt = t.UTC() }
}

// Unique has a job enqueued only if none of the same kind and arguments is waiting
// or running. It is for work that reads what there is to do when it begins: a
// change made while such a job runs may be missed by it, and enqueues no other.
func Unique() Option {
	return func(o *river.InsertOpts) {
		o.UniqueOpts = river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{
			rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable,
			rivertype.JobStateRunning, rivertype.JobStateScheduled,
		}}
	}
}

// Enqueue notes a job in a transaction: it runs after the commit, and never if there
// is none. An error ends the transaction, so return it. Call Wake after the commit. What ctx
// knows of where the work comes from (obs.Origin) goes along, for the log.
func (q *Queue) Enqueue(ctx context.Context, tx *database.Tx, args Args, options ...Option) error {
	o := classed(args)
	for _, option := range options {
		option(&o)
	}
	ctx, span := trace.Start(ctx, trace.Producer, "enqueue")
	defer span.End()
	span.Text("vitrine.job.kind", args.Kind())
	if origin := obs.OriginOf(ctx); origin != (obs.Origin{}) {
		o.Metadata, _ = json.Marshal(origin) // strings always encode
	}
	if _, err := q.inserter.InsertTx(ctx, tx.SQL(), args, &o); err != nil {
		span.Fail("")
		return fmt.Errorf("jobs: enqueue %s: %w", args.Kind(), database.Classify(ctx, err))
	}
	return nil
}

// Wake has the workers of this process look for jobs at once. PostgreSQL tells all
// workers by itself, and other processes on SQLite find a job when they look the
// next time.
func (q *Queue) Wake() {
	if wake := q.waker.Load(); wake != nil {
		(*wake)()
	}
}
