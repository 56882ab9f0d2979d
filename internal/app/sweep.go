package app

import (
	"context"
	"strings"
	"time"

	"vitrine/internal/media"
	"vitrine/internal/store"
)

// SweepContent is the job that removes what nothing needs any more.
type SweepContent struct{}

// Kind implements jobs.Args.
func (SweepContent) Kind() string { return "sweep_content" }

// SweepInterval is how often it runs.
const SweepInterval = time.Hour

// keptFor is how long uploads, bytes that nothing refers to, and the results of
// batches are kept (V3.md sections 10 and 12).
const keptFor = 24 * time.Hour

// sweepBatch is how many rows a transaction of the sweep removes.
const sweepBatch = 500

// SweepContent removes uploads and batches that are a day old, the bytes that nothing
// refers to, and what crashes have left. It may stop anywhere and run again.
func (a *App) SweepContent(ctx context.Context) error {
	before := a.now().Add(-keptFor)
	if err := a.sweepUploads(ctx, before); err != nil {
		return err
	}
	if err := a.sweepBatches(ctx, before); err != nil {
		return err
	}
	if err := a.sweepBlobs(ctx, before); err != nil {
		return err
	}
	if err := a.removeDoomed(ctx); err != nil {
		return err
	}
	if err := a.staging.Sweep(keptFor); err != nil {
		return err
	}
	return a.blobs.Sweep(ctx, keptFor)
}

// sweepUploads forgets uploads, and what clients put into the storage for them.
func (a *App) sweepUploads(ctx context.Context, before time.Time) error {
	return a.inBatches(ctx, func(tx *store.Tx) (int, error) {
		gone, err := tx.SweepUploads(ctx, before, sweepBatch)
		if err != nil {
			return 0, err
		}
		for _, key := range gone {
			if err := tx.DoomObject(ctx, uploadFolder+key, a.now()); err != nil {
				return 0, err
			}
		}
		return len(gone), nil
	})
}

func (a *App) sweepBatches(ctx context.Context, before time.Time) error {
	return a.inBatches(ctx, func(tx *store.Tx) (int, error) { return tx.SweepBatches(ctx, before, sweepBatch) })
}

func (a *App) sweepBlobs(ctx context.Context, before time.Time) error {
	return a.inBatches(ctx, func(tx *store.Tx) (int, error) {
		return tx.SweepBlobs(ctx, before, a.now(), sweepBatch)
	})
}

// inBatches runs a transaction until it finds less than a batch.
func (a *App) inBatches(ctx context.Context, sweep func(tx *store.Tx) (int, error)) error {
	for {
		n := 0
		err := a.store.InTx(ctx, func(tx *store.Tx) (err error) {
			n, err = sweep(tx)
			return err
		})
		if err != nil || n < sweepBatch {
			return err
		}
	}
}

// removeDoomed removes objects from the storage, and the versions made from them.
func (a *App) removeDoomed(ctx context.Context) error {
	for {
		doomed, err := a.store.DoomedObjects(ctx, sweepBatch)
		if err != nil {
			return err
		}
		for _, object := range doomed {
			if err := a.removeObject(ctx, object); err != nil {
				return err
			}
		}
		if len(doomed) < sweepBatch {
			return nil
		}
	}
}

func (a *App) removeObject(ctx context.Context, object string) error {
	for _, name := range append(versionObjects(object), object) {
		if err := a.blobs.Delete(ctx, name); err != nil {
			return err
		}
	}
	return a.store.InTx(ctx, func(tx *store.Tx) error { return tx.ObjectRemoved(ctx, object) })
}

// versionObjects names all versions that may have been made from an object: from
// originals alone, not from what clients put into the storage.
func versionObjects(object string) (names []string) {
	if !strings.HasPrefix(object, originals) {
		return nil
	}
	for _, v := range media.Versions() {
		for extension := range resizedTypes {
			names = append(names, versionObject(object, v, extension))
		}
	}
	return names
}
