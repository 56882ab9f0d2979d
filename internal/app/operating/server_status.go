package operating

import (
	"context"
	"errors"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
)

// ServerStatus contains details of a server for its operators.
type ServerStatus struct {
	Database string // sqlite or postgres
	Waiting  int64  // jobs
	Running  int64
	Failed   int64 // in the last week
}

// ServerStatus returns details of the server for an operator.
func (a *Operating) ServerStatus(ctx context.Context, actor domain.Actor) (f ServerStatus, err error) {
	if err := core.Operate(ctx, a.Store.Queries, actor); err != nil {
		return f, err
	}
	counts, err := a.Store.Queue().Counts(ctx)
	return ServerStatus{Database: a.Store.Database(), Waiting: counts[jobs.Waiting],
		Running: counts[jobs.Running], Failed: counts[jobs.Failed]}, err
}

// FailedJobs lists up to limit failed jobs for an operator, newest first.
func (a *Operating) FailedJobs(ctx context.Context, actor domain.Actor, limit int) ([]jobs.Job, error) {
	if err := core.Operate(ctx, a.Store.Queries, actor); err != nil {
		return nil, err
	}
	return a.Jobs(ctx, jobs.Failed, limit)
}

// RetryJobAs is RetryJob for an operator. It returns NotFound if there is no such job, and Unprocessable if it cannot be
// retried.
func (a *Operating) RetryJobAs(ctx context.Context, actor domain.Actor, id int64, force bool) error {
	if err := core.Operate(ctx, a.Store.Queries, actor); err != nil {
		return err
	}
	err := a.retryJob(ctx, actor, id, force)
	switch {
	case errors.Is(err, jobs.ErrNoJob):
		return domain.NewNotFound()
	case errors.Is(err, jobs.ErrNotRetried):
		return domain.NewUnprocessable("The job has not failed, or runs again already")
	case errors.Is(err, jobs.ErrAlive):
		return domain.NewUnprocessable("The job is running, and its process is alive")
	}
	return err
}
