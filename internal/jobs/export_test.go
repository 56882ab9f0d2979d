package jobs

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"

	"vitrine/internal/database"
)

// Fetch gives what looks for jobs of the class Content, on SQLite.
func Fetch(w *Workers) func(ctx context.Context) (int, error) {
	p := newPilot(w.queue.db)
	exec := riversqlite.New(w.queue.db.SQL()).GetExecutor()
	state := newTurns(p, Content)
	return func(ctx context.Context) (int, error) {
		found, err := p.JobGetAvailable(ctx, exec, state, &riverdriver.JobGetAvailableParams{
			ClientID: "test", MaxAttemptedBy: 1, MaxToLock: 1})
		return len(found), err
	}
}

// Elected has a client that drains, or stays, stand for election, and gives the outcome,
// which is taken back.
func Elected(ctx context.Context, w *Workers, draining bool) (elected bool, err error) {
	p := newPilot(w.queue.db)
	if draining {
		p.first = make(chan fetched, 1)
	}
	var exec riverdriver.Executor
	if db := w.queue.db; db.Dialect() == database.Postgres {
		exec = pgDriver{Driver: riverpgxv5.New(db.Pool()), pilot: p}.GetExecutor()
	} else {
		exec = liteDriver{riversqlite.New(db.SQL()), p}.GetExecutor()
	}
	tx, err := exec.Begin(ctx)
	if err != nil {
		return false, err
	}
	elected, err = tx.LeaderAttemptElect(ctx, &riverdriver.LeaderElectParams{LeaderID: "test", TTL: time.Minute})
	return elected, errors.Join(err, tx.Rollback(ctx))
}

// Rescue looks once for jobs that were cut off, and gives how many it put back.
func Rescue(ctx context.Context, w *Workers) (int64, error) { return w.newRescuer().rescue(ctx) }
