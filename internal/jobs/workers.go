package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"vitrine/internal/obs/trace"
)

// Defaults of Options.
const (
	defaultConcurrency = 4
	defaultTimeout     = time.Minute
	rescueMargin       = 30 * time.Second
)

// cancelGrace is how long cancelled handlers have to return when Stop's time is up.
const cancelGrace = 3 * time.Second

// Options say how jobs are worked.
type Options struct {
	Concurrency int           // jobs of the class Content at once in this process; 4 by default
	Timeout     time.Duration // after which a job's context is done; 1 minute by default

	// RescueAfter is how long a job may have been running before it is tried again
	// although its process seems to be alive: Timeout and half a minute by default,
	// and never less than Timeout.
	RescueAfter time.Duration

	// Backoff gives the wait after a failed attempt, the first being 1; Backoff of
	// this package by default.
	Backoff func(attempt int) time.Duration

	// Fit returns an error that is database.ErrNewerSchema once the database serves this
	// program no more, which then works no jobs; nil where that is never so.
	Fit func(ctx context.Context) error

	// Observe is called after every run of a job: its kind, how it ended and how long it
	// took. It must be quick and safe for concurrent use; nil for nobody.
	Observe func(kind string, outcome Outcome, took time.Duration)

	// Tracer makes each run a span below what enqueued the job; nil for none.
	Tracer *trace.Tracer
}

// Workers work the jobs of a queue in this process.
type Workers struct {
	queue    *Queue
	log      *slog.Logger
	handlers *Handlers
	options  Options

	mu      sync.Mutex
	running *keeper
}

// client is the part of river.Client that is the same for both databases.
type client interface {
	Start(ctx context.Context) error
	Stop(ctx context.Context) error
	StopAndCancel(ctx context.Context) error
	JobList(ctx context.Context, params *river.JobListParams) (*river.JobListResult, error)
	JobRetry(ctx context.Context, id int64) (*rivertype.JobRow, error)
}

var errRunning = errors.New("jobs: the workers are running")

// New makes workers that do nothing yet.
func New(q *Queue, log *slog.Logger, h *Handlers, o Options) *Workers {
	o.Concurrency = cmp.Or(o.Concurrency, defaultConcurrency)
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	o.RescueAfter = max(cmp.Or(o.RescueAfter, o.Timeout+rescueMargin), o.Timeout)
	if o.Backoff == nil {
		o.Backoff = Backoff
	}
	if o.Fit == nil {
		o.Fit = func(context.Context) error { return nil }
	}
	if o.Observe == nil {
		o.Observe = func(string, Outcome, time.Duration) {}
	}
	return &Workers{queue: q, log: log, handlers: h, options: o}
}

// Start works jobs until Stop. The end of ctx does not end them.
func (w *Workers) Start(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running != nil {
		return errRunning
	}
	first, err := w.begin(ctx)
	if err != nil {
		return err
	}
	w.running = w.keep(first)
	return nil
}

// Stop takes no more jobs and lets those in progress finish. When ctx is done before
// they are, it cancels them: they are put back and run again, here or elsewhere. It
// fails if some do not stop; these run again when this process has ended.
func (w *Workers) Stop(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running == nil {
		return nil
	}
	last := w.running.stop()
	w.running = nil
	if last == nil {
		return nil
	}
	return w.end(ctx, last)
}

func stop(ctx context.Context, c client) error {
	if c.Stop(ctx) == nil {
		return nil
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelGrace)
	defer cancel()
	if err := c.StopAndCancel(grace); err != nil {
		return fmt.Errorf("jobs: some do not end when cancelled: %w", err)
	}
	return nil
}

// Drain works all jobs that are due, and those that they enqueue, and returns when
// there are none. It is for tests and tools; the workers must not be running.
func (w *Workers) Drain(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running != nil {
		return errRunning
	}
	for {
		n, err := w.drainSome(ctx)
		if n == 0 || err != nil {
			return err
		}
	}
}

// drainSome fetches once and works what it fetched.
func (w *Workers) drainSome(ctx context.Context) (n int, err error) {
	c, p, err := w.connect("")
	if err != nil {
		return 0, err
	}
	if err := c.Start(context.WithoutCancel(ctx)); err != nil {
		return 0, fmt.Errorf("jobs: start: %w", err)
	}
	select {
	case <-ctx.Done():
		err = ctx.Err()
	case first := <-p.first:
		n, err = first.jobs, first.err
	}
	return n, errors.Join(err, stop(ctx, c))
}

// Hasten makes all jobs due that wait for their time or for another try.
func (w *Workers) Hasten(ctx context.Context) error {
	c, _, err := w.connect("")
	if err != nil {
		return err
	}
	const most = 1000 // in one go
	waiting := river.NewJobListParams().First(most).States(rivertype.JobStateAvailable,
		rivertype.JobStateRetryable, rivertype.JobStateScheduled)
	for {
		found, err := c.JobList(ctx, waiting)
		if err != nil {
			return fmt.Errorf("jobs: list: %w", err)
		}
		for _, job := range found.Jobs {
			if _, err := c.JobRetry(ctx, job.ID); err != nil && !errors.Is(err, rivertype.ErrNotFound) {
				return fmt.Errorf("jobs: hasten: %w", err)
			}
		}
		if len(found.Jobs) < most {
			w.queue.Wake()
			return nil
		}
		waiting = waiting.After(found.LastCursor)
	}
}
