package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/jobs/adapter"
)

// keepInterval is how often workers look for jobs of dead processes, and check their own lock.
const keepInterval = 2 * time.Second

// shift is a period in which this process works jobs under one name.
type shift struct {
	presence *database.Presence
	client   adapter.Client
}

// begin announces a new name and starts working jobs.
func (w *Workers) begin(ctx context.Context) (*shift, error) {
	presence, err := w.queue.db.Announce(ctx)
	if err != nil {
		return nil, err
	}
	c, err := w.connect(presence.Name())
	if err == nil {
		if err = c.Start(context.WithoutCancel(ctx)); err != nil {
			err = fmt.Errorf("jobs: start: %w", err)
		}
	}
	if err != nil {
		presence.Release()
		return nil, err
	}
	wake := func() { c.plugin.Wake(classNames...) }
	w.queue.waker.Store(&wake)
	return &shift{presence, c}, nil
}

// end stops working jobs and releases the name. If some jobs do not stop, the process keeps the name until
// it exits.
func (w *Workers) end(ctx context.Context, s *shift) error {
	w.queue.waker.Store(nil)
	err := stop(ctx, s.client)
	if err == nil {
		s.presence.Release()
	}
	return err
}

// keeper monitors the workers while they run.
type keeper struct {
	w       *Workers
	rescuer *rescuer
	shift   *shift // nil while there is no valid name
	cancel  context.CancelFunc
	ended   chan struct{}
}

// keep checks immediately and then periodically until stop.
func (w *Workers) keep(s *shift) *keeper {
	ctx, cancel := context.WithCancel(context.Background())
	k := &keeper{w: w, rescuer: w.newRescuer(), shift: s, cancel: cancel, ended: make(chan struct{})}
	go k.run(ctx)
	return k
}

// stop stops the checks, and returns the current shift, which may be nil. The caller must end it.
func (k *keeper) stop() *shift {
	k.cancel()
	<-k.ended
	return k.shift
}

func (k *keeper) run(ctx context.Context) {
	defer close(k.ended)
	tick := time.NewTicker(keepInterval)
	defer tick.Stop()
	for ctx.Err() == nil {
		if k.fits(ctx) && !k.pauses(ctx) {
			k.checkPresence(ctx)
			k.rescue(ctx)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

func (k *keeper) rescue(ctx context.Context) {
	k.rescuer.self = ""
	if k.shift != nil {
		k.rescuer.self = k.shift.presence.Name()
	}
	n, err := k.rescuer.rescue(ctx)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		k.w.log.ErrorContext(ctx, "cannot put interrupted jobs back into the queue", "error", err)
	}
	if n > 0 {
		k.w.log.WarnContext(ctx, "put interrupted jobs back into the queue", "jobs", n)
	}
}

// fits reports whether the database supports this program. If not, the program may derive wrong values, so
// running jobs are cancelled and no new ones start until the schema supports it again.
func (k *keeper) fits(ctx context.Context) bool {
	err := k.w.options.Fit(ctx)
	if !errors.Is(err, database.ErrNewerSchema) {
		return true // the following steps report other errors
	}
	if k.shift != nil {
		k.w.log.ErrorContext(ctx, "stopped running jobs, which are left to the newer program", "error", err)
		k.endShift(ctx, 0)
	}
	return false
}

// pauseGrace is how long running jobs may take to finish when a pause begins.
const pauseGrace = 10 * time.Second

// pauses reports whether no jobs may run, and ends the shift if so.
func (k *keeper) pauses(ctx context.Context) bool {
	if !k.w.options.Paused() {
		return false
	}
	if k.shift != nil {
		k.endShift(ctx, pauseGrace)
		k.w.log.InfoContext(ctx, "paused running jobs")
	}
	return true
}

// endShift waits for running jobs, cancels those that take longer than grace, and releases the name.
func (k *keeper) endShift(ctx context.Context, grace time.Duration) {
	over, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	if err := k.w.end(over, k.shift); err != nil {
		k.w.log.ErrorContext(ctx, "cannot cancel running jobs", "error", err)
		k.shift.presence.Release() // jobs that did not stop will run again
	}
	k.shift = nil
}

// checkPresence switches to a new name if the lock of the old one is lost, because other processes may then
// run its jobs again. It first cancels the running jobs.
func (k *keeper) checkPresence(ctx context.Context) {
	if k.shift != nil {
		err := k.shift.presence.Check(ctx)
		if !errors.Is(err, database.ErrAbsent) {
			return
		}
		k.w.log.ErrorContext(ctx, "cancelling running jobs, because other servers may run them again", "error", err)
		k.endShift(ctx, 0)
	}
	s, err := k.w.begin(ctx)
	if err == nil {
		k.shift = s
		k.w.log.InfoContext(ctx, "resumed running jobs", "as", s.presence.Name())
	} else if ctx.Err() == nil {
		k.w.log.ErrorContext(ctx, "cannot run jobs", "error", err)
	}
}
