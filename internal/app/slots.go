package app

import (
	"context"
	"sync"
	"time"

	"vitrine/internal/domain"
)

// How many uploads of one user this server receives at once, how many more wait for their
// turn, and how long. Browsers send several at once, so that a short wait serves them
// better than a refusal.
const (
	UploadsAtOnce  = 4
	waitingUploads = 60
	uploadPatience = 30 * time.Second
)

// slots bounds how much this process does at once for each key.
type slots[K comparable] struct {
	atOnce   int
	waiting  int           // how many may wait
	patience time.Duration // for how long
	refusal  string

	mu   sync.Mutex
	keys map[K]*slot
}

type slot struct {
	busy chan struct{}
	here int // busy or waiting
}

// newUploading is for uploads that are received.
func newUploading() *slots[domain.UserID] {
	return &slots[domain.UserID]{atOnce: UploadsAtOnce, waiting: waitingUploads, patience: uploadPatience,
		refusal: "Too many of your uploads are being sent: send four at once, and this one again later"}
}

// newFilling is for uploads that get their bytes: of those sent to one address at once,
// only the first are kept.
func newFilling() *slots[domain.UploadID] {
	return &slots[domain.UploadID]{atOnce: 1, waiting: waitingUploads, patience: uploadPatience,
		refusal: "This upload is being sent by somebody else: send it again later"}
}

// enter waits for a turn, and gives what ends it. It is Unavailable where too many wait, or
// for too long.
func (t *slots[K]) enter(ctx context.Context, key K) (leave func(), err error) {
	mine := t.join(key)
	if mine == nil {
		return nil, domain.NewUnavailableFor(t.patience, t.refusal)
	}
	timer := time.NewTimer(t.patience)
	defer timer.Stop()
	select {
	case mine.busy <- struct{}{}:
		return func() { <-mine.busy; t.part(key, mine) }, nil
	case <-timer.C:
		err = domain.NewUnavailableFor(t.patience, t.refusal)
	case <-ctx.Done():
		err = ctx.Err()
	}
	t.part(key, mine)
	return nil, err
}

// join gives what a key is waited for at, nil where too many wait.
func (t *slots[K]) join(key K) *slot {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.keys == nil {
		t.keys = map[K]*slot{}
	}
	at := t.keys[key]
	if at == nil {
		at = &slot{busy: make(chan struct{}, t.atOnce)}
		t.keys[key] = at
	}
	if at.here >= t.atOnce+t.waiting {
		return nil
	}
	at.here++
	return at
}

func (t *slots[K]) part(key K, at *slot) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at.here--; at.here == 0 {
		delete(t.keys, key)
	}
}
