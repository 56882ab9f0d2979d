// Package slots bounds how much one process does at once for each of many, such as users.
package slots

import (
	"context"
	"slices"
	"sync"
	"time"

	"vitrine/internal/domain"
)

// Slots bounds how much is done at once for each key. Who comes when all slots of a key
// are taken waits for a turn, in the order of coming. Set the fields before it is used; it
// is safe for concurrent use.
type Slots[K comparable] struct {
	AtOnce   int           // 0 for no bound
	Waiting  int           // how many may wait for each key
	Patience time.Duration // for how long
	Refusal  string        // what those are told who may not wait, or have waited too long

	mu   sync.Mutex
	keys map[K]slot // those of which something is done
}

type slot struct {
	busy  int
	queue []chan struct{} // of those that wait; closing one hands a slot over
}

// Enter takes a slot, for which it may wait; Leave gives it back. It is Unavailable where
// too many wait, or for too long, and ctx's error when that is done first.
func (t *Slots[K]) Enter(ctx context.Context, key K) error {
	turn, err := t.take(key)
	if turn == nil || err != nil {
		return err
	}
	timer := time.NewTimer(t.Patience)
	defer timer.Stop()
	select {
	case <-turn:
		return nil
	case <-timer.C:
		err = t.refuse()
	case <-ctx.Done():
		err = ctx.Err()
	}
	t.giveUp(key, turn)
	return err
}

func (t *Slots[K]) refuse() error { return domain.NewUnavailableFor(t.Patience, t.Refusal) }

// take takes a slot, or gives the turn to wait for.
func (t *Slots[K]) take(key K) (turn chan struct{}, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.keys[key]
	switch {
	case t.AtOnce == 0 || s.busy < t.AtOnce:
		s.busy++
	case len(s.queue) >= t.Waiting:
		return nil, t.refuse()
	default:
		turn = make(chan struct{})
		s.queue = append(s.queue, turn)
	}
	if t.keys == nil {
		t.keys = map[K]slot{}
	}
	t.keys[key] = s
	return turn, nil
}

// giveUp leaves the queue. A turn that has come meanwhile is passed on.
func (t *Slots[K]) giveUp(key K, turn chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.keys[key]
	if i := slices.Index(s.queue, turn); i >= 0 {
		s.queue = slices.Delete(s.queue, i, i+1)
		t.keys[key] = s
		return
	}
	t.pass(key, s)
}

// Leave gives a slot back, to the one who has waited longest.
func (t *Slots[K]) Leave(key K) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pass(key, t.keys[key])
}

func (t *Slots[K]) pass(key K, s slot) {
	if len(s.queue) > 0 {
		close(s.queue[0])
		s.queue = s.queue[1:]
	} else if s.busy--; s.busy == 0 {
		delete(t.keys, key)
		return
	}
	t.keys[key] = s
}
