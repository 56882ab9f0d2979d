package jobs

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivertype"

	"vitrine/internal/database"
)

// Fetch returns a function that fetches jobs of the class Content on SQLite.
func Fetch(w *Workers) func(ctx context.Context) (int, error) {
	p := newPilot(w.queue.db, w.handlers)
	exec := riversqlite.New(w.queue.db.SQL()).GetExecutor()
	state := newPicker(p, Content)
	return func(ctx context.Context) (int, error) {
		found, err := p.JobGetAvailable(ctx, exec, state, &riverdriver.JobGetAvailableParams{
			ClientID: "test", MaxAttemptedBy: 1, MaxToLock: 1})
		return len(found), err
	}
}

// Elected reports whether a client wins an election, and undoes it.
func Elected(ctx context.Context, w *Workers, draining bool) (elected bool, err error) {
	p := newPilot(w.queue.db, w.handlers)
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

// Rescue runs the rescuer once, and returns the number of jobs that it put back.
func Rescue(ctx context.Context, w *Workers) (int64, error) { return w.newRescuer().rescue(ctx) }

// Picker picks jobs of the class Content like a producer.
type Picker struct {
	picker *picker
	exec   riverdriver.Executor
}

// NewPicker returns a picker.
func NewPicker(w *Workers) *Picker {
	p := newPilot(w.queue.db, w.handlers)
	k := &Picker{picker: newPicker(p, Content)}
	p.notify = func(context.Context, []*rivertype.JobInsertResult) {}
	if db := w.queue.db; db.Dialect() == database.Postgres {
		k.exec = pgDriver{Driver: riverpgxv5.New(db.Pool()), pilot: p}.GetExecutor()
	} else {
		k.exec = liteDriver{riversqlite.New(db.SQL()), p}.GetExecutor()
	}
	return k
}

// Pick returns the jobs for a number of free workers.
func (k *Picker) Pick(ctx context.Context, free int) ([]*rivertype.JobRow, error) {
	return k.picker.pick(ctx, k.exec, &riverdriver.JobGetAvailableParams{ClientID: "test", MaxAttemptedBy: 1, MaxToLock: free})
}

// Finish reports the end of a job.
func (k *Picker) Finish(job *rivertype.JobRow) { k.picker.JobFinish(job) }

// Due returns the query for queues with a due job.
func (k *Picker) Due() string { return k.picker.pilot.due }

// SomeStates is like States, but with a limit per state.
func (q *Queue) SomeStates(ctx context.Context, limit int) ([]ClassState, error) {
	return q.states(ctx, limit)
}
