package jobs

import (
	"context"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riversqlite"
)

// Fetch gives what looks for jobs, on SQLite.
func Fetch(w *Workers) func(ctx context.Context) (int, error) {
	p := &pilot{look: w.queue.db.Reader()}
	exec := riversqlite.New(w.queue.db.SQL()).GetExecutor()
	return func(ctx context.Context) (int, error) {
		found, err := p.JobGetAvailable(ctx, exec, nil, &riverdriver.JobGetAvailableParams{
			ClientID: "test", MaxAttemptedBy: 1, MaxToLock: 1, Queue: "default"})
		return len(found), err
	}
}

// Rescue looks once for jobs that were cut off, and gives how many it put back.
func Rescue(ctx context.Context, w *Workers) (int64, error) { return w.newRescuer().rescue(ctx) }
