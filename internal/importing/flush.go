package importing

import (
	"cmp"
	"context"
	"io"

	"golang.org/x/sync/errgroup"

	"vitrine/internal/app/content"
	"vitrine/internal/app/core"
	"vitrine/internal/app/transfer"
	"vitrine/internal/domain"
	"vitrine/internal/importing/source"
)

// flush writes the batch of a channel: new items together, changed existing items one by one, and
// then the comments.
func (t *sink) flush(ctx context.Context, c *channel) error {
	all := c.waiting
	c.waiting, c.bytes, c.files = nil, 0, 0
	if len(all) > 0 {
		t.busy.Add(-1)
	}
	var items []waiting
	for _, w := range all {
		if w.prepared != nil {
			items = append(items, w)
		}
	}
	if err := t.items(ctx, c, items); err != nil {
		return err
	}
	for _, add := range []func(context.Context, *channel, []waiting) error{t.copies, t.highlights} {
		if err := add(ctx, c, items); err != nil {
			return err
		}
	}
	for _, w := range all {
		if w.comment == nil {
			continue
		}
		if err := t.importComment(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// items writes consecutive items.
func (t *sink) items(ctx context.Context, c *channel, items []waiting) error {
	if len(items) == 0 {
		return nil
	}
	things := make([]*transfer.PreparedItem, len(items))
	for i, w := range items {
		things[i] = w.prepared
	}
	if err := t.app.Transfer.UseFormerIDs(ctx, t.actor, t.origin, things); err != nil {
		return err
	}
	known, err := t.app.Transfer.KnownItems(ctx, t.actor, t.origin, c.id, things)
	if err != nil {
		return err
	}
	for i, k := range known {
		items[i].here = k.Block != nil
	}
	hidden, err := t.hidden(ctx, c, items, known)
	if err != nil {
		return err
	}
	var fresh []int
	blocked := 0
	for i, k := range known {
		switch {
		case items[i].prepared.Nested && k.Block == nil && !(t.DryRun && t.nests(items[i].item.ID)):
			t.leftOut(items[i], "The channel is not among those that are imported")
		case k.Blocked:
			t.leftOut(items[i], "It "+core.SiteBlocked)
			blocked++
		case hidden[i]:
			t.leftOut(items[i], "It is private here, but everyone can see the channel")
			blocked++
		case k.Connection == nil && !(c.orphans && k.Block != nil):
			fresh = append(fresh, i)
		}
	}
	if t.DryRun {
		t.count(func(n *Counts) {
			n.Seen += int64(len(items))
			n.Unchanged += int64(len(items) - len(fresh) - blocked)
			for _, i := range fresh {
				if !c.orphans {
					n.Connections++
				}
				if known[i].Block == nil && !items[i].prepared.Nested {
					n.made(items[i].item.Kind)
				}
			}
		})
		return nil
	}
	ready, err := t.fetch(ctx, items, known, fresh)
	defer release(ctx, items)
	if err != nil {
		return err
	}
	placed := make([]transfer.Placed, len(items))
	below := c.place
	for i, k := range known {
		if k.Connection != nil {
			placed[i] = transfer.Placed{Connection: domain.ConnectionID(k.Connection.Local), Place: k.Connection.Place}
			below = max(below, k.Connection.Place)
		}
		if k.Connection != nil || c.orphans && k.Block != nil {
			if err := t.change(ctx, c, items[i], k); err != nil {
				return err
			}
		}
	}
	t.count(func(n *Counts) { n.Seen += int64(blocked) })
	if err := t.importItems(ctx, c, items, ready, placed, below); err != nil {
		return err
	}
	for _, p := range placed {
		if p.Connection != 0 {
			c.order = append(c.order, p)
			c.place = max(c.place, p.Place)
			c.last = p.Connection
		}
	}
	return nil
}

// hidden reports for each item whether its block exists here, only its owner can see it, and everyone
// could if it were added to the channel: importing a file again must not publish it. It is nil if
// the source defines the visibility of channels.
func (t *sink) hidden(ctx context.Context, c *channel, items []waiting, known []transfer.Known) ([]bool, error) {
	all := make([]bool, len(known))
	if !t.ofDocument || !c.visible || t.IntoVisible {
		return all, nil
	}
	var ids []domain.BlockID
	for i, k := range known {
		if all[i] = !items[i].prepared.Nested && k.Block != nil && k.Connection == nil; all[i] {
			ids = append(ids, domain.BlockID(k.Block.Local))
		}
	}
	visible, err := t.app.Transfer.VisibleBlocks(ctx, ids)
	for i, k := range known {
		all[i] = all[i] && !visible[domain.BlockID(k.Block.Local)]
	}
	return all, err
}

// change updates an existing item to the source's version.
func (t *sink) change(ctx context.Context, c *channel, w waiting, k transfer.Known) error {
	became, err := t.app.Transfer.ChangeItem(ctx, t.actor, t.origin, c.id, w.prepared, k, !c.orphans && !c.visible && !t.IntoVisible)
	if why, refused := refusal(err); refused {
		t.leftOut(w, why)
		err = nil
	}
	t.count(func(n *Counts) {
		n.Seen++
		if became == transfer.Changed {
			n.Changed++
		} else {
			n.Unchanged++
		}
	})
	return err
}

// importItems writes the new items of a channel: all together or, if something is refused, one by one, so
// that only the refused one is left out.
func (t *sink) importItems(ctx context.Context, c *channel, items []waiting, which []int, placed []transfer.Placed, below int64) error {
	if len(which) == 0 {
		return nil
	}
	things := make([]*transfer.PreparedItem, len(which))
	for n, i := range which {
		things[n] = items[i].prepared
		if c.fromTop {
			things[n].Under = under(which, n, placed, c.last)
		}
	}
	made, err := t.put(ctx, c, things, below)
	why, refused := refusal(err)
	switch {
	case refused && len(which) == 1:
		t.leftOut(items[which[0]], why)
		t.count(func(n *Counts) { n.Seen++ })
		return nil
	case refused:
		for _, i := range which {
			if err := t.importItems(ctx, c, items, []int{i}, placed, below); err != nil {
				return err
			}
			below = max(below, placed[i].Place)
		}
		return nil
	case err != nil:
		return err
	}
	t.count(func(n *Counts) {
		n.Seen += int64(len(which))
		for k, m := range made {
			if m.Lost {
				continue
			}
			if m.Here {
				n.Unchanged++
				continue
			}
			if !c.orphans {
				n.Connections++
			}
			if m.Became != transfer.Made {
				continue
			}
			n.made(items[which[k]].item.Kind)
			for _, f := range []*content.ImportedFile{things[k].File, things[k].Preview} {
				if f != nil {
					n.Files++
					n.Bytes += f.Bytes()
				}
			}
		}
	})
	for k, m := range made {
		if m.Lost {
			t.leftOut(items[which[k]], "The channel was deleted here")
			continue
		}
		placed[which[k]] = transfer.Placed{Connection: m.Connection, Place: m.Place, New: true}
	}
	return nil
}

// put writes new items.
func (t *sink) put(ctx context.Context, c *channel, things []*transfer.PreparedItem, below int64) ([]transfer.NewItem, error) {
	if c.orphans {
		return t.app.Transfer.ImportOrphan(ctx, t.actor, t.origin, things)
	}
	return t.app.Transfer.ImportItems(ctx, t.actor, t.origin, c.id, things, transfer.Spot{Place: below, FromTop: c.fromTop, Private: c.private})
}

// under returns the connection that precedes the n-th of the items to write in the source; 0 if
// that is the item written before it.
func under(which []int, n int, placed []transfer.Placed, last domain.ConnectionID) domain.ConnectionID {
	first := 0
	if n > 0 {
		first, last = which[n-1]+1, 0
	}
	for i := which[n] - 1; i >= first; i-- {
		if placed[i].Connection != 0 {
			return placed[i].Connection
		}
	}
	return last
}

// fetch downloads the files of new items, a few concurrently, and returns the items that can be
// written. An item whose file is unavailable is left out, and tried again by the next import.
func (t *sink) fetch(ctx context.Context, items []waiting, known []transfer.Known, fresh []int) (ready []int, err error) {
	downloads, within := errgroup.WithContext(ctx) // returns the first error, since others may be consequences
	arrivals := make([]arrival, len(items))
	for _, i := range fresh {
		w := &items[i]
		if known[i].Block != nil || w.item.File == nil && w.item.Preview == nil {
			continue
		}
		select {
		case t.downloads <- struct{}{}:
		case <-within.Done():
			return nil, cmp.Or(downloads.Wait(), ctx.Err())
		}
		downloads.Go(func() (err error) {
			defer func() { <-t.downloads }()
			arrivals[i], err = t.arrive(within, w)
			return err
		})
	}
	err = downloads.Wait()
	for _, i := range fresh {
		if !arrivals[i].missing {
			ready = append(ready, i)
			continue
		}
		t.leftOut(items[i], arrivals[i].why)
		t.count(func(n *Counts) { n.Seen++ })
	}
	return ready, err
}

// arrival is the result of downloading a file.
type arrival struct {
	missing bool   // it is unavailable, and this server did not cause that
	why     string // for the user
}

// arrive downloads the files of an item. The item is imported even if its preview is unavailable.
func (t *sink) arrive(ctx context.Context, w *waiting) (came arrival, err error) {
	if f := w.item.File; f != nil {
		if w.prepared.File, came, err = t.receive(ctx, f, t.app.Content.Receive); err != nil || came.missing {
			return came, err
		}
	}
	if f := w.item.Preview; f != nil && (w.prepared.File == nil || !w.prepared.File.HasImage()) {
		var preview arrival
		if w.prepared.Preview, preview, err = t.receive(ctx, f, t.app.Content.ReceivePreview); preview.missing {
			t.LeftOut(source.LeftOut{What: "the preview of " + w.name().String(), Where: w.where, Why: preview.why})
		}
	}
	return came, err
}

type receiver func(ctx context.Context, owner domain.UserID, name string, r io.Reader) (*content.ImportedFile, error)

func (t *sink) receive(ctx context.Context, f *source.File, keep receiver) (file *content.ImportedFile, came arrival, err error) {
	r, err := f.Open(ctx)
	if err == nil {
		defer func() { _ = r.Close() }() // errors of closing a reader do not matter
		file, err = keep(ctx, t.actor.UserID, f.Name, r)
	}
	came, err = arrivalOf(err)
	return file, came, err
}

// release deletes files that were not needed.
func release(ctx context.Context, items []waiting) {
	for _, w := range items {
		for _, f := range []*content.ImportedFile{w.prepared.File, w.prepared.Preview} {
			if f != nil {
				f.Release(ctx)
			}
		}
	}
}

// importComment writes a comment.
func (t *sink) importComment(ctx context.Context, w waiting) error {
	if t.DryRun {
		t.count(func(n *Counts) { n.Comments++ })
		return nil
	}
	became, err := t.app.Transfer.ImportComment(ctx, t.actor, t.origin, *w.comment)
	if why, refused := refusal(err); refused {
		if domain.KindOf(err) == domain.NotFound { // the block was left out or deleted, which was reported
			return nil
		}
		t.LeftOut(source.LeftOut{What: "a comment", Where: w.where, Why: why})
		return nil
	}
	t.count(func(n *Counts) {
		switch became {
		case transfer.Made:
			n.Comments++
		case transfer.Changed:
			n.Changed++
		}
	})
	return err
}
