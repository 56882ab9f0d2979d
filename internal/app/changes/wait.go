package changes

import (
	"context"
	"sync"
	"time"

	"vitrine/internal/domain"
)

// Limits of the requests that wait for changes at one server.
const (
	waitingPerClient = 16
	waitingInAll     = 3000
	readingAtOnce    = 4 // of those that were woken
)

const (
	pollEvery   = time.Second           // for the commits of other servers
	pollPause   = 50 * time.Millisecond // between two polls
	pollTimeout = 5 * time.Second
)

// waiting wakes the requests that wait for changes. While there are any, one goroutine polls the position of the last
// change for all of them, each second and after each commit of this process.
type waiting struct {
	head    func(context.Context) (domain.ChangePosition, error)
	wake    chan struct{} // a poll is wanted now
	reading chan struct{} // slots of woken requests
	closed  chan struct{}
	once    sync.Once

	mu      sync.Mutex
	all     int
	clients map[string]int
	polling bool
	moved   chan struct{} // closed when there may be new changes
}

func newWaiting() *waiting {
	return &waiting{wake: make(chan struct{}, 1), reading: make(chan struct{}, readingAtOnce), closed: make(chan struct{}),
		clients: map[string]int{}, moved: make(chan struct{})}
}

// enter counts a request of a client that waits. The caller must call leave when it ends.
func (w *waiting) enter(client string) (leave func(), err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.clients[client] >= waitingPerClient:
		return nil, domain.NewTooMany("Too many of your requests wait for changes: share one stream, or end another one first", waitingPerClient, MaxWait, MaxWait)
	case w.all >= waitingInAll:
		return nil, domain.NewUnavailableFor(MaxWait, "Too many requests wait for changes: try again later, or without wait")
	}
	w.all++
	w.clients[client]++
	if !w.polling {
		w.polling = true
		go w.run()
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.all--
		if w.clients[client]--; w.clients[client] == 0 {
			delete(w.clients, client)
		}
	}, nil
}

// watch returns a channel that is closed when there are changes that a later read can return. Call it before reading.
func (w *waiting) watch() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.moved
}

// poll starts a poll soon. It does not block.
func (w *waiting) poll() {
	select {
	case w.wake <- struct{}{}:
	default: // one is wanted already
	}
}

// close ends all waits.
func (w *waiting) close() { w.once.Do(func() { close(w.closed) }) }

// run polls until no request waits.
func (w *waiting) run() {
	var last *domain.ChangePosition
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		ctx, cancel := context.WithTimeout(context.Background(), pollTimeout)
		head, err := w.head(ctx)
		cancel()
		if !w.polled(err == nil && (last == nil || head != *last)) {
			return
		}
		if err == nil {
			last = &head
		}
		select {
		case <-time.After(pollPause):
		case <-w.closed:
		}
		select {
		case <-w.wake:
		case <-tick.C:
		case <-w.closed:
			w.polled(true)
			return
		}
	}
}

// polled wakes the waiting requests if the last change is another one. It returns false if no request waits.
func (w *waiting) polled(moved bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if moved {
		close(w.moved)
		w.moved = make(chan struct{})
	}
	w.polling = w.all > 0
	return w.polling
}

// Close ends all waits, for the shutdown. Waiting requests respond without changes, and streams end.
func (a *Changes) Close() { a.waiting.close() }

// read is Read for a request that waits. Only a few run at once, as a change may wake thousands.
func (a *Changes) read(ctx context.Context, actor domain.Actor, in Input) (p Page, err error) {
	select {
	case a.waiting.reading <- struct{}{}:
		defer func() { <-a.waiting.reading }()
	case <-ctx.Done():
		return p, ctx.Err()
	}
	return a.Read(ctx, actor, in)
}

// Await is Read that waits until there is a change, or until the requested time is over. client identifies who waits, for
// the limits.
func (a *Changes) Await(ctx context.Context, actor domain.Actor, in Input, client string) (p Page, err error) {
	if err := in.Validate(); err != nil || in.Wait == 0 || in.Cursor == "" {
		return a.Read(ctx, actor, in)
	}
	leave, err := a.waiting.enter(client)
	if err != nil {
		return p, err
	}
	defer leave()
	late := time.NewTimer(in.Wait)
	defer late.Stop()
	for {
		moved := a.waiting.watch()
		if p, err = a.read(ctx, actor, in); err != nil || len(p.Changes) > 0 {
			return p, err
		}
		in.Cursor = p.Cursor
		if p.More {
			moved = ready
		}
		select {
		case <-late.C:
			return p, nil
		case <-a.waiting.closed:
			return p, nil
		case <-ctx.Done():
			return p, ctx.Err()
		case <-moved:
		}
	}
}

// ready is a channel that is closed.
var ready = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// Beat is how often a stream sends something if nothing changes, and StreamTime how long a stream lasts. A client then
// connects again, so a revoked token does not stay in use.
const (
	Beat       = 15 * time.Second
	StreamTime = 5 * time.Minute
)

// Follow calls send with all further changes until the stream ends. A page without changes only moves the cursor. The
// first page is sent at once; an error before it can be shown to the client.
func (a *Changes) Follow(ctx context.Context, actor domain.Actor, in Input, client string, send func(Page) error) error {
	if err := in.Validate(); err != nil {
		return err
	}
	leave, err := a.waiting.enter(client)
	if err != nil {
		return err
	}
	defer leave()
	end := time.NewTimer(StreamTime)
	defer end.Stop()
	beat := time.NewTicker(Beat)
	defer beat.Stop()
	for first := true; ; first = false {
		moved := a.waiting.watch()
		p, err := a.read(ctx, actor, in)
		if err != nil {
			return err
		}
		if first || p.Cursor != in.Cursor {
			if err := send(p); err != nil {
				return err
			}
		}
		in.Cursor = p.Cursor
		if p.More {
			moved = ready
		}
		for waits := true; waits; {
			select {
			case <-beat.C:
				if err := send(Page{Cursor: in.Cursor}); err != nil {
					return err
				}
			case <-moved:
				waits = false
			case <-end.C:
				return nil
			case <-a.waiting.closed:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}
