package budget

import (
	"context"
	"slices"
	"sync"
	"time"

	"vitrine/internal/domain"
)

// Slots limits the number of concurrent operations per key. Further callers wait in order of arrival. Set
// the fields before first use. It is safe for concurrent use.
type Slots[K comparable] struct {
	AtOnce  int           // concurrent operations per key; 0 for no limit
	Waiting int           // maximum number of waiting callers per key
	MaxWait time.Duration // maximum wait
	Refusal string        // error message if too many callers wait, or for too long

	mu   sync.Mutex
	keys map[K]slot // keys with running operations
}

type slot struct {
	busy  int
	queue []chan struct{} // waiting callers; closing a channel passes a slot on
}

// Enter acquires a slot, and waits for it if necessary. The caller must release it with Leave. The error is
// Unavailable if too many callers wait or the wait is too long, or that of ctx.
func (t *Slots[K]) Enter(ctx context.Context, key K) error {
	turn, err := t.take(key)
	if turn == nil || err != nil {
		return err
	}
	timer := time.NewTimer(t.MaxWait)
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

func (t *Slots[K]) refuse() error { return domain.NewUnavailableFor(t.MaxWait, t.Refusal) }

// take acquires a slot, or returns a channel that is closed when it is the caller's turn.
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

// giveUp leaves the queue. If the caller's turn has come in the meantime, it is passed on.
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

// Leave releases a slot and passes it to the next waiting caller.
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
