package server

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A check that never ends and ignores its context delays callers only until its timeout, and runs once
// however many callers there are.
func TestReadinessOfFrozen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int64
		thaw := make(chan struct{})
		c := &readiness{within: time.Second, check: func(ctx context.Context) error {
			if _, limited := ctx.Deadline(); !limited {
				t.Error("no deadline")
			}
			runs.Add(1)
			<-thaw
			return nil
		}}
		for range 20 {
			if err := c.ready(t.Context()); !errors.Is(err, errNoAnswer) {
				t.Errorf("%v", err)
			}
		}
		if n := runs.Load(); n != 1 {
			t.Errorf("%d checks run at once", n)
		}
		close(thaw)
		synctest.Wait()
		if err := c.ready(t.Context()); err != nil || runs.Load() != 2 {
			t.Errorf("after it answers: %v, %d runs", err, runs.Load())
		}
	})
}

// A result is reused for as long as configured, even that of a check that timed out.
func TestReadinessIsReused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int64
		c := &readiness{within: time.Second, every: 5 * time.Second, check: func(ctx context.Context) error {
			runs.Add(1)
			<-ctx.Done()
			return ctx.Err()
		}}
		for range 3 {
			if c.ready(t.Context()) == nil {
				t.Error("ready")
			}
			synctest.Wait()
		}
		if n := runs.Load(); n != 1 {
			t.Errorf("%d runs", n)
		}
		time.Sleep(5 * time.Second) // fake clock
		_ = c.ready(t.Context())
		if n := runs.Load(); n != 2 {
			t.Errorf("%d runs", n)
		}
	})
}
