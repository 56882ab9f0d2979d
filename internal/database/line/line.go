// Package line has callers wait in the order of their coming for one thing that each has to
// itself, which may be handed from one to the next.
package line

import (
	"context"
	"slices"
	"sync"

	"vitrine/internal/database/lite"
)

// Line is who waits. What is handed on is a *T.
type Line[T any] struct {
	mu      sync.Mutex
	busy    bool // somebody has a turn, or is about to
	waiting []*member[T]
	waits   lite.Waits
}

type member[T any] struct {
	apart bool
	turn  chan *T // takes what is handed on, or nil to begin anew, without waiting
}

// Enter waits for the caller's turn. It gives what was handed on, or nil to begin anew. One who
// stays apart is handed nothing.
func (l *Line[T]) Enter(ctx context.Context, apart bool) (*T, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.mu.Lock()
	if !l.busy {
		l.busy = true
		l.mu.Unlock()
		return nil, nil
	}
	m := &member[T]{apart: apart, turn: make(chan *T, 1)}
	l.waiting = append(l.waiting, m)
	l.mu.Unlock()
	defer l.waits.Begin()()
	select {
	case t := <-m.turn:
		return t, nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	i := slices.Index(l.waiting, m)
	if i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
	}
	l.mu.Unlock()
	if i < 0 { // the turn has come at the same time
		return <-m.turn, nil
	}
	return nil, ctx.Err()
}

// Hand hands something to the next in line, unless there is none or that one stays apart.
func (l *Line[T]) Hand(t *T) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 || l.waiting[0].apart {
		return false
	}
	l.shift().turn <- t
	return true
}

// Next has the next in line begin anew.
func (l *Line[T]) Next() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.busy = len(l.waiting) > 0; l.busy {
		l.shift().turn <- nil
	}
}

// shift takes the first out of the line. The lock is held.
func (l *Line[T]) shift() *member[T] {
	m := l.waiting[0]
	l.waiting = slices.Delete(l.waiting, 0, 1)
	return m
}

// Waiting is how many wait.
func (l *Line[T]) Waiting() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.waiting)
}

// Waits counts who has waited.
func (l *Line[T]) Waits() *lite.Waits { return &l.waits }
