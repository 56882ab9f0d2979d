package content

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/blob"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/blobs"
)

// SweepContent is the job that removes unused content.
type SweepContent struct{}

// Kind implements jobs.Args.
func (SweepContent) Kind() string { return "sweep_content" }

// SweepInterval is the interval of the job.
const SweepInterval = time.Hour

// KeptFor is the time for which uploads, results of batches (behaviour.md sections 10 and 12) and partial files of
// crashes are kept.
const KeptFor = 24 * time.Hour

// unreferencedFor is the time for which unreferenced bytes are kept. It is longer than a request or job needs between
// storing and referencing them, and short because the bytes count against no quota.
const unreferencedFor = 2 * time.Hour

// SweepContent removes uploads and batches that are a day old, unreferenced bytes, and the remains of crashes. It may
// stop at any point and run again. A failure does not stop the rest; all errors are returned at the end.
func (a *Content) SweepContent(ctx context.Context) error {
	now := a.Now()
	before := now.Add(-KeptFor)
	return errors.Join(
		a.measureUploads(ctx),
		a.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.Blobs().SweepUploads(ctx, before, now, core.SweepBatch) }),
		a.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.Counters().SweepReservations(ctx, now, core.SweepBatch) }),
		a.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.Bulk().SweepBatches(ctx, before, core.SweepBatch) }),
		a.InBatches(ctx, func(tx *store.Tx) (int, error) {
			return tx.Blobs().SweepBlobs(ctx, now.Add(-unreferencedFor), now, core.SweepBatch)
		}),
		a.removeDoomed(ctx),
		a.sweepPages(ctx),
		a.staging.Sweep(KeptFor),
		a.blobs.Sweep(ctx, KeptFor),
	)
}

// measureUploads measures unused files that clients uploaded to the storage directly, once their addresses have expired.
// Files that are too large or exceed a quota are deleted at once.
func (a *Content) measureUploads(ctx context.Context) error {
	if a.uploadPrefix == "" { // clients upload to this server
		return nil
	}
	for above := domain.UploadID(0); ; {
		some, err := a.Store.Blobs().UnmeasuredUploads(ctx, above, a.Now(), core.SweepBatch)
		if err != nil {
			return err
		}
		for _, u := range some {
			above = u.ID
			info, err := a.blobs.Stat(ctx, uploadFolder+u.Key)
			if errors.Is(err, blob.ErrNotFound) { // may still be in transfer: the sweep removes it a day later
				continue
			}
			if err == nil {
				err = a.measured(ctx, u, info.Size)
			}
			if err != nil {
				return err
			}
		}
		if len(some) < core.SweepBatch {
			return nil
		}
	}
}

func (a *Content) measured(ctx context.Context, u domain.Upload, size int64) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		has, err := tx.Counters().LockByteUsage(ctx, u.UserID, "", a.Now())
		if err != nil {
			return err
		}
		if left, _ := a.available(has, true); size > a.uploadLimit || left >= 0 && size > left {
			return tx.Blobs().DropUpload(ctx, u.ID, a.Now()) // unless something waits for it, which then fails
		}
		return tx.Blobs().MeasureUpload(ctx, u.ID, size)
	})
}

// maxFailures is the number of consecutive failed deletions after which the storage counts as unreachable.
const maxFailures = 20

// removeDoomed removes objects and their versions from the storage. It retries failed objects later, after increasing
// pauses.
func (a *Content) removeDoomed(ctx context.Context) error {
	var first error
	failed, onEnd := 0, 0
	for now := a.Now(); onEnd < maxFailures; {
		doomed, err := a.Store.Blobs().DoomedObjects(ctx, now, core.SweepBatch)
		if err != nil {
			return errors.Join(first, err)
		}
		for _, object := range doomed {
			err := a.removeObject(ctx, object.Name)
			if err == nil {
				onEnd = 0
				continue
			}
			if failed++; first == nil {
				first = fmt.Errorf("%s: %w", object.Name, err)
			}
			if ctx.Err() != nil {
				return first
			}
			if err := a.objectStays(ctx, object, now); err != nil {
				return errors.Join(first, err)
			}
			if onEnd++; onEnd == maxFailures {
				break
			}
		}
		if len(doomed) < core.SweepBatch {
			break
		}
	}
	if failed > 0 {
		return fmt.Errorf("app: %d objects could not be removed from the storage and will be tried again; the first: %w", failed, first)
	}
	return nil
}

// objectStays schedules the next attempt to remove an object: after an hour, then twice as long each time, up to a few
// days.
func (a *Content) objectStays(ctx context.Context, object blobs.DoomedObject, now time.Time) error {
	pause := SweepInterval << min(object.Attempts, 6)
	return a.Store.InTx(ctx, func(tx *store.Tx) error { return tx.Blobs().ObjectStays(ctx, object.Name, now.Add(pause)) })
}

func (a *Content) removeObject(ctx context.Context, object string) error {
	names := append(versionObjects(object), object)
	if strings.HasPrefix(object, originals) {
		err := a.blobs.List(ctx, pagesOf(object), func(name string, _ int64) error {
			names = append(names, name)
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, name := range names {
		if err := a.blobs.Delete(ctx, name); err != nil {
			return err
		}
	}
	return a.Store.InTx(ctx, func(tx *store.Tx) error { return tx.Blobs().ObjectRemoved(ctx, object) })
}

// versionObjects returns the names of all possible versions of an object. Only originals have versions, not direct
// uploads of clients.
func versionObjects(object string) (names []string) {
	if !strings.HasPrefix(object, originals) {
		return nil
	}
	for _, v := range domain.ImageVersions() {
		for extension := range resizedTypes {
			names = append(names, versionObject(object, v, extension))
		}
	}
	return names
}
