package jobs

import (
	"context"

	"github.com/riverqueue/river/riverdriver"
)

// A River client deadlocks if it is stopped while it becomes the leader: its elector holds a lock while it
// waits for a goroutine to receive the news, and that goroutine waits for the lock (River 0.31,
// leadership.Elector and handleLeadershipChangeLoop). A draining client stops as soon as it has started,
// so it must never take part in an election. It does not need a leader, because it has no periodic jobs
// and only works jobs that are due.

// executor changes some statements of a client.
type executor struct {
	riverdriver.Executor
	pilot *pilot
}

// Begin implements riverdriver.Executor.
func (e executor) Begin(ctx context.Context) (riverdriver.ExecutorTx, error) {
	tx, err := e.Executor.Begin(ctx)
	if err != nil {
		return nil, err
	}
	return executorTx{tx, e.pilot}, nil
}

type executorTx struct {
	riverdriver.ExecutorTx
	pilot *pilot
}

// LeaderAttemptElect implements riverdriver.Executor.
func (tx executorTx) LeaderAttemptElect(ctx context.Context, params *riverdriver.LeaderElectParams) (bool, error) {
	if tx.pilot.first != nil { // draining
		return false, nil
	}
	return tx.ExecutorTx.LeaderAttemptElect(ctx, params)
}

// JobSchedule implements riverdriver.Executor. River notifies the producers of due jobs by queue name. Our
// queues are per owner, but producers listen for their class, so it replaces the names.
func (tx executorTx) JobSchedule(ctx context.Context, params *riverdriver.JobScheduleParams) ([]*riverdriver.JobScheduleResult, error) {
	scheduled, err := tx.ExecutorTx.JobSchedule(ctx, params)
	for _, res := range scheduled {
		res.Job.Queue = string(classOf(res.Job.Queue))
	}
	return scheduled, err
}

// GetExecutor implements riverdriver.Driver.
func (d pgDriver) GetExecutor() riverdriver.Executor {
	return executor{d.Driver.GetExecutor(), d.pilot}
}

// GetExecutor implements riverdriver.Driver.
func (d liteDriver) GetExecutor() riverdriver.Executor {
	return executor{d.Driver.GetExecutor(), d.pilot}
}
