package jobs_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"vitrine/internal/jobs"
)

// A draining client is never elected, but a permanent one may be.
func TestElections(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		w := r.workers(r.queue, jobs.Options{}, func(context.Context, note) error { return nil })
		for name, want := range map[string]bool{"": false, "a process": true} {
			if jobs.Elects(w, name) != want {
				t.Errorf("the client %q takes part in elections: %v", name, !want)
			}
		}
	})
}

// Repeated and concurrent drains end. A client that is elected while it stops would deadlock.
func TestDrainsEnd(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *rig) {
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errors.New("a drain hangs"))
		defer cancel()
		var g sync.WaitGroup
		for range 4 {
			g.Go(func() {
				w := r.workers(r.queue, jobs.Options{}, func(context.Context, note) error { return nil })
				for range 25 {
					if err := w.Drain(ctx); err != nil {
						t.Error(err, context.Cause(ctx))
						return
					}
				}
			})
		}
		g.Wait()
	})
}
