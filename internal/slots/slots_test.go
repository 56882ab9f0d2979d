package slots_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/slots"
)

// However many come at once, only so many of a key are let in, and each of them in the end.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	s := slots.Slots[string]{AtOnce: 3, Waiting: 1000, Patience: time.Minute}
	var here, most, done atomic.Int64
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			if err := s.Enter(t.Context(), "a"); err != nil {
				t.Error(err)
				return
			}
			defer s.Leave("a")
			n := here.Add(1)
			for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			}
			here.Add(-1)
			done.Add(1)
		})
	}
	all.Wait()
	if most.Load() > 3 || done.Load() != 200 {
		t.Errorf("%d at once, %d in all", most.Load(), done.Load())
	}
}

// Others do not wait for a key that is full, those that may not wait are told so, and a
// turn is not lost with one who has gone.
func TestFull(t *testing.T) {
	t.Parallel()
	s := slots.Slots[string]{AtOnce: 1, Waiting: 1, Patience: time.Hour, Refusal: "Too many"}
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
		t.Errorf("who has gone gets %v", err)
	}
	waits := make(chan error)
	go func() {
		err := enter(t.Context(), "a")
		for domain.KindOf(err) == domain.Unavailable { // the one below is in the queue just now
			err = enter(t.Context(), "a")
		}
		waits <- err
	}()
	for { // the place of the only one who may wait is taken at some time
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
		t.Errorf("the one who waited gets %v", err)
	}
	s.Leave("a")
	if err := enter(t.Context(), "a"); err != nil {
		t.Errorf("nothing is free in the end: %v", err)
	}
}

// One who has waited too long is told so.
func TestPatience(t *testing.T) {
	t.Parallel()
	s := slots.Slots[int]{AtOnce: 1, Waiting: 9, Patience: time.Nanosecond, Refusal: "Too many"}
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
