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

	"vitrine/internal/jobs/adapter"
	"vitrine/internal/obs"
)

// Defaults of Options.
const (
	defaultConcurrency = 4
	defaultTimeout     = time.Minute
	rescueMargin       = 30 * time.Second
)

// cancelGrace is how long cancelled handlers have to return after Stop's context is done.
const cancelGrace = 3 * time.Second

// Options configure Workers.
type Options struct {
	Concurrency int           // concurrent jobs of the class Content in this process; default 4
	Timeout     time.Duration // timeout of a job; default 1 minute

	// RescueAfter is how long a job may run before it is tried again even if its process seems to be
	// alive. The default is Timeout plus half a minute, and the minimum is Timeout.
	RescueAfter time.Duration

	// Backoff returns the wait after a failed attempt, starting with attempt 1. The default is the
	// function Backoff.
	Backoff func(attempt int) time.Duration

	// Now is the clock that all programs on the database share. The default is time.Now.
	Now func() time.Time

	// Fit returns an error that wraps database.ErrNewerSchema if the database no longer supports this
	// program, which then works no jobs. It may be nil.
	Fit func(ctx context.Context) error

	// Paused reports whether no jobs may run at the moment. Running ones then have a few seconds to finish before they are
	// cancelled and put back. It may be nil.
	Paused func() bool

	// Observe, if set, is called after every run with the kind, outcome and duration. It must be fast
	// and safe for concurrent use.
	Observe func(kind string, outcome Outcome, took time.Duration)

	// Tracer, if set, creates a span for each run below the span that enqueued the job.
	Tracer *obs.Tracer
}

// Workers run the jobs of a queue in this process.
type Workers struct {
	queue    *Queue
	log      *slog.Logger
	handlers *Handlers
	options  Options

	mu      sync.Mutex
	running *keeper
}

var errRunning = errors.New("jobs: the workers are running")

// New returns workers that are not started.
func New(q *Queue, log *slog.Logger, h *Handlers, o Options) *Workers {
	o.Concurrency = cmp.Or(o.Concurrency, defaultConcurrency)
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	o.RescueAfter = max(cmp.Or(o.RescueAfter, o.Timeout+rescueMargin), o.Timeout)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Backoff == nil {
		o.Backoff = Backoff
	}
	if o.Fit == nil {
		o.Fit = func(context.Context) error { return nil }
	}
	if o.Paused == nil {
		o.Paused = func() bool { return false }
	}
	if o.Observe == nil {
		o.Observe = func(string, Outcome, time.Duration) {}
	}
	return &Workers{queue: q, log: log, handlers: h, options: o}
}

// Start runs jobs until Stop. Cancelling ctx does not stop them.
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

// Stop starts no further jobs and waits for running ones. When ctx is done first, it cancels them.
// They are put back and run again, here or on another server. Stop fails if some jobs do not
// return. Those run again after this process has ended.
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

func stop(ctx context.Context, c adapter.Client) error {
	if c.Stop(ctx) == nil {
		return nil
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelGrace)
	defer cancel()
	if err := c.StopAndCancel(grace); err != nil {
		return fmt.Errorf("jobs: some jobs do not stop after cancellation: %w", err)
	}
	return nil
}

// Drain runs all jobs that are due, and those that they enqueue, and returns when no job is due. It is for
// tests and tools. The workers must not be running.
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

// drainSome fetches once and runs the fetched jobs.
func (w *Workers) drainSome(ctx context.Context) (n int, err error) {
	c, err := w.connect("")
	if err != nil {
		return 0, err
	}
	if err := c.Start(context.WithoutCancel(ctx)); err != nil {
		return 0, fmt.Errorf("jobs: start: %w", err)
	}
	select {
	case <-ctx.Done():
		err = ctx.Err()
	case first := <-c.first:
		n, err = first.jobs, first.err
	}
	return n, errors.Join(err, stop(ctx, c))
}

// Hasten makes all scheduled and retryable jobs due.
func (w *Workers) Hasten(ctx context.Context) error {
	c, err := w.connect("")
	if err != nil {
		return err
	}
	const most = 1000 // per batch
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
