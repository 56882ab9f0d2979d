package jobs

import (
	"context"
	"log/slog"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"

	"vitrine/internal/database"
	"vitrine/internal/jobs/adapter"
)

// Rescue runs the rescuer once, and returns the number of jobs that it put back.
func Rescue(ctx context.Context, w *Workers) (int64, error) { return w.newRescuer().rescue(ctx) }

// Picker picks jobs of the class Content like a producer.
type Picker struct {
	*picker
	lock adapter.Lock
}

// NewPicker returns a picker of a client that is not started.
func NewPicker(w *Workers) *Picker {
	c, err := w.connect("")
	if err != nil {
		panic(err)
	}
	var exec riverdriver.Executor
	if db := w.queue.db; db.Dialect() == database.Postgres {
		exec = riverpgxv5.New(database.Pool(db)).GetExecutor()
	} else {
		exec = riversqlite.New(db.SQL()).GetExecutor()
	}
	return &Picker{w.newPicker(Content, c.plugin, nil), func(ctx context.Context, queue string, limit int) ([]*rivertype.JobRow, error) {
		got, err := exec.JobGetAvailable(ctx, &riverdriver.JobGetAvailableParams{ClientID: "test", MaxAttemptedBy: 1, Queue: queue, MaxToLock: limit})
		if err != nil {
			return nil, err
		}
		return got.Jobs, nil
	}}
}

// Pick returns the jobs for a number of free workers.
func (k *Picker) Pick(ctx context.Context, free int) ([]*rivertype.JobRow, error) {
	return k.Fetch(ctx, free, k.lock)
}

// Due returns the query for queues with a due job.
func (k *Picker) Due() string { return k.query }

// SomeStates is like States, but with a limit per state.
func (q *Queue) SomeStates(ctx context.Context, limit int) ([]ClassState, error) {
	return q.states(ctx, limit)
}

// Elects reports whether a client with a name, or a draining one without, takes part in elections.
func Elects(w *Workers, name string) bool { return !w.config(pollSQLite, name).LeaderElectionDisabled }

// MigrateToLatest applies all migrations of River, like a later version of the program.
func MigrateToLatest(ctx context.Context, db *database.DB) error {
	if db.Dialect() == database.Postgres {
		return migrateToLatest(ctx, riverpgxv5.New(database.Pool(db)))
	}
	return migrateToLatest(ctx, riversqlite.New(db.SQL()))
}

func migrateToLatest[T any](ctx context.Context, driver riverdriver.Driver[T]) error {
	m, err := rivermigrate.New(driver, &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err == nil {
		_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
	}
	return err
}
