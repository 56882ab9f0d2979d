package database

import (
	"context"
	"slices"
	"sync"

	"vitrine/internal/database/lite"
)

// turns is a queue of callers. They pass on values of type *T.
type turns[T any] struct {
	mu      sync.Mutex
	busy    bool // a caller has its turn or is about to get it
	waiting []*member[T]
	waits   lite.Waits
}

type member[T any] struct {
	separate bool
	turn     chan *T // receives the value that is passed on, or nil to start a new one
}

// Enter waits for the caller's turn. It returns the value that was passed on, or nil if the caller must
// start a new one. It always returns nil if separate is set.
func (q *turns[T]) Enter(ctx context.Context, separate bool) (*T, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	q.mu.Lock()
	if !q.busy {
		q.busy = true
		q.mu.Unlock()
		return nil, nil
	}
	m := &member[T]{separate: separate, turn: make(chan *T, 1)}
	q.waiting = append(q.waiting, m)
	q.mu.Unlock()
	defer q.waits.Begin()()
	select {
	case t := <-m.turn:
		return t, nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	i := slices.Index(q.waiting, m)
	if i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	q.mu.Unlock()
	if i < 0 { // the turn came at the same moment
		return <-m.turn, nil
	}
	return nil, ctx.Err()
}

// HandOver passes t to the next caller. It returns false if no one waits or the next caller set separate.
func (q *turns[T]) HandOver(t *T) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 || q.waiting[0].separate {
		return false
	}
	q.shift().turn <- t
	return true
}

// Next starts the turn of the next caller, with nil.
func (q *turns[T]) Next() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.busy = len(q.waiting) > 0; q.busy {
		q.shift().turn <- nil
	}
}

// shift removes and returns the first waiting caller. The lock must be held.
func (q *turns[T]) shift() *member[T] {
	m := q.waiting[0]
	q.waiting = slices.Delete(q.waiting, 0, 1)
	return m
}

// Waiting returns the number of waiting callers.
func (q *turns[T]) Waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

// Waits returns statistics about the time callers waited.
func (q *turns[T]) Waits() *lite.Waits { return &q.waits }
