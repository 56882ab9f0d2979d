package collections

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
	"vitrine/internal/store/bulk"
)

// maxBatchAttempts is the number of attempts to create the rest of a batch, over about ten minutes.
const maxBatchAttempts = 8

// batchJobAttempts is how often the queue runs the job. It is higher, because an attempt during which the server dies
// also counts.
const batchJobAttempts = 2 * maxBatchAttempts

// batchPause is the pause of a batch that has used up the time of a job.
const batchPause = time.Second

// Reasons of failure, for the creator of a batch.
const (
	batchSuspended = "The account is suspended"
	batchBroken    = "Something went wrong on the server, several times"
)

// batchRun is an attempt to create the rest of a batch.
type batchRun struct {
	domain.Batch
	targets []target
	settled int // items that were created or failed permanently in this attempt
}

// RunBatch creates the remaining blocks of a batch, each in its own transaction, which also records it. After an
// interruption the next attempt continues from there, and if several run at once, each block is created once. It counts
// an attempt before it starts, so that a batch that kills the server is given up too.
func (a *Collections) RunBatch(ctx context.Context, id string) error {
	run, err := a.beginBatch(ctx, id)
	if domain.KindOf(err) == domain.NotFound { // finished
		return nil
	}
	if err != nil {
		return err
	}
	if run.Attempts > maxBatchAttempts {
		return a.endBatch(ctx, id, batchBroken)
	}
	if err := a.makeRest(ctx, &run); err != nil {
		return a.batchStopped(ctx, run, err)
	}
	return nil
}

func (a *Collections) beginBatch(ctx context.Context, id string) (run batchRun, err error) {
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		var channels string
		if run.Batch, channels, err = tx.Bulk().BeginBatch(ctx, id, a.Now()); err != nil {
			return err
		}
		run.targets, err = keptTargets(channels)
		return err
	})
	return run, err
}

// makeRest creates one block after the other. Errors are those of this server.
func (a *Collections) makeRest(ctx context.Context, run *batchRun) error {
	for {
		item, err := a.Store.Bulk().NextOfBatch(ctx, run.ID)
		switch {
		case domain.KindOf(err) == domain.NotFound:
			return a.endBatch(ctx, run.ID, "")
		case err != nil:
			return err
		case item.Suspended:
			return a.endBatch(ctx, run.ID, batchSuspended)
		}
		err = a.makeItem(ctx, run, item)
		if reason := itemReason(err); reason != "" {
			err = a.onItem(ctx, run, item.N, func(tx *store.Tx) error {
				return tx.Bulk().BatchItemFailed(ctx, run.ID, item.N, reason)
			})
		}
		if err != nil {
			return fmt.Errorf("app: block %d of batch %s: %w", item.N, run.ID, err)
		}
		run.settled++
	}
}

// makeItem creates one block and connects it.
func (a *Collections) makeItem(ctx context.Context, run *batchRun, item bulk.PendingItem) error {
	var in BlockInput
	if err := json.Unmarshal([]byte(item.Input), &in); err != nil {
		return err
	}
	made, err := a.newBlock(ctx, run.By, in)
	if err != nil {
		return err
	}
	return a.onItem(ctx, run, item.N, func(tx *store.Tx) error {
		places, err := openPrivate(ctx, tx, run.By, run.targets)
		if err != nil {
			return err
		}
		b, err := a.createBlock(ctx, tx, run.By, made, places)
		if err != nil {
			return err
		}
		return tx.Bulk().BatchItemMade(ctx, run.ID, item.N, b.ID)
	})
}

// onItem runs do in a transaction, unless another attempt has handled the item.
func (a *Collections) onItem(ctx context.Context, run *batchRun, n int64, do func(tx *store.Tx) error) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		open, err := tx.Bulk().LockBatchItem(ctx, run.ID, n)
		if err != nil || !open {
			return err
		}
		return do(tx)
	})
}

// itemReason returns the reason, for the creator of a batch, why a block cannot be created, or "" if the block is not
// the cause.
func itemReason(err error) string {
	known, ok := errors.AsType[*domain.Error](err)
	if !ok {
		return ""
	}
	switch known.Kind {
	case domain.NotFound: // only channels are looked up by the block's input
		return "A channel is gone, or hidden from you"
	case domain.Invalid, domain.Forbidden, domain.Unprocessable:
		return known.Message
	}
	return ""
}

// endBatch ends a batch: completed, or failed for a reason.
func (a *Collections) endBatch(ctx context.Context, id, reason string) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error { return tx.Bulk().EndBatch(ctx, id, core.NonEmpty(&reason), a.Now()) })
}

// batchStopped decides how a batch continues after an attempt that did not finish it.
func (a *Collections) batchStopped(ctx context.Context, run batchRun, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.Canceled): // the server stops
		return errors.Join(err, a.undoBatchAttempt(ctx, run.ID))
	case ctx.Err() != nil && run.settled > 0: // the job's time is up, but it made progress
		if undo := a.undoBatchAttempt(ctx, run.ID); undo != nil {
			return errors.Join(err, undo)
		}
		return jobs.Later(batchPause)
	case run.Attempts < maxBatchAttempts:
		return err
	}
	if end := a.endBatch(ctx, run.ID, batchBroken); end != nil {
		return errors.Join(err, end)
	}
	return jobs.Permanent(err)
}

func (a *Collections) undoBatchAttempt(ctx context.Context, id string) error {
	return a.Note(ctx, func(ctx context.Context, tx *store.Tx) error { return tx.Bulk().UndoBatchAttempt(ctx, id) })
}
