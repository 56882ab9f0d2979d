package budget_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/budget"
	"vitrine/internal/domain"
)

// The limit per key is never exceeded, and every caller gets a slot in the end.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	s := budget.Slots[string]{AtOnce: 3, Waiting: 1000, MaxWait: time.Minute}
	var here, limit, done atomic.Int64
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			if err := s.Enter(t.Context(), "a"); err != nil {
				t.Error(err)
				return
			}
			defer s.Leave("a")
			n := here.Add(1)
			for old := limit.Load(); n > old && !limit.CompareAndSwap(old, n); old = limit.Load() {
			}
			here.Add(-1)
			done.Add(1)
		})
	}
	all.Wait()
	if limit.Load() > 3 || done.Load() != 200 {
		t.Errorf("%d at once, %d in all", limit.Load(), done.Load())
	}
}

// Other keys are not affected by a full one, callers that may not wait get an error, and the turn of a
// cancelled caller is passed on.
func TestFull(t *testing.T) {
	t.Parallel()
	s := budget.Slots[string]{AtOnce: 1, Waiting: 1, MaxWait: time.Hour, Refusal: "Too many"}
	enter := func(ctx context.Context, key string) error { return s.Enter(ctx, key) }
	if err := enter(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if err := enter(t.Context(), "b"); err != nil {
		t.Errorf("another key waits: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := enter(gone, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled caller gets %v", err)
	}
	waits := make(chan error)
	go func() {
		err := enter(t.Context(), "a")
		for domain.KindOf(err) == domain.Unavailable { // the caller below is in the queue
			err = enter(t.Context(), "a")
		}
		waits <- err
	}()
	for { // until the only place in the queue is taken
		err := enter(gone, "a")
		if domain.KindOf(err) == domain.Unavailable {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	s.Leave("a")
	if err := <-waits; err != nil {
		t.Errorf("the waiting caller gets %v", err)
	}
	s.Leave("a")
	if err := enter(t.Context(), "a"); err != nil {
		t.Errorf("nothing is free in the end: %v", err)
	}
}

// A caller that has waited too long gets an error.
func TestPatience(t *testing.T) {
	t.Parallel()
	s := budget.Slots[int]{AtOnce: 1, Waiting: 9, MaxWait: time.Nanosecond, Refusal: "Too many"}
	if err := s.Enter(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if err := s.Enter(t.Context(), 1); domain.KindOf(err) != domain.Unavailable {
		t.Error(err)
	}
	s.Leave(1)
	if err := s.Enter(t.Context(), 1); err != nil {
		t.Error(err)
	}
}
