package jobs

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"vitrine/internal/database"
)

// Handlers say what is done for each kind of job.
type Handlers struct {
	workers  *river.Workers
	periodic []*river.PeriodicJob
	lasting  []string // kinds that have a time of their own
	kinds    map[string]bool
}

// Lasting are the arguments of jobs that may take longer than others: so long, whatever
// Options.Timeout is. Such a job is run again when its process ends, or its own time is up.
type Lasting interface {
	Args
	Lasts() time.Duration
}

// NewHandlers gives handlers of nothing yet.
func NewHandlers() *Handlers {
	h := &Handlers{workers: river.NewWorkers(), kinds: map[string]bool{}}
	Handle(h, func(context.Context, foreign) error { return Later(foreignPause) })
	return h
}

// Handle has do work the jobs whose arguments are an A. It must return soon after its
// context is done: when the job's time is up, or the server's on shutdown. An error
// has the job tried again later, unless it is Permanent. A kind may be handled once.
func Handle[A Args](h *Handlers, do func(ctx context.Context, args A) error) {
	river.AddWorker(h.workers, handler[A]{do: do})
	var args A
	h.kinds[args.Kind()] = true
	if _, ok := any(args).(Lasting); ok {
		h.lasting = append(h.lasting, args.Kind())
	}
}

type handler[A Args] struct {
	river.WorkerDefaults[A]
	do func(ctx context.Context, args A) error
}

// Work implements river.Worker. No request waits for the rest of a job's transaction.
func (h handler[A]) Work(ctx context.Context, job *river.Job[A]) error {
	return h.do(database.WithOwnCommit(ctx), job.Args)
}

// Timeout implements river.Worker; 0 is that of all jobs.
func (h handler[A]) Timeout(job *river.Job[A]) time.Duration {
	if long, ok := any(job.Args).(Lasting); ok {
		return long.Lasts()
	}
	return 0
}

// Every has a job enqueued when a server starts to lead the others and then each time
// d has passed, but once in a stretch of d whatever servers come and go. d is between
// a second and a day.
func (h *Handlers) Every(d time.Duration, args Args) {
	make := func() (river.JobArgs, *river.InsertOpts) {
		o := classed(args)
		o.UniqueOpts = river.UniqueOpts{ByArgs: true, ByPeriod: d}
		return args, &o
	}
	h.periodic = append(h.periodic,
		river.NewPeriodicJob(river.PeriodicInterval(d), make, &river.PeriodicJobOpts{RunOnStart: true}))
}

// Later has the job run again after a while, without counting as a failure.
func Later(d time.Duration) error { return river.JobSnooze(d) }

// outage is the error of a job that something which is away has kept from its work.
type outage struct{ error }

func (o outage) Unwrap() error { return o.error }

// Outage is Later for a job that something which is away has kept from its work. The
// operator is told, since it goes on until that is back.
func Outage(cause error, d time.Duration) error { return errors.Join(outage{cause}, Later(d)) }

// Permanent marks an error that no further try can mend: the job is given up.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return rivertype.JobCancel(err)
}

// While a site is upgraded, processes of the newer program enqueue jobs of kinds that the
// older ones do not know. Those leave them to the newer ones, without using up an attempt.
const (
	foreignPause = 10 * time.Second
	foreignFor   = 24 * time.Hour // since it was enqueued; later nobody will know it
)

// foreign are the arguments, whatever they are, of a job of a kind that is not known.
type foreign struct{}

// Kind implements Args. No job is enqueued by this name.
func (foreign) Kind() string { return "of_a_newer_program" }

// disown has the handler of foreign jobs put off those of some that have no other.
func (h *Handlers) disown(jobs []*rivertype.JobRow) {
	for _, job := range jobs {
		if !h.kinds[job.Kind] && time.Since(job.CreatedAt) < foreignFor {
			job.Kind = foreign{}.Kind() // of the copy that River works, not in the database
		}
	}
}
