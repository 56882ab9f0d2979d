package transfer

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"

	"vitrine/internal/app/content"
	"vitrine/internal/app/core"
	"vitrine/internal/blob"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
)

// MakeExport is the job that creates an export.
type MakeExport struct {
	Export domain.ExportID `json:"export_id"`
}

// Kind implements jobs.Args.
func (MakeExport) Kind() string { return "make_export" }

// Class implements jobs.Classed.
func (MakeExport) Class() jobs.Class { return jobs.Export }

// Timeout implements jobs.LongArgs: terabytes take hours.
func (MakeExport) Timeout() time.Duration { return 12 * time.Hour }

const (
	// maxExportAttempts is the number of attempts at an export, each from its beginning.
	maxExportAttempts = 5
	// exportJobAttempts is how often the queue runs the job. It is higher, because an attempt during which the server
	// dies also counts.
	exportJobAttempts = 2 * maxExportAttempts
	// ExportsKept is how long a finished export is kept.
	ExportsKept = 7 * core.Day
)

// StartExport queues an export of everything that belongs to the actor. A user can run one export at a time and keep a
// few. Exports do not count against the quota, so that users who have exhausted it can leave.
func (a *Transfer) StartExport(ctx context.Context, actor domain.Actor) (e domain.Export, err error) {
	if !actor.MayWrite() {
		return e, core.Forbidden("export anything")
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		e, err = a.startExport(ctx, tx, actor.UserID)
		return err
	})
	return e, err
}

func (a *Transfer) startExport(ctx context.Context, tx *store.Tx, user domain.UserID) (e domain.Export, err error) {
	now := a.Now()
	id, ok, err := tx.Exports().AddExport(ctx, user, now, now.Add(ExportsKept))
	if err != nil {
		return e, err
	}
	if !ok {
		return e, domain.NewUnprocessable("You have an export that is being made. Wait for it, or delete it")
	}
	all, err := tx.Exports().Exports(ctx, user, now)
	if err != nil {
		return e, err
	}
	kept := 0
	for _, one := range all {
		if one.State == domain.ExportDone {
			kept++
		}
		if one.ID == id {
			e = one
		}
	}
	if kept >= domain.MaxExports {
		return e, domain.NewUnprocessable(fmt.Sprintf("You have %d exports. Delete one first", domain.MaxExports))
	}
	return e, tx.Enqueue(ctx, MakeExport{id}, jobs.Attempts(exportJobAttempts), jobs.For(int64(user)))
}

// Exports lists the actor's exports, newest first. There are only a few.
func (a *Transfer) Exports(ctx context.Context, actor domain.Actor) ([]domain.Export, error) {
	return a.Store.Exports().Exports(ctx, actor.UserID, a.Now())
}

// Export reads an export for its owner.
func (a *Transfer) Export(ctx context.Context, actor domain.Actor, id domain.ExportID) (domain.Export, error) {
	return a.Store.Exports().Export(ctx, actor.UserID, id, a.Now())
}

// OpenExport opens the file of an export for its owner.
func (a *Transfer) OpenExport(ctx context.Context, actor domain.Actor, id domain.ExportID) (e domain.Export, f *blob.File, err error) {
	if e, err = a.Export(ctx, actor, id); err != nil {
		return e, nil, err
	}
	if e.State != domain.ExportDone {
		return e, nil, domain.NewUnprocessable("The export is not done")
	}
	f, err = a.content.OpenObject(ctx, e.Object)
	return e, f, err
}

// DeleteExport deletes an export, even while it is being created.
func (a *Transfer) DeleteExport(ctx context.Context, actor domain.Actor, id domain.ExportID) error {
	if !actor.MayWrite() {
		return core.Forbidden("delete an export")
	}
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		object, err := tx.Exports().DeleteExport(ctx, actor.UserID, id)
		if err != nil || object == "" {
			return err
		}
		return tx.Blobs().DoomObject(ctx, object, a.Now())
	})
}

// BeginExport counts and returns an attempt at an export; ok is false if there is nothing to do. Each attempt has its
// own object, so that a previous attempt that is still writing does not interfere. It is counted before it starts, so
// that an export that kills the server is given up.
func (a *Transfer) BeginExport(ctx context.Context, id domain.ExportID) (e domain.Export, ok bool, err error) {
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		ok = false
		var before string
		e, before, err = tx.Exports().BeginExport(ctx, id, content.ExportObject())
		if err != nil {
			return ended(err)
		}
		if before != "" {
			if err := tx.Blobs().DoomObject(ctx, before, a.Now()); err != nil {
				return err
			}
		}
		if ok = e.Attempts <= maxExportAttempts; ok {
			return nil
		}
		_, err = tx.Exports().EndExport(ctx, id, e.Object, domain.ExportFailed, 0, a.Now(), a.Now().Add(ExportsKept))
		return err
	})
	if err != nil || !ok {
		return e, false, err
	}
	// The bytes that the user has stored are the best estimate of the export's size.
	stored, err := a.Store.Counters().ByteUsage(ctx, e.UserID, a.Now())
	var copies int64
	if err == nil {
		copies, err = a.Store.Blobs().SnapshotBytes(ctx, e.UserID)
	}
	if err == nil {
		err = a.content.SpareDisk(stored.Total + copies)
	}
	if err != nil {
		return e, false, errors.Join(err, a.undoExport(ctx, id))
	}
	return e, true, nil
}

// NoteExport records the progress of an attempt. It reports whether the attempt is still wanted, which it is not if the
// export was deleted or a later attempt has started.
func (a *Transfer) NoteExport(ctx context.Context, e domain.Export) (wanted bool, err error) {
	err = a.Store.InTx(ctx, func(tx *store.Tx) (err error) {
		wanted, err = tx.Exports().NoteExport(ctx, e.ID, e.Object, e.Counts)
		return err
	})
	return wanted, err
}

// KeepExport stores what an attempt writes, and ends it. If the attempt has been superseded, the stored object is
// removed.
func (a *Transfer) KeepExport(ctx context.Context, e domain.Export, r io.Reader) error {
	size, err := a.content.KeepObject(ctx, e.Object, "application/zip", r)
	if err != nil {
		return err
	}
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		now := a.Now()
		counts, err := tx.Exports().EndExport(ctx, e.ID, e.Object, domain.ExportDone, size, now, now.Add(ExportsKept))
		if err == nil && counts {
			return addReceipt(ctx, tx, e, now)
		}
		if err != nil {
			return err
		}
		return tx.Blobs().DoomObject(ctx, e.Object, now)
	})
}

// addReceipt stores the receipt of an export that is done.
func addReceipt(ctx context.Context, tx *store.Tx, e domain.Export, now time.Time) error {
	e, err := tx.Exports().Export(ctx, e.UserID, e.ID, now)
	if err != nil {
		return err
	}
	return tx.Account().AddReceipt(ctx, domain.DataReceipt{Code: rand.Text(), Kind: domain.ReceiptExport, UserID: e.UserID, AskedAt: e.CreatedAt, DoneAt: &now,
		Counts: map[string]int64{"channels": e.Counts.Channels, "blocks": e.Counts.Blocks, "files": e.Counts.Files, "bytes": e.Counts.Bytes, "left_out": e.Counts.LeftOut}})
}

// StartExportFor starts an export of another account for an operator. Only its owner can download it.
func (a *Transfer) StartExportFor(ctx context.Context, actor domain.Actor, ref domain.Ref) (e domain.Export, err error) {
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := core.Operate(ctx, tx.Queries, actor); err != nil {
			return err
		}
		u, err := tx.Users().User(ctx, ref)
		if err != nil {
			return err
		}
		if e, err = a.startExport(ctx, tx, u.ID); err != nil {
			return err
		}
		return a.Audit(ctx, tx, actor, domain.ActExportStarted, domain.AboutUser(u), nil)
	})
	return e, err
}

// ExportStopped decides how an export continues after an attempt that did not finish it.
func (a *Transfer) ExportStopped(ctx context.Context, e domain.Export, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.Canceled), domain.KindOf(err) == domain.Unavailable: // the export did not cause it
		return errors.Join(err, a.undoExport(ctx, e.ID))
	case domain.KindOf(err) == domain.NotFound: // its user was deleted or suspended
		return a.failExport(ctx, e)
	case e.Attempts < maxExportAttempts:
		return err
	}
	return errors.Join(jobs.Permanent(err), a.failExport(ctx, e))
}

func (a *Transfer) failExport(ctx context.Context, e domain.Export) error {
	return a.Store.InTx(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		now := a.Now()
		_, err := tx.Exports().EndExport(ctx, e.ID, e.Object, domain.ExportFailed, 0, now, now.Add(ExportsKept))
		if err != nil {
			return err
		}
		return tx.Blobs().DoomObject(ctx, e.Object, now)
	})
}

func (a *Transfer) undoExport(ctx context.Context, id domain.ExportID) error {
	return a.Note(ctx, func(ctx context.Context, tx *store.Tx) error { return tx.Exports().UndoExportAttempt(ctx, id) })
}

// SweepExports is the job that removes exports that have expired.
type SweepExports struct{}

// Kind implements jobs.Args.
func (SweepExports) Kind() string { return "sweep_exports" }

// SweepExports removes expired exports. It may stop at any point and run again.
func (a *Transfer) SweepExports(ctx context.Context) error {
	return a.InBatches(ctx, func(tx *store.Tx) (int, error) {
		objects, n, err := tx.Exports().SweepExports(ctx, a.Now(), core.SweepBatch)
		for _, object := range objects {
			if err == nil {
				err = tx.Blobs().DoomObject(ctx, object, a.Now())
			}
		}
		return n, err
	})
}
