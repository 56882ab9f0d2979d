package importing

import (
	"cmp"
	"context"
	"fmt"

	"vitrine/internal/app/transfer"
	"vitrine/internal/domain"
	"vitrine/internal/importing/source"
)

// How many items of a channel are written in one batch.
const (
	maxWaiting      = 100
	maxWaitingBytes = 1 << 20 // of texts
	maxWaitingFiles = 16

	// maxBusy is the number of channels that may have a full batch waiting. If a source alternates
	// between more of them, as a table does, each is written sooner.
	maxBusy = 16
)

// channel is a channel being imported. Only the goroutine that hands over its items uses its
// fields.
type channel struct {
	id      domain.ChannelID // 0: refused, or not created in a dry run
	refused bool
	first   bool // created by this import, so that it contains nothing to compare with
	fromTop bool // its items come from the top
	orphans bool // a placeholder for blocks that are in no channel
	visible bool // everyone can see it
	private bool // it should be private: nothing is added once everyone can see it
	inner   bool // the file marks its entries as private, which overrides the visibility of the import

	waiting []waiting
	bytes   int
	files   int
	order   []transfer.Placed // items that were handed over and exist here
	place   int64             // the highest position of those
	last    domain.ConnectionID
}

// visibleHere is the reason why nothing is added to a channel that its owner has opened here.
const visibleHere = "It is private there, but everyone can see it here: nothing was added. Make it private, or allow the import to add to it"

// waiting is an item to be written, or a comment, for which thing is nil.
type waiting struct {
	prepared *transfer.PreparedItem
	item     source.Item // its files, and its name for reports
	comment  *transfer.ImportCommentInput
	where    string
	here     bool // its block existed before
}

// Channel creates the channel, or finds it from an earlier import.
func (t *sink) Channel(ctx context.Context, c source.Channel) error {
	asked := cmp.Or(c.Visibility, t.Visibility, domain.Closed)
	at := &channel{id: t.into, fromTop: c.FromTop, private: asked == domain.Private && !t.IntoVisible}
	defer func() {
		t.mu.Lock()
		t.channels[c.ID] = at
		t.mu.Unlock()
	}()
	if t.Into != nil {
		at.visible = !t.intoPrivate
		switch at.refused = at.visible && (c.Visibility == domain.Private || at.private); {
		case at.refused:
			t.LeftOut(named{"channel", c.Title, c.Where}.left("It is private there, and the channel that it would go into is not"))
		case c.FromTop && t.file != nil:
			at = t.file
		case c.FromTop:
			t.file = at
		}
		return nil
	}
	in := transfer.ImportChannelInput{ID: shortID(c.ID), Title: c.Title, Description: c.Description, Visibility: asked, Layout: c.Layout, Snapshots: c.Snapshots,
		Metadata: t.metadata(c.Metadata, c.Owner), CreatedAt: c.CreatedAt, KeepTitle: c.Root && t.ofDocument}
	at.inner = t.ofDocument && !t.former && c.Visibility == domain.Private
	name := named{"channel", c.Title, c.Where}
	err := t.mend(name, func() error { return in.Validate() }, func(f domain.FieldError) bool {
		switch f.Path {
		case "title":
			return cut(&in.Title, domain.MaxTitle)
		case "description":
			return cut(&in.Description, domain.MaxDescription)
		case "visibility":
			in.Visibility = domain.Private // the intended visibility is unknown
			at.private = !t.IntoVisible
			return true
		case "layout":
			in.Layout = ""
			return true
		}
		return false
	})
	if err == nil {
		in.Metadata, err = t.mendMetadata(name, "metadata", in.Metadata)
	}
	var known domain.Channel
	if err == nil {
		known, err = t.app.Transfer.KnownChannel(ctx, t.actor, t.origin, in.ID)
	}
	at.visible = cmp.Or(known.Visibility, in.Visibility) != domain.Private
	if err == nil && at.visible && at.private {
		at.id, at.refused = known.ID, true
		t.LeftOut(name.left(visibleHere))
		return nil
	}
	if err == nil && t.DryRun {
		if at.id = known.ID; at.id == 0 {
			at.first = true
			t.count(func(c *Counts) { c.Channels++ })
		}
		return nil
	}
	became := transfer.Unchanged
	if err == nil {
		at.id, became, err = t.app.Transfer.ImportChannel(ctx, t.actor, t.origin, in)
	}
	if why, refused := refusal(err); refused {
		at.refused = true
		t.LeftOut(name.left(why))
		return nil
	}
	at.first = became == transfer.Made
	t.count(func(c *Counts) {
		switch became {
		case transfer.Made:
			c.Channels++
		case transfer.Changed:
			c.Changed++
		}
	})
	return err
}

// at returns a channel that Channel was called for.
func (t *sink) at(id string) (*channel, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c, ok := t.channels[id]
	if !ok {
		return nil, fmt.Errorf("importing: channel %q was not handed over", id)
	}
	return c, nil
}

// nests reports whether a channel was handed over.
func (t *sink) nests(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	c, ok := t.channels[id]
	return ok && !c.refused
}

// Item adds an item to the channel's batch.
func (t *sink) Item(ctx context.Context, channel string, it source.Item) error {
	c, err := t.at(channel)
	if err != nil || c.refused {
		return err
	}
	if c.inner && it.Kind != source.Nested {
		it.ID = "private:" + it.ID // so it shares no block with visible items
		it.FormerID = ""           // earlier versions had no such channels
	}
	if it.Kind == source.Nested && t.Into != nil {
		t.count(func(c *Counts) { c.Seen++ })
		return nil
	}
	thing := t.prepare(it)
	if thing == nil {
		t.count(func(c *Counts) { c.Seen++ })
		return nil
	}
	c.bytes += len(it.Title) + len(it.Description) + len(it.Content)
	for _, h := range it.Highlights {
		c.bytes += len(h.Quote.Exact) + len(h.Note)
	}
	if it.File != nil || it.Preview != nil {
		c.files++
	}
	return t.wait(ctx, c, waiting{prepared: thing, item: it, where: it.Where})
}

// wait adds something to the channel's batch.
func (t *sink) wait(ctx context.Context, c *channel, w waiting) error {
	if len(c.waiting) == 0 {
		t.busy.Add(1)
	}
	c.waiting = append(c.waiting, w)
	share := max(int(t.busy.Load())/maxBusy, 1)
	if len(c.waiting) < maxWaiting/share && c.bytes < maxWaitingBytes/share && c.files < maxWaitingFiles {
		return nil
	}
	return t.flush(ctx, c)
}

// Comment adds a comment to the channel's batch.
func (t *sink) Comment(ctx context.Context, channel, item string, cm source.Comment) error {
	c, err := t.at(channel)
	if err != nil || c.refused {
		return err
	}
	in := t.comment(item, cm)
	if in == nil {
		return nil
	}
	c.bytes += len(in.Body)
	return t.wait(ctx, c, waiting{comment: in, where: cm.Where})
}

// Close writes the rest of a channel and updates the order of its items.
func (t *sink) Close(ctx context.Context, channel string) error {
	c, err := t.at(channel)
	if err != nil || c.refused {
		return err
	}
	if err := t.flush(ctx, c); err != nil {
		return err
	}
	order := c.order
	c.order = nil
	if t.DryRun || t.Into != nil { // existing items of another channel have their own order
		return nil
	}
	moved, err := t.app.Transfer.Arrange(ctx, t.actor, t.origin, c.id, order, c.fromTop)
	if _, refused := refusal(err); refused { // the channel has another owner now
		return nil
	}
	t.count(func(c *Counts) { c.Moved += int64(moved) })
	return err
}
