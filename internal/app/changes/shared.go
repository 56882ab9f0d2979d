package changes

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// The requests that wait share what was read last: at most batchesKept batches of at most batchRows changes, for batchTime,
// as what everyone may see of a batch is read once.
const (
	batchRows    = 256
	batchesKept  = 32
	batchesAhead = batchesKept / 2 // of one poll, so that those who are up to date find them
	batchTime    = 10 * time.Second
)

// shared reads each change once for all requests that wait at this server.
type shared struct {
	store *store.Store

	mu      sync.Mutex
	known   bool                  // end is valid
	head    domain.ChangePosition // of the last change that could be read
	end     point                 // everything after it is in later batches
	batches []*batch              // the last ones, without gaps

	last atomic.Pointer[string] // the cursor of the last known end, which stays when nobody waits any more
}

// ends sets the end. The caller holds the mutex.
func (s *shared) ends(at point) {
	cursor := at.cursor()
	s.end = at
	s.last.Store(&cursor)
}

// Known returns a cursor that is in memory, "" if there is none yet. Everything before it has been committed, so a reader who reads
// something afterwards and then follows the changes from this cursor misses none.
func (a *Changes) Known() string {
	if cursor := a.shared.last.Load(); cursor != nil {
		return *cursor
	}
	return ""
}

// forget is called when nobody waits any more.
func (s *shared) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known, s.batches = false, nil
}

// advance reads the changes since the last call. It reports whether there may be new ones, and whether there are more. Only
// one goroutine calls it.
func (s *shared) advance(ctx context.Context) (moved, more bool, err error) {
	s.mu.Lock()
	s.expire()
	s.mu.Unlock()
	head, err := s.store.Changes().Head(ctx)
	if err != nil || s.known && head == s.head {
		return false, false, err
	}
	for range batchesAhead {
		b, again, err := s.next(ctx)
		if err != nil {
			return moved, false, err
		}
		moved = moved || again || b != nil
		if b != nil {
			s.append(b)
		}
		if b == nil || len(b.rows) < batchRows {
			s.head = head
			return moved, false, nil
		}
	}
	return true, true, nil
}

// next reads the next batch, nil if there is none. The first call, and the first one in another epoch, only sets the end and returns true.
func (s *shared) next(ctx context.Context) (b *batch, again bool, err error) {
	err = s.store.InSnapshot(ctx, func(v *store.Snapshot) error {
		state, err := v.Changes().State(ctx)
		if err != nil {
			return err
		}
		if !s.known || state.Secret != s.end.secret {
			s.mu.Lock()
			defer s.mu.Unlock()
			again, s.known, s.batches = true, true, nil
			s.ends(point{state.End, state.Secret})
			return nil
		}
		rows, err := v.Changes().After(ctx, s.end.ChangePosition, batchRows)
		if len(rows) > 0 {
			b = &batch{since: time.Now(), from: s.end, to: point{rows[len(rows)-1].At, state.Secret}, rows: rows, reads: s.store}
		}
		return err
	})
	return b, again, err
}

func (s *shared) append(b *batch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ends(b.to)
	if s.batches = append(s.batches, b); len(s.batches) > batchesKept {
		s.batches = slices.Clone(s.batches[1:]) // frees the first
	}
}

// expire drops the batches that were read too long ago. Clients behind them read from the database.
func (s *shared) expire() {
	n := 0
	for n < len(s.batches) && time.Since(s.batches[n].since) > batchTime {
		n++
	}
	if n > 0 {
		s.batches = slices.Clone(s.batches[n:]) // frees the others
	}
}

// after returns the batch with the changes after a point, or nil if there are none yet. It returns false if the changes
// must be read from the database, because they came before all batches or in another epoch.
func (s *shared) after(p point) (b *batch, more, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	switch {
	case !s.known:
		return nil, false, true // the first poll wakes all
	case p.secret != s.end.secret:
		return nil, false, false
	case !p.Before(s.end.ChangePosition):
		return nil, false, true
	}
	for i, b := range slices.Backward(s.batches) {
		if !p.Before(b.from.ChangePosition) {
			return b, i < len(s.batches)-1, true
		}
	}
	return nil, false, false
}

// batch is a part of the outbox, with the things in it that all viewers see.
type batch struct {
	since    time.Time // when it was read
	from, to point
	rows     []domain.Change
	reads    *store.Store

	mu     sync.Mutex
	public *public
	shown  map[shownAs]*Shown
}

// public is what guests, and therefore all, may see.
type public struct {
	sight
	things  things
	rest    things // the channels and blocks that guests cannot see
	grouped bool   // groups are part of an audience
}

type shownAs struct {
	row  int
	kind domain.ChangeKind
}

// page returns the changes of the batch after a position as a viewer sees them. busy limits the readers of the database.
func (b *batch) page(ctx context.Context, after point, viewer domain.UserID, channel domain.ChannelID, busy func(context.Context, func() error) error) (p Page, err error) {
	pub, err := b.open(busy)
	if err != nil {
		return p, err
	}
	s := pub.sight
	s.viewer, s.channel = viewer, channel
	if channel != 0 && len(pub.things.blocks) > 0 || viewer != 0 && (pub.grouped || len(pub.rest.channels)+len(pub.rest.blocks) > 0) {
		err := busy(ctx, func() (err error) {
			s, err = pub.of(ctx, b.reads, viewer, channel)
			return err
		})
		if err != nil {
			return p, err
		}
	}
	p = Page{From: after.cursor(), Cursor: b.to.cursor(), at: b.to}
	first, _ := slices.BinarySearchFunc(b.rows, after.ChangePosition, func(c domain.Change, at domain.ChangePosition) int {
		if at.Before(c.At) {
			return 1
		}
		return -1 // the change itself is not wanted again
	})
	for i := first; i < len(b.rows); i++ {
		if kind := s.kind(&b.rows[i]); kind != "" {
			p.Changes = append(p.Changes, b.as(i, kind))
		}
	}
	return p, nil
}

// open reads what everyone may see, once. It does not depend on the request that comes first.
func (b *batch) open(busy func(context.Context, func() error) error) (*public, error) {
	ctx, cancel := context.WithTimeout(context.Background(), pollTimeout)
	defer cancel()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.public != nil {
		return b.public, nil
	}
	p := &public{things: thingsOf(b.rows)}
	err := busy(ctx, func() error {
		return b.reads.InSnapshot(ctx, func(v *store.Snapshot) (err error) {
			p.sight, err = lookAt(ctx, v.Changes(), 0, 0, b.rows)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	p.rest.channels = without(p.things.channels, p.channels)
	p.rest.blocks = without(p.things.blocks, p.blocks)
	p.grouped = slices.ContainsFunc(b.rows, func(c domain.Change) bool { return c.Audience.Grouped() })
	b.public, b.shown = p, map[shownAs]*Shown{}
	return p, nil
}

// without returns the ids that are not known.
func without[T comparable](ids []T, known map[T]bool) []T {
	return slices.DeleteFunc(slices.Clone(ids), func(id T) bool { return known[id] })
}

// of reads what only a viewer may see.
func (p *public) of(ctx context.Context, from *store.Store, viewer domain.UserID, channel domain.ChannelID) (s sight, err error) {
	err = from.InSnapshot(ctx, func(v *store.Snapshot) error {
		if s, err = p.sight.of(ctx, v.Changes(), viewer, channel, p.things); err != nil || viewer == 0 {
			return err
		}
		channels, blocks, err := visible(ctx, v.Changes(), viewer, p.rest)
		s.channels, s.blocks = union(p.channels, channels), union(p.blocks, blocks)
		return err
	})
	return s, err
}

func union[T comparable](a, b map[T]bool) map[T]bool {
	if len(b) == 0 {
		return a
	}
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// as returns a change of the batch, which all viewers share who see it as the same kind.
func (b *batch) as(row int, kind domain.ChangeKind) *Shown {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := shownAs{row, kind}
	c := b.shown[key]
	if c == nil {
		c = &Shown{Change: b.rows[row], Cursor: cursorOf(b.to.secret, b.rows[row].At)}
		c.Kind = kind
		b.shown[key] = c
	}
	return c
}
