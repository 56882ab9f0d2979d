// Package changes lists changes for other programs (docs/design/changes.md).
package changes

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/changes"
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
}

// New creates the use cases.
func New(c *core.Core) *Changes {
	a := &Changes{Core: c, waiting: newWaiting()}
	a.waiting.head = func(ctx context.Context) (domain.ChangePosition, error) {
		return c.Store.AtPrimary().Changes().Head(ctx)
	}
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

// Shown is a change as a viewer may see it, and the cursor that continues after it.
type Shown struct {
	domain.Change
	Cursor string
}

// Page is a page of changes. From is the cursor before it, and Cursor continues after it. More reports whether more changes can be read at once.
type Page struct {
	Changes []Shown
	From    string
	Cursor  string
	More    bool
}

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
			p = Page{Cursor: cursorOf(s.Secret, s.End)}
			return nil
		}
		at, err := positionOf(s, in.Cursor)
		if err != nil {
			return err
		}
		rows, err := v.Changes().After(ctx, at, pageRows)
		if err != nil || len(rows) == 0 {
			p = Page{From: in.Cursor, Cursor: in.Cursor}
			return err
		}
		p = Page{From: in.Cursor, Cursor: cursorOf(s.Secret, rows[len(rows)-1].At), More: len(rows) == pageRows}
		shown, err := Visible(ctx, v.Changes(), actor.UserID, in.Channel, rows)
		for _, c := range shown {
			p.Changes = append(p.Changes, Shown{c, cursorOf(s.Secret, c.At)})
		}
		return err
	})
	return p, err
}

// sight is what a viewer may see now, of the things in some changes.
type sight struct {
	viewer   domain.UserID
	groups   map[domain.GroupID]time.Time
	channels map[domain.ChannelID]bool
	blocks   map[domain.BlockID]bool
	comments map[domain.CommentID]bool    // that exist
	joins    map[domain.ConnectionID]bool // that exist
	inside   map[domain.BlockID]bool      // the blocks in the requested channel
}

// Visible returns the changes that concern a viewer, and a channel unless it is 0. The number of statements does not
// depend on the number of changes.
func Visible(ctx context.Context, r changes.Reads, viewer domain.UserID, channel domain.ChannelID, rows []domain.Change) (shown []domain.Change, err error) {
	s := sight{viewer: viewer}
	var channels []domain.ChannelID
	var blocks []domain.BlockID
	var comments []domain.CommentID
	var joins []domain.ConnectionID
	note := func(what domain.Subject) {
		switch what.Type {
		case domain.SubjectChannel:
			channels = append(channels, domain.ChannelID(what.ID))
		case domain.SubjectBlock:
			blocks = append(blocks, domain.BlockID(what.ID))
		case domain.SubjectComment:
			comments = append(comments, domain.CommentID(what.ID))
		case domain.SubjectConnection:
			joins = append(joins, domain.ConnectionID(what.ID))
		}
	}
	for i := range rows {
		c := &rows[i]
		note(domain.Subject{Type: c.Type, ID: c.ID})
		if c.Channel != 0 {
			channels = append(channels, c.Channel)
		}
		if c.Type == domain.SubjectComment || c.Item.Type == domain.SubjectChannel {
			note(c.Item)
		}
	}
	if s.groups, err = r.Groups(ctx, viewer); err != nil {
		return nil, err
	}
	if s.channels, err = r.VisibleChannels(ctx, viewer, unique(channels)); err != nil {
		return nil, err
	}
	blocks = unique(blocks)
	if s.blocks, err = r.VisibleBlocks(ctx, viewer, blocks); err != nil {
		return nil, err
	}
	if s.comments, err = r.Comments(ctx, unique(comments)); err != nil {
		return nil, err
	}
	if s.joins, err = r.Connections(ctx, unique(joins)); err != nil {
		return nil, err
	}
	if channel != 0 {
		if s.inside, err = r.BlocksIn(ctx, channel, blocks); err != nil {
			return nil, err
		}
	}
	for i := range rows {
		c := rows[i]
		if channel != 0 && !s.concerns(&c, channel) {
			continue
		}
		before := c.Audience.Includes(viewer, s.groups, c.CreatedAt) && s.item(&c)
		if c.Kind = c.For(before, s.sees(&c)); c.Kind != "" {
			shown = append(shown, c)
		}
	}
	return shown, nil
}

func unique[T ~int64](ids []T) []T {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// sees reports whether the viewer can see the thing of a change now.
func (s *sight) sees(c *domain.Change) bool {
	switch c.Type {
	case domain.SubjectChannel:
		return s.channels[domain.ChannelID(c.ID)]
	case domain.SubjectBlock:
		return s.blocks[domain.BlockID(c.ID)]
	case domain.SubjectConnection:
		return s.joins[domain.ConnectionID(c.ID)] && s.channels[c.Channel] && s.item(c)
	case domain.SubjectComment:
		return s.comments[domain.CommentID(c.ID)] && s.blocks[domain.BlockID(c.Item.ID)]
	case domain.SubjectGroup:
		if c.Kind == domain.ChangeJoined || c.Kind == domain.ChangeLeft {
			return c.Audience.Includes(s.viewer, s.groups, c.CreatedAt)
		}
	}
	return true // users and groups are public
}

// item reports whether the viewer may learn which item a connection contains. Viewers who cannot see a channel got
// its deletion, or never knew it.
func (s *sight) item(c *domain.Change) bool {
	return c.Item.Type != domain.SubjectChannel || s.channels[domain.ChannelID(c.Item.ID)]
}

// concerns reports whether a change is about a channel or its contents.
func (s *sight) concerns(c *domain.Change, channel domain.ChannelID) bool {
	switch c.Type {
	case domain.SubjectChannel:
		return c.ID == int64(channel)
	case domain.SubjectConnection:
		return c.Channel == channel || c.Item == domain.Subject{Type: domain.SubjectChannel, ID: int64(channel)}
	case domain.SubjectBlock:
		return s.inside[domain.BlockID(c.ID)]
	case domain.SubjectComment:
		return s.inside[domain.BlockID(c.Item.ID)]
	}
	return false
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
