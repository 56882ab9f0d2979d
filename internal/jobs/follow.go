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

// executor is that of a client with a pilot.
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
	if tx.pilot.first != nil { // it drains
		return false, nil
	}
	return tx.ExecutorTx.LeaderAttemptElect(ctx, params)
}

// JobSchedule implements riverdriver.Executor. River notifies the producers of jobs whose
// time has come by their queues, which are those of owners: name their classes.
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
