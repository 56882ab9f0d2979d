package jobs

import (
	"context"

	"github.com/riverqueue/river/riverdriver"
)

// A client of River that is stopped while it becomes the leader hangs: its elector waits,
// with a lock, for somebody to hear of it, and who would hear waits for the lock to leave
// (River 0.31, leadership.Elector and handleLeadershipChangeLoop). A draining client stops
// as soon as it has started, so it never stands for election. It needs no leader: it has
// no periodic jobs, and works what is due.

// follower is an executor that is never elected.
type follower struct{ riverdriver.Executor }

// Begin implements riverdriver.Executor.
func (f follower) Begin(ctx context.Context) (riverdriver.ExecutorTx, error) {
	tx, err := f.Executor.Begin(ctx)
	if err != nil {
		return nil, err
	}
	return followerTx{tx}, nil
}

type followerTx struct{ riverdriver.ExecutorTx }

// LeaderAttemptElect implements riverdriver.Executor.
func (followerTx) LeaderAttemptElect(context.Context, *riverdriver.LeaderElectParams) (bool, error) {
	return false, nil
}

// executor is that of a client with a pilot.
func (p *pilot) executor(exec riverdriver.Executor) riverdriver.Executor {
	if p.first != nil { // it drains
		return follower{exec}
	}
	return exec
}

// GetExecutor implements riverdriver.Driver.
func (d pgDriver) GetExecutor() riverdriver.Executor { return d.pilot.executor(d.Driver.GetExecutor()) }

// GetExecutor implements riverdriver.Driver.
func (d liteDriver) GetExecutor() riverdriver.Executor {
	return d.pilot.executor(d.Driver.GetExecutor())
}
