package collections

import (
	"context"

	"vitrine/internal/app/core"
	"vitrine/internal/colour"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/words"
)

// MaxMerged is how many blocks can be merged into another one at once.
const MaxMerged = maxSimilar - 1

// Merge deletes duplicates of a block. The block takes their places in channels where it is not yet, with the positions,
// dates and metadata of their connections, and gets their comments and saved copies. All must be the actor's. It returns
// how many were merged. It skips blocks that were deleted, or are no duplicates any more.
func (a *Collections) Merge(ctx context.Context, actor domain.Actor, into domain.BlockID, duplicates []domain.BlockID) (merged int, err error) {
	var f domain.Faults
	f.Positive("into", int64(into))
	f.Count("duplicates", len(duplicates), MaxMerged)
	for _, id := range duplicates {
		f.Positive("duplicates", int64(id))
		if id == into {
			f.Add("duplicates", domain.FieldMalformed, "must be other blocks")
		}
	}
	if err := f.Err(); err != nil {
		return 0, err
	}
	for _, id := range duplicates { // one transaction each, so that none locks many channels for long
		is, err := a.merge(ctx, actor, into, id)
		if err != nil {
			return merged, err
		}
		if is {
			merged++
		}
	}
	return merged, nil
}

func (a *Collections) merge(ctx context.Context, actor domain.Actor, into, from domain.BlockID) (merged bool, err error) {
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		merged = false
		for _, id := range []domain.BlockID{into, from} { // only lock visible blocks
			_, err := tx.Blocks().Block(ctx, actor.UserID, id)
			switch {
			case err != nil && domain.KindOf(err) == domain.NotFound && id == from:
				return nil
			case err != nil:
				return err
			}
		}
		conns, err := tx.Blocks().LockBlockInChannels(ctx, from, into)
		if domain.KindOf(err) == domain.NotFound && err != nil { // one was deleted in the meantime
			return nil
		}
		if err != nil {
			return err
		}
		kept, err := tx.Blocks().Block(ctx, actor.UserID, into)
		if err != nil {
			return err
		}
		twin, err := tx.Blocks().Block(ctx, actor.UserID, from)
		if err != nil {
			return err
		}
		if !domain.CanManage(actor, kept) || !domain.CanManage(actor, twin) {
			return core.Forbidden("merge these blocks")
		}
		if !isDuplicate(kept, twin) {
			return nil
		}
		merged = true
		return a.mergeLocked(ctx, tx, actor, kept, twin, conns)
	})
	return merged, err
}

// mergeLocked merges a block into another one. Both are locked in their channels; conns are those of the merged one.
func (a *Collections) mergeLocked(ctx context.Context, tx *store.Tx, actor domain.Actor, kept, twin domain.Block, conns []domain.Connection) error {
	now := a.Now()
	var events []domain.Event
	var rest []domain.Connection
	for _, c := range conns {
		there, err := tx.Contents().ConnectionOf(ctx, c.ChannelID, domain.BlockRef(kept.ID))
		if err != nil {
			return err
		}
		if there != 0 {
			rest = append(rest, c)
			continue
		}
		if err := tx.Connections().ReplaceBlock(ctx, c, kept.ID, now); err != nil {
			return err
		}
		c.Item = domain.BlockRef(kept.ID)
		events = append(events, domain.ConnectionChanged{Connection: c})
	}
	if err := tx.Comments().MoveComments(ctx, twin.ID, kept.ID); err != nil {
		return err
	}
	if err := tx.Blobs().MoveSnapshots(ctx, twin.ID, kept.ID); err != nil {
		return err
	}
	if err := core.Publish(ctx, tx, actor.UserID, now, append(events, domain.BlockChanged{Block: kept.ID})...); err != nil {
		return err
	}
	return a.deleteLocked(ctx, tx, actor, twin, rest)
}

// isDuplicate reports whether two blocks have the same image or are links to the same page.
func isDuplicate(a, b domain.Block) bool {
	switch {
	case !same(a, b):
		return false
	case a.Type == domain.ImageBlock:
		return a.Image != nil && b.Image != nil && a.Image.LookHash != nil && b.Image.LookHash != nil &&
			colour.Distance(*a.Image.LookHash, *b.Image.LookHash) <= copyBits
	}
	page := words.Source(*a.ValueURL)
	return page != 0 && page == words.Source(*b.ValueURL)
}
