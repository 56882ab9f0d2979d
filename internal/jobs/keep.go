package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/database"
)

// keepInterval is how often workers look for jobs of processes that have ended, and
// whether they are taken to be alive themselves.
const keepInterval = 2 * time.Second

// shift is a time in which this process works jobs under one name.
type shift struct {
	presence *database.Presence
	client   client
}

// begin takes a name, and works jobs under it.
func (w *Workers) begin(ctx context.Context) (*shift, error) {
	presence, err := w.queue.db.Announce(ctx)
	if err != nil {
		return nil, err
	}
	c, p, err := w.connect(presence.Name())
	if err == nil {
		if err = c.Start(context.WithoutCancel(ctx)); err != nil {
			err = fmt.Errorf("jobs: start: %w", err)
		}
	}
	if err != nil {
		presence.Release()
		return nil, err
	}
	wake := func() { p.wake(classes...) }
	w.queue.waker.Store(&wake)
	return &shift{presence, c}, nil
}

// end gives the name up once its jobs have ended. If some do not, the process goes on
// to be known by it until it ends itself.
func (w *Workers) end(ctx context.Context, s *shift) error {
	w.queue.waker.Store(nil)
	err := stop(ctx, s.client)
	if err == nil {
		s.presence.Release()
	}
	return err
}

// keeper looks after the workers while they run.
type keeper struct {
	w       *Workers
	rescuer *rescuer
	shift   *shift // nil while there is no name to work under
	cancel  context.CancelFunc
	ended   chan struct{}
}

// keep looks at once, and then again and again until stop.
func (w *Workers) keep(s *shift) *keeper {
	ctx, cancel := context.WithCancel(context.Background())
	k := &keeper{w: w, rescuer: w.newRescuer(), shift: s, cancel: cancel, ended: make(chan struct{})}
	go k.run(ctx)
	return k
}

// stop ends the looking, and gives the shift that is still to be ended, if any.
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
		if k.fits(ctx) {
			k.stayKnown(ctx)
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
		k.w.log.ErrorContext(ctx, "looking for interrupted jobs", "error", err)
	}
	if n > 0 {
		k.w.log.WarnContext(ctx, "put interrupted jobs back into the queue", "jobs", n)
	}
}

// fits reports whether the database serves this program. Where it does so no more, what the
// program derives may be wrong there: jobs in progress are cancelled, and nobody takes more
// until it does again.
func (k *keeper) fits(ctx context.Context) bool {
	err := k.w.options.Fit(ctx)
	if !errors.Is(err, database.ErrNewerSchema) {
		return true // others are met in what follows
	}
	if k.shift != nil {
		k.w.log.ErrorContext(ctx, "works no more jobs: they are left to the newer program", "error", err)
		k.endShift(ctx)
	}
	return false
}

// endShift cancels jobs in progress and gives the name up.
func (k *keeper) endShift(ctx context.Context) {
	over, cancel := context.WithCancel(ctx)
	cancel()
	if err := k.w.end(over, k.shift); err != nil {
		k.w.log.ErrorContext(ctx, "cancelling jobs", "error", err)
		k.shift.presence.Release() // what does not end is run again
	}
	k.shift = nil
}

// stayKnown works under a new name if others may take the process of the old one to be
// dead, and run its jobs again: those still in progress are cancelled first.
func (k *keeper) stayKnown(ctx context.Context) {
	if k.shift != nil {
		err := k.shift.presence.Check(ctx)
		if !errors.Is(err, database.ErrAbsent) {
			return
		}
		k.w.log.ErrorContext(ctx, "jobs in progress are cancelled, since others may run them again", "error", err)
		k.endShift(ctx)
	}
	s, err := k.w.begin(ctx)
	if err == nil {
		k.shift = s
		k.w.log.InfoContext(ctx, "working jobs again", "as", s.presence.Name())
	} else if ctx.Err() == nil {
		k.w.log.ErrorContext(ctx, "cannot work jobs", "error", err)
	}
}
