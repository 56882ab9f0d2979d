package jobs

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// Handlers maps job kinds to functions.
type Handlers struct {
	workers  *river.Workers
	periodic []*river.PeriodicJob
	longArgs []string // kinds with their own timeout
	kinds    map[string]bool
}

// LongArgs is implemented by arguments of jobs with their own timeout, which replaces Options.Timeout. Such
// a job runs again after its process has ended or its timeout has passed.
type LongArgs interface {
	Args
	Timeout() time.Duration
}

// NewHandlers returns an empty set of handlers.
func NewHandlers() *Handlers {
	h := &Handlers{workers: river.NewWorkers(), kinds: map[string]bool{}}
	Handle(h, func(context.Context, foreign) error { return Later(foreignPause) })
	return h
}

// Handle registers do for the jobs with arguments of type A. do must return soon after its context is
// done, which happens at the job's timeout and on shutdown. After an error the job is retried later,
// unless the error is Permanent. Each kind can be registered only once.
func Handle[A Args](h *Handlers, do func(ctx context.Context, args A) error) {
	river.AddWorker(h.workers, handler[A]{do: do})
	var args A
	h.kinds[args.Kind()] = true
	if _, ok := any(args).(LongArgs); ok {
		h.longArgs = append(h.longArgs, args.Kind())
	}
}

type handler[A Args] struct {
	river.WorkerDefaults[A]
	do func(ctx context.Context, args A) error
}

// Work implements river.Worker.
func (h handler[A]) Work(ctx context.Context, job *river.Job[A]) error {
	return h.do(ctx, job.Args)
}

// Timeout implements river.Worker. 0 selects the default timeout.
func (h handler[A]) Timeout(job *river.Job[A]) time.Duration {
	if long, ok := any(job.Args).(LongArgs); ok {
		return long.Timeout()
	}
	return 0
}

// Every enqueues a job when a server becomes the leader, and then in intervals of d, but only once per
// interval even if the leader changes. d must be between a second and a day.
func (h *Handlers) Every(d time.Duration, args Args) {
	make := func() (river.JobArgs, *river.InsertOpts) {
		o := classed(args)
		o.UniqueOpts = river.UniqueOpts{ByArgs: true, ByPeriod: d}
		return args, &o
	}
	h.periodic = append(h.periodic,
		river.NewPeriodicJob(river.PeriodicInterval(d), make, &river.PeriodicJobOpts{RunOnStart: true}))
}

// Later makes the job run again after d, or now if d is negative, without counting as a failed attempt.
func Later(d time.Duration) error { return river.JobSnooze(max(d, 0)) }

// outage is the error of a job that could not run because an external service is unavailable.
type outage struct{ error }

func (o outage) Unwrap() error { return o.error }

// Outage is like Later, for a job that could not run because an external service is unavailable. It is
// logged as a warning.
func Outage(cause error, d time.Duration) error { return errors.Join(outage{cause}, Later(d)) }

// Permanent marks an error after which the job is not retried.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return rivertype.JobCancel(err)
}

// During an upgrade, newer programs enqueue jobs of kinds that older programs do not know. Older programs
// put them off for the newer ones, without using up an attempt.
const (
	foreignPause = 10 * time.Second
	foreignFor   = 24 * time.Hour // age after which an unknown job fails
)

// foreign replaces the arguments of an unknown kind.
type foreign struct{}

// Kind implements Args. No job is enqueued with this kind.
func (foreign) Kind() string { return "of_a_newer_program" }

// markUnknown changes jobs of unknown kinds so that the handler of foreign puts them off.
func (h *Handlers) markUnknown(jobs []*rivertype.JobRow) {
	for _, job := range jobs {
		if !h.kinds[job.Kind] && time.Since(job.CreatedAt) < foreignFor {
			job.Kind = foreign{}.Kind() // only in memory, not in the database
		}
	}
}
