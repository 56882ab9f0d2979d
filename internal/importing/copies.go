package importing

import (
	"cmp"
	"context"

	"vitrine/internal/app/content"
	"vitrine/internal/app/transfer"
	"vitrine/internal/domain"
	"vitrine/internal/importing/source"
)

// copies saves the copies of pages that come with items. It runs after the items are written, and an import that continues
// skips the copies that exist.
func (t *sink) copies(ctx context.Context, c *channel, items []waiting) error {
	return t.blocksOf(ctx, c, items, func(it source.Item) bool { return len(it.Copies) > 0 }, func(w waiting, block domain.BlockID) error {
		for _, page := range w.item.Copies {
			if err := t.copy(ctx, w, block, page); err != nil {
				return err
			}
		}
		return nil
	})
}

// blocksOf calls add for the written items that have something to add to their blocks.
func (t *sink) blocksOf(ctx context.Context, c *channel, items []waiting, has func(source.Item) bool, add func(waiting, domain.BlockID) error) error {
	var with []waiting
	var things []*transfer.PreparedItem
	for _, w := range items {
		if has(w.item) {
			with, things = append(with, w), append(things, w.prepared)
		}
	}
	if len(with) == 0 || t.DryRun {
		return nil
	}
	known, err := t.app.Transfer.KnownItems(ctx, t.actor, t.origin, c.id, things)
	if err != nil {
		return err
	}
	for i, k := range known {
		if k.Block == nil {
			continue // the item was left out
		}
		if err := add(with[i], domain.BlockID(k.Block.Local)); err != nil {
			return err
		}
	}
	return nil
}

// copy saves a copy of the page of a block.
func (t *sink) copy(ctx context.Context, w waiting, block domain.BlockID, page source.Copy) error {
	kind := cmp.Or(page.Kind, domain.SnapshotPage)
	there, err := t.app.Content.HasSnapshot(ctx, t.actor, block, kind, page.TakenAt)
	if err != nil || there {
		return err
	}
	body, err := page.Open(ctx)
	var saved domain.Snapshot
	if err == nil {
		saved, err = t.app.Content.AddSnapshot(ctx, t.actor, block, content.SnapshotInput{
			Kind: kind, Source: cmp.Or(page.Source, domain.FromBrowser), TakenAt: page.TakenAt, Address: page.Address,
			Title: transfer.Keepable(page.Title, domain.MaxTitle), ContentType: page.ContentType, Shared: page.Shared, Missing: page.Missing, Omitted: page.Omitted, Length: -1, Body: body,
		})
		_ = body.Close() // it was only read
	}
	why, theirs := source.ReasonOf(err)
	if !theirs {
		why, theirs = refusal(err)
	}
	if theirs {
		t.LeftOut(source.LeftOut{What: "the saved copy of " + w.name().String(), Where: w.where, Why: why})
		return nil
	}
	if err == nil {
		t.count(func(n *Counts) {
			n.Files++
			n.Bytes += saved.Size
		})
	}
	return err
}
