package collections

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/app/content"
	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
	"vitrine/internal/store/bulk"
)

// maxBatchAttempts is how many attempts to make the rest of a batch may fail, over
// about ten minutes.
const maxBatchAttempts = 8

// batchJobAttempts is how often the queue runs the job: more, since a server that dies
// in an attempt uses up one here as well.
const batchJobAttempts = 2 * maxBatchAttempts

// batchPause is how long a batch waits that has used up the time of a job.
const batchPause = time.Second

// Reasons for which a batch fails, in words for its maker.
const (
	batchSuspended = "The account is suspended"
	batchBroken    = "Something went wrong on the server, several times"
)

// batchRun is an attempt to make what is left of a batch.
type batchRun struct {
	domain.Batch
	targets []target
	settled int // items that were made or have failed for good in this attempt
}

// RunBatch makes the blocks of a batch that are not made yet, one after the other, each
// in a transaction of its own that notes it: whatever stops it, the next attempt goes on
// where it was, and of several at once each block is made by one. An attempt is counted
// before it is made, so that a batch that kills the server is given up too.
func (a *Collections) RunBatch(ctx context.Context, id string) error {
	run, err := a.beginBatch(ctx, id)
	if domain.KindOf(err) == domain.NotFound { // over
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
		if run.Batch, channels, err = tx.BeginBatch(ctx, id, a.Now()); err != nil {
			return err
		}
		run.targets, err = keptTargets(channels)
		return err
	})
	return run, err
}

// makeRest makes one block after the other. An error is one of this server.
func (a *Collections) makeRest(ctx context.Context, run *batchRun) error {
	for {
		item, err := a.Store.NextOfBatch(ctx, run.ID)
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
				return tx.BatchItemFailed(ctx, run.ID, item.N, reason)
			})
		}
		if err != nil {
			return fmt.Errorf("app: block %d of batch %s: %w", item.N, run.ID, err)
		}
		run.settled++
	}
}

// makeItem makes one block and connects it.
func (a *Collections) makeItem(ctx context.Context, run *batchRun, item bulk.OpenItem) error {
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
		return tx.BatchItemMade(ctx, run.ID, item.N, b.ID)
	})
}

// onItem runs do in a transaction, unless another has dealt with the item.
func (a *Collections) onItem(ctx context.Context, run *batchRun, n int64, do func(tx *store.Tx) error) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		open, err := tx.LockBatchItem(ctx, run.ID, n)
		if err != nil || !open {
			return err
		}
		return do(tx)
	})
}

// itemReason says why a block of a batch cannot be made, in words for its maker; "" if
// it is not the block's own fault.
func itemReason(err error) string {
	known, ok := errors.AsType[*domain.Error](err)
	if !ok {
		return ""
	}
	switch known.Kind {
	case domain.NotFound: // of all that a block needs, channels alone are looked up
		return "A channel is gone, or hidden from you"
	case domain.Invalid, domain.Forbidden, domain.Unprocessable:
		return known.Message
	}
	return ""
}

// endBatch ends a batch: completed, or failed for a reason.
func (a *Collections) endBatch(ctx context.Context, id, reason string) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error { return tx.EndBatch(ctx, id, core.NonEmpty(&reason), a.Now()) })
}

// batchStopped says what becomes of a batch after an attempt that did not reach its end.
func (a *Collections) batchStopped(ctx context.Context, run batchRun, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.Canceled): // the server stops
		return errors.Join(err, a.undoBatchAttempt(ctx, run.ID))
	case ctx.Err() != nil && run.settled > 0: // the job's time is up, and was well used
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
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), content.NoteTimeout)
	defer cancel()
	return a.Store.InTx(ctx, func(tx *store.Tx) error { return tx.UndoBatchAttempt(ctx, id) })
}
