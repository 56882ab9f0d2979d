// Package changes lists changes for other programs (docs/design/changes.md).
package changes

import (
	"context"
	"sync/atomic"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Kept is how long changes are kept.
const Kept = 30 * 24 * time.Hour

// MaxWait is the longest wait for a change.
const MaxWait = domain.MaxChangesWait * time.Second

// pageRows is how many changes a page reads. A viewer may see fewer of them.
const pageRows = 100

// Changes contains the use cases.
type Changes struct {
	*core.Core
	waiting *waiting
	shared  *shared
}

// New creates the use cases. At most `waiting` requests wait for changes at once.
func New(c *core.Core, waiting int) *Changes {
	a := &Changes{Core: c, shared: &shared{store: c.Store.AtPrimary()}}
	a.waiting = newWaiting(waiting, a.shared, c.Now)
	c.Store.OnChanges(a.waiting.poll)
	return a
}

// Input selects changes.
type Input struct {
	Cursor  string           // "" for a cursor that starts now
	Channel domain.ChannelID // 0 for all
	Wait    time.Duration    // how long to wait until there is a change
}

// Validate checks everything except the cursor.
func (in Input) Validate() error {
	var f domain.Faults
	f.Between("wait", int64(in.Wait/time.Second), 0, int64(MaxWait/time.Second))
	if in.Channel < 0 {
		f.Add("channel", domain.FieldUnknown, "must be the id of a channel")
	}
	return f.Err()
}

// Shown is a change as a viewer may see it, and the cursor that continues after it. Streams share it.
type Shown struct {
	domain.Change
	Cursor string
	events [formats]atomic.Pointer[[]byte]
}

// Format is a format of events in streams.
type Format int

// The formats of events.
const (
	FormatAPI Format = iota
	FormatSite
	formats
)

// Event returns the change in a format, which encode produces once for all streams that share the change.
func (c *Shown) Event(f Format, encode func(*Shown) []byte) []byte {
	if known := c.events[f].Load(); known != nil {
		return *known
	}
	event := encode(c)
	c.events[f].Store(&event)
	return event
}

// Page is a page of changes. From is the cursor before it, and Cursor continues after it. More reports whether more changes can be read at once.
type Page struct {
	Changes []*Shown
	From    string
	Cursor  string
	More    bool
	Missed  bool  // a stream starts with this page, and what changed before it is unknown
	at      point // of Cursor
}

// point is a position in an epoch, whose secret authenticates cursors.
type point struct {
	domain.ChangePosition
	secret string
}

// Start returns the cursor before the changes of a page, with which a stream starts.
func (p Page) Start() string {
	if len(p.Changes) > 0 {
		return p.From
	}
	return p.Cursor
}

func (p point) cursor() string { return cursorOf(p.secret, p.ChangePosition) }

// Read returns the changes after a cursor, as far as the actor may see them. Without a cursor it returns none, and the
// cursor that starts now.
func (a *Changes) Read(ctx context.Context, actor domain.Actor, in Input) (p Page, err error) {
	if err := in.Validate(); err != nil {
		return p, err
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		s, err := v.Changes().State(ctx)
		if err != nil {
			return err
		}
		if in.Cursor == "" {
			p = Page{at: point{s.End, s.Secret}}
			p.Cursor = p.at.cursor()
			return nil
		}
		at, err := positionOf(s, in.Cursor)
		if err != nil {
			return err
		}
		p = Page{From: in.Cursor, Cursor: in.Cursor, at: point{at, s.Secret}}
		rows, err := v.Changes().After(ctx, at, pageRows)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			if actor.Limits.InChannels() && at.Before(s.End) { // others have changed; do not look at these changes again
				p.at.ChangePosition = s.End
				p.Cursor = p.at.cursor()
			}
			return nil
		}
		p.at.ChangePosition = rows[len(rows)-1].At
		p.Cursor, p.More = p.at.cursor(), len(rows) == pageRows
		seen, err := lookAt(ctx, v.Changes(), actor.UserID, in.Channel, rows)
		if err != nil {
			return err
		}
		for i := range rows {
			if kind := seen.kind(&rows[i]); kind != "" {
				c := &Shown{Change: rows[i], Cursor: cursorOf(s.Secret, rows[i].At)}
				c.Kind = kind
				p.Changes = append(p.Changes, c)
			}
		}
		return nil
	})
	return p, err
}

// SweepChanges is the job that deletes old changes.
type SweepChanges struct{}

// Kind implements jobs.Args.
func (SweepChanges) Kind() string { return "sweep_changes" }

// SweepChanges deletes old changes. It may stop at any point and run again.
func (a *Changes) SweepChanges(ctx context.Context) error {
	before := a.Now().Add(-Kept)
	return a.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.Changes().ForgetChanges(ctx, before, core.SweepBatch) })
}

// Lag returns how long the oldest change has waited that is committed but cannot be read yet, because an older
// transaction is in progress.
func (a *Changes) Lag(ctx context.Context) (time.Duration, error) {
	at, err := a.Store.AtPrimary().Changes().OldestWaiting(ctx)
	if err != nil || at == nil {
		return 0, err
	}
	return max(0, a.Now().Sub(*at)), nil
}
