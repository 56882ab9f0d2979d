package changes

import (
	"context"
	"errors"
	"sync"
	"time"

	"vitrine/internal/domain"
)

// Limits of the requests that wait for changes at one server.
const (
	waitingPerClient = 16
	readingAtOnce    = 4 // of those that were woken
)

const (
	pollEvery   = time.Second           // for the commits of other servers
	pollPause   = 50 * time.Millisecond // between two polls
	pollTimeout = 5 * time.Second
)

// waiting wakes the requests that wait for changes. While there are any, one goroutine reads new changes for all of
// them, each second and after each commit of this process.
type waiting struct {
	most    int // requests at once
	shared  *shared
	wake    chan struct{} // a poll is wanted now
	reading chan struct{} // slots of woken requests
	closed  chan struct{}
	once    sync.Once
	now     func() time.Time

	mu      sync.Mutex
	all     int
	clients map[string]int
	held    map[*held]struct{} // those with a token or session
	inboxes map[domain.UserID]*inbox
	polling bool
	moved   chan struct{} // closed when there may be new changes
}

// inbox is the number of unread notifications of a user whose pages show it.
type inbox struct {
	streams int
	unread  int64         // -1 if unknown
	changed chan struct{} // closed when it is another number
}

func newWaiting(most int, shared *shared, now func() time.Time) *waiting {
	return &waiting{most: most, shared: shared, now: now, wake: make(chan struct{}, 1), reading: make(chan struct{}, readingAtOnce), closed: make(chan struct{}),
		clients: map[string]int{}, held: map[*held]struct{}{}, inboxes: map[domain.UserID]*inbox{}, moved: make(chan struct{})}
}

// enter counts a request of a client that waits. The caller must call leave when it ends.
func (w *waiting) enter(client Client, limits *domain.TokenLimits) (h *held, leave func(), err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.clients[client.Name] >= waitingPerClient:
		return nil, nil, domain.NewTooMany("Too many of your requests wait for changes: share one stream, or end another one first", waitingPerClient, MaxWait, MaxWait)
	case w.all >= w.most:
		return nil, nil, domain.NewUnavailableFor(MaxWait, "Too many requests wait for changes: try again later, or without wait")
	}
	w.all++
	w.clients[client.Name]++
	if h = newHeld(client, limits); !h.guest() {
		w.held[h] = struct{}{}
	}
	if !w.polling {
		w.polling = true
		go w.run()
	}
	return h, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.all--
		delete(w.held, h)
		if w.clients[client.Name]--; w.clients[client.Name] == 0 {
			delete(w.clients, client.Name)
		}
	}, nil
}

// watch returns a channel that is closed when there are changes that a later read can return. Call it before reading.
func (w *waiting) watch() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.moved
}

// open watches the inbox of a user. The caller must call leave when it ends. counted is true if it was watched already, so
// the next count may close no channel.
func (w *waiting) open(user domain.UserID) (counted bool, leave func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	box := w.inboxes[user]
	if box == nil {
		box = &inbox{unread: -1, changed: make(chan struct{})}
		w.inboxes[user] = box
	}
	box.streams++
	return box.unread >= 0, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if box.streams--; box.streams == 0 {
			delete(w.inboxes, user)
		}
	}
}

// watchInbox returns a channel that is closed when the number of unread notifications of a user changes, or nil if
// their inbox is not watched.
func (w *waiting) watchInbox(user domain.UserID) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if box := w.inboxes[user]; box != nil {
		return box.changed
	}
	return nil
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
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for counted, checked := (time.Time{}), time.Now(); ; {
		ctx, cancel := context.WithTimeout(context.Background(), pollTimeout)
		moved, more, err := w.shared.advance(ctx)
		if time.Since(counted) >= pollEvery/2 {
			counted = time.Now()
			w.count(ctx)
		}
		cancel()
		if moved || time.Since(checked) >= pollEvery/2 { // before the requests are woken
			checked = time.Now()
			ctx, cancel := context.WithTimeout(context.Background(), pollTimeout)
			w.check(ctx)
			cancel()
		}
		if !w.polled(moved) {
			return
		}
		if more && err == nil {
			w.poll()
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

// count reads the numbers of unread notifications of the watched inboxes, in one statement.
func (w *waiting) count(ctx context.Context) {
	w.mu.Lock()
	users := make([]domain.UserID, 0, len(w.inboxes))
	for user := range w.inboxes {
		users = append(users, user)
	}
	w.mu.Unlock()
	if len(users) == 0 {
		return
	}
	unread, err := w.shared.store.Activity().UnreadOf(ctx, users)
	if err != nil {
		return // the next poll tries again
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, user := range users {
		box := w.inboxes[user]
		if box == nil || box.unread == unread[user] {
			continue
		}
		close(box.changed)
		box.changed, box.unread = make(chan struct{}), unread[user]
	}
}

// polled wakes the waiting requests if there may be new changes. It returns false if no request waits.
func (w *waiting) polled(moved bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if moved {
		close(w.moved)
		w.moved = make(chan struct{})
	}
	if w.polling = w.all > 0; !w.polling {
		w.shared.forget()
	}
	return w.polling
}

// Waiting returns how many requests wait for changes.
func (a *Changes) Waiting() int {
	a.waiting.mu.Lock()
	defer a.waiting.mu.Unlock()
	return a.waiting.all
}

// Close ends all waits, for the shutdown. Waiting requests respond without changes, and streams end.
func (a *Changes) Close() { a.waiting.close() }

// slot calls fn, which reads the database for a request that waits. Only a few run at once, as a change may wake
// thousands.
func (w *waiting) slot(ctx context.Context, fn func() error) error {
	select {
	case w.reading <- struct{}{}:
		defer func() { <-w.reading }()
		return fn()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// follower reads the changes for a request that waits: from the database while it is behind, and then from what all
// share.
type follower struct {
	*Changes
	actor domain.Actor
	in    Input
	at    point // "" as the secret at first: the database checks the cursor
}

// next returns the next page. Without changes, its cursor is the last one.
func (f *follower) next(ctx context.Context) (p Page, err error) {
	b, more, ok := f.shared.after(f.at)
	switch {
	case f.at.secret == "" || !ok || f.actor.Limits.InChannels(): // what all share is not limited to channels
		err = f.waiting.slot(ctx, func() error {
			p, err = f.Read(ctx, f.actor, f.in)
			return err
		})
	case b != nil:
		p, err = b.page(ctx, f.at, f.actor.UserID, f.in.Channel, f.waiting.slot)
		p.More = more
	default:
		return Page{From: f.in.Cursor, Cursor: f.in.Cursor, at: f.at}, nil
	}
	if err == nil {
		f.at, f.in.Cursor = p.at, p.Cursor
	}
	return p, err
}

// send sends the next page of a stream unless it is like the last one.
func (f *follower) send(ctx context.Context, h *held, to Stream, first bool) (more bool, err error) {
	was := f.in.Cursor
	p, err := f.next(ctx)
	if err == nil && first && p.More && to.Short {
		f.at, f.in.Cursor, was = point{}, "", ""
		p, err = f.next(ctx)
	}
	if over := h.over(); over != nil {
		return false, over
	}
	p.Missed = first && was == ""
	if err == nil && (first || p.Cursor != was) {
		err = to.Send(p)
	}
	return p.More, err
}

// Await is Read that waits until there is a change, or until the requested time is over.
func (a *Changes) Await(ctx context.Context, actor domain.Actor, in Input, client Client) (p Page, err error) {
	if err := in.Validate(); err != nil || in.Wait == 0 || in.Cursor == "" {
		return a.Read(ctx, actor, in)
	}
	h, leave, err := a.waiting.enter(client, actor.Limits)
	if err != nil {
		return p, err
	}
	defer leave()
	late := time.NewTimer(in.Wait)
	defer late.Stop()
	for f := (follower{Changes: a, actor: actor, in: in}); ; {
		moved := a.waiting.watch()
		p, err = f.next(ctx)
		if over := h.over(); over != nil {
			return Page{}, over
		}
		if err != nil || len(p.Changes) > 0 {
			return p, err
		}
		if p.More {
			moved = ready
		}
		select {
		case <-late.C:
			return p, nil
		case <-a.waiting.closed:
			return p, nil
		case <-h.ended:
			return Page{}, h.why
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
// connects again.
const (
	Beat       = 15 * time.Second
	StreamTime = 5 * time.Minute
)

// ErrClosed ends streams at the shutdown.
var ErrClosed = errors.New("changes: the server shuts down")

// Stream receives the pages of a stream, including the first, which is sent at once. A page without changes only moves
// the cursor. Unread may be nil; it is called when the number of unread notifications of the actor is
// known, and when it has changed. A stream that is Short and would begin with more than one page starts now instead.
type Stream struct {
	Short  bool
	Send   func(Page) error
	Unread func() error
}

// Follow sends all further changes until the stream ends, at the latest soon after the token or session has ended. An error
// before the first page can be shown to the client.
func (a *Changes) Follow(ctx context.Context, actor domain.Actor, in Input, client Client, to Stream) error {
	if err := in.Validate(); err != nil {
		return err
	}
	h, leave, err := a.waiting.enter(client, actor.Limits)
	if err != nil {
		return err
	}
	defer leave()
	var unread <-chan struct{}
	if to.Unread != nil && actor.SignedIn() {
		counted, leave := a.waiting.open(actor.UserID)
		defer leave()
		if unread = a.waiting.watchInbox(actor.UserID); counted {
			unread = ready // the page may show an older number
		}
	}
	end := time.NewTimer(StreamTime)
	defer end.Stop()
	beat := time.NewTicker(Beat)
	defer beat.Stop()
	f := follower{Changes: a, actor: actor, in: in}
	for first := true; ; first = false {
		moved := a.waiting.watch()
		more, err := f.send(ctx, h, to, first)
		if err != nil {
			return err
		}
		if more {
			moved = ready
		}
		for waits := true; waits; {
			if over := h.over(); over != nil {
				return over // even if something else has happened, too
			}
			select {
			case <-h.ended:
				return h.why
			case <-beat.C:
				if err := to.Send(Page{Cursor: f.in.Cursor}); err != nil {
					return err
				}
			case <-unread:
				unread = a.waiting.watchInbox(actor.UserID)
				if err := to.Unread(); err != nil {
					return err
				}
			case <-moved:
				waits = false
			case <-end.C:
				return nil
			case <-a.waiting.closed:
				return ErrClosed
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}
