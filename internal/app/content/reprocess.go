package content

import (
	"context"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Processing returns the progress of a block's content to its author.
func (a *Content) Processing(ctx context.Context, actor domain.Actor, id domain.BlockID) (p domain.ProcessingStatus, err error) {
	b, err := a.Store.Block(ctx, actor.UserID, id)
	if err != nil {
		return p, err
	}
	if b.Author.PrincipalRef != domain.UserRef(actor.UserID) {
		return p, domain.NewNotFound()
	}
	return a.Store.Blobs().Processing(ctx, id)
}

// Reprocess fetches the content of a block again for its author.
func (a *Content) Reprocess(ctx context.Context, actor domain.Actor, id domain.BlockID) (p domain.ProcessingStatus, err error) {
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		b, err := tx.Blocks().LockedBlock(ctx, actor.UserID, id)
		if err != nil {
			return err
		}
		if !domain.CanManage(actor, b) {
			return core.Forbidden("process this block")
		}
		p, err = a.Restart(ctx, tx, b)
		return err
	})
	return p, err
}

// Restart starts another round of attempts to fetch the content of a locked block. It does nothing while the first
// attempt of a round is still to come. If an attempt failed, the next one is made at once.
func (a *Content) Restart(ctx context.Context, tx *store.Tx, b domain.Block) (p domain.ProcessingStatus, err error) {
	now := a.Now()
	p, err = tx.Blobs().Processing(ctx, b.ID)
	switch {
	case domain.KindOf(err) == domain.NotFound && b.ValueURL != nil: // a link from before processing was recorded
		err = tx.Blobs().StartProcessing(ctx, b.ID, domain.BlockUploads{}, now)
	case domain.KindOf(err) == domain.NotFound:
		return p, domain.NewUnprocessable("The block was not made from an address or an upload")
	case err == nil && p.State == domain.ProcessingWaiting && p.Reason == nil:
		return p, nil
	case err == nil:
		if err = a.stillThere(ctx, tx, p); err == nil {
			err = tx.Blobs().RestartProcessing(ctx, b.ID, now)
		}
	}
	if err != nil {
		return p, err
	}
	if b.State == domain.Failed {
		was := b
		b.Type, b.State = domain.PendingBlock, domain.Processing
		if err := tx.Blocks().FillBlock(ctx, was, b, now); err != nil {
			return p, err
		}
		if err := core.Publish(ctx, tx, domain.UserID(b.Author.ID), now, domain.BlockChanged{Block: b.ID, Was: was, Is: b}); err != nil {
			return p, err
		}
	}
	if p, err = tx.Blobs().Processing(ctx, b.ID); err != nil {
		return p, err
	}
	return p, enqueue(ctx, tx, ProcessBlock{Block: b.ID, Round: p.Round}, domain.UserID(b.Author.ID))
}

// stillThere refuses to process an upload again that was removed.
func (a *Content) stillThere(ctx context.Context, tx *store.Tx, p domain.ProcessingStatus) error {
	if p.UploadID == 0 {
		return nil
	}
	err := tx.Blobs().KeepUpload(ctx, p.UploadID)
	if domain.KindOf(err) == domain.NotFound {
		return domain.NewUnprocessable("The upload was removed; a block of it cannot be processed again")
	}
	return err
}
