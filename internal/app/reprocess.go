package app

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
)

// Processing tells a block's author how far its content has come.
func (a *App) Processing(ctx context.Context, actor domain.Actor, id domain.BlockID) (p domain.ProcessingStatus, err error) {
	b, err := a.store.Block(ctx, actor.UserID, id)
	if err != nil {
		return p, err
	}
	if b.Author.PrincipalRef != domain.UserRef(actor.UserID) {
		return p, domain.NewNotFound()
	}
	return a.store.Processing(ctx, id)
}

// Reprocess gets the content of a block again. Its author may.
func (a *App) Reprocess(ctx context.Context, actor domain.Actor, id domain.BlockID) (p domain.ProcessingStatus, err error) {
	err = a.store.InTx(ctx, func(tx *store.Tx) error {
		b, err := lockedBlock(ctx, tx, actor, id)
		if err != nil {
			return err
		}
		if !domain.CanManage(actor, b) {
			return forbidden("process this block")
		}
		p, err = a.restart(ctx, tx, b)
		return err
	})
	return p, err
}

// restart has a locked block wait for its content again, unless it does.
func (a *App) restart(ctx context.Context, tx *store.Tx, b domain.Block) (p domain.ProcessingStatus, err error) {
	now := a.now()
	p, err = tx.Processing(ctx, b.ID)
	switch {
	case domain.KindOf(err) == domain.NotFound && b.ValueURL != nil: // a link from before there was processing
		err = tx.StartProcessing(ctx, b.ID, 0, now)
	case domain.KindOf(err) == domain.NotFound:
		return p, domain.NewUnprocessable("The block was not made from an address or an upload")
	case err == nil && p.State == domain.ProcessingWaiting:
		return p, nil
	case err == nil:
		if err = a.stillThere(ctx, tx, p); err == nil {
			err = tx.RestartProcessing(ctx, b.ID, now)
		}
	}
	if err != nil {
		return p, err
	}
	if b.State == domain.Failed {
		was := b
		b.Type, b.State = domain.PendingBlock, domain.Processing
		if err := tx.FillBlock(ctx, was, b, now); err != nil {
			return p, err
		}
	}
	if err := tx.Enqueue(ctx, ProcessBlock{Block: b.ID}, jobs.Attempts(jobAttempts), jobs.For(b.Author.ID)); err != nil {
		return p, err
	}
	return tx.Processing(ctx, b.ID)
}

// stillThere refuses to process an upload again that has been removed.
func (a *App) stillThere(ctx context.Context, tx *store.Tx, p domain.ProcessingStatus) error {
	if p.UploadID == 0 {
		return nil
	}
	err := tx.KeepUpload(ctx, p.UploadID)
	if domain.KindOf(err) == domain.NotFound {
		return domain.NewUnprocessable("The upload was removed; a block of it cannot be processed again")
	}
	return err
}
