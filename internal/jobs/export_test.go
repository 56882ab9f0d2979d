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

// Fetch gives what looks for jobs of the class Content, on SQLite.
func Fetch(w *Workers) func(ctx context.Context) (int, error) {
	p := newPilot(w.queue.db, w.handlers)
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

// Rescue looks once for jobs that were cut off, and gives how many it put back.
func Rescue(ctx context.Context, w *Workers) (int64, error) { return w.newRescuer().rescue(ctx) }

// Picker picks jobs of the class Content as a producer with so many free workers does.
type Picker struct {
	turns *turns
	exec  riverdriver.Executor
}

// NewPicker makes one that has had no turn.
func NewPicker(w *Workers) *Picker {
	p := newPilot(w.queue.db, w.handlers)
	k := &Picker{turns: newTurns(p, Content)}
	p.notify = func(context.Context, []*rivertype.JobInsertResult) {}
	if db := w.queue.db; db.Dialect() == database.Postgres {
		k.exec = pgDriver{Driver: riverpgxv5.New(db.Pool()), pilot: p}.GetExecutor()
	} else {
		k.exec = liteDriver{riversqlite.New(db.SQL()), p}.GetExecutor()
	}
	return k
}

// Pick gives the jobs that are picked for free workers.
func (k *Picker) Pick(ctx context.Context, free int) ([]*rivertype.JobRow, error) {
	return k.turns.pick(ctx, k.exec, &riverdriver.JobGetAvailableParams{ClientID: "test", MaxAttemptedBy: 1, MaxToLock: free})
}

// Finish tells that a job has ended.
func (k *Picker) Finish(job *rivertype.JobRow) { k.turns.JobFinish(job) }

// Due is the query for the queues that have a job which is due.
func (k *Picker) Due() string { return k.turns.pilot.due }

// SomeStates tells how the jobs of each class do by so many of each state.
func (q *Queue) SomeStates(ctx context.Context, most int) ([]ClassState, error) {
	return q.states(ctx, most)
}
