package transfer

import (
	"context"
	"errors"
	"strings"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
)

// stepPause is the pause of a step that has used up the time of a job.
const stepPause = time.Second

// Reasons of failure, for the owner of an import.
const (
	importSuspended = "The account is suspended"
	importBroken    = "Something went wrong on the server, several times"
)

// ErrImportOver is the error of a step whose import was stopped by its owner.
var ErrImportOver = errors.New("transfer: the import has ended")

// ImportWork is the work of a job: to list the steps of an import, or to run the next of them.
type ImportWork struct {
	domain.Import
	Actor domain.Actor
	Token string
	Step  domain.ImportStep // of an import in the state Listed
	File  domain.ImportFile // of an import from a file in the state Listed
}

// BeginImport counts an attempt at the next step of an import and returns its work. ok is false if
// no step is left. It counts before the attempt starts, so that a step that kills the server is
// eventually abandoned.
func (a *Transfer) BeginImport(ctx context.Context, id domain.ImportID) (w ImportWork, ok bool, err error) {
	var sealed []byte
	err = a.Store.InTx(ctx, func(tx *store.Tx) (err error) {
		ok = false
		w.Import, err = tx.Imports().BeginImportStep(ctx, id, a.Now())
		if err != nil {
			return ended(err)
		}
		w.Actor, err = tx.Imports().ImportActor(ctx, w.UserID)
		if domain.KindOf(err) == domain.NotFound {
			return a.endImport(ctx, tx, id, domain.ImportFailed, importSuspended)
		}
		if err != nil {
			return err
		}
		if w.Listed {
			w.Step, err = tx.Imports().NextImportStep(ctx, id)
			if domain.KindOf(err) == domain.NotFound {
				return a.endImport(ctx, tx, id, domain.ImportDone, "")
			}
			if err == nil && w.Source.IsFile() {
				w.File, err = w.Step.File()
			}
			if err != nil {
				return err
			}
		}
		if w.Attempts > maxImportAttempts {
			return a.giveUp(ctx, tx, w, importBroken)
		}
		sealed, err = tx.Imports().ImportToken(ctx, id)
		ok = err == nil
		return err
	})
	if err != nil || !ok {
		return w, false, err
	}
	w.Token, err = a.openToken(ctx, id, sealed)
	return w, true, err
}

// ended returns nil for NotFound: the import or step no longer exists.
func ended(err error) error {
	if domain.KindOf(err) == domain.NotFound {
		return nil
	}
	return err
}

// giveUp ends a failed step, or the whole import if it is a single file or its steps cannot be listed.
func (a *Transfer) giveUp(ctx context.Context, tx *store.Tx, w ImportWork, reason string) error {
	if !w.Listed {
		return a.endImport(ctx, tx, w.ID, domain.ImportFailed, reason)
	}
	if w.Source.IsFile() {
		if _, err := tx.Imports().EndImportStep(ctx, w.ID, w.Step.N, domain.StepFailed); err != nil {
			return err
		}
		return a.endImport(ctx, tx, w.ID, domain.ImportFailed, reason)
	}
	w.Step.Counts.LeftOut++
	left := []domain.LeftOut{{What: w.Step.Title, Where: w.Step.Ref, Why: reason}}
	return a.endStep(ctx, tx, w, domain.StepFailed, left)
}

// ListImport records the steps of an import, and their skipped items. Steps that have already failed could not be found.
func (a *Transfer) ListImport(ctx context.Context, w ImportWork, steps []domain.ImportStep, left map[int64][]domain.LeftOut) error {
	state := domain.ImportRunning
	if w.Choose {
		state = domain.ImportChoosing
	}
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		first, err := tx.Imports().ListImport(ctx, w.ID, steps, state)
		if err != nil || !first {
			return err
		}
		for _, s := range steps {
			if err := tx.Imports().AddLeftOut(ctx, w.ID, s.N, 1, keepable(left[s.N]), maxLeftOut); err != nil {
				return err
			}
		}
		if state == domain.ImportChoosing {
			return nil
		}
		return nextStep(ctx, tx, w.Import, "")
	})
}

// NoteImport records the progress of the step, and the items skipped since the last call. It returns ErrImportOver if
// the import has ended.
func (a *Transfer) NoteImport(ctx context.Context, w ImportWork, left []domain.LeftOut) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error { return note(ctx, tx, w, left) })
}

func note(ctx context.Context, tx *store.Tx, w ImportWork, left []domain.LeftOut) error {
	w.Step.Head = "" // the source's data of a channel does not change
	if w.Source.IsFile() {
		w.Step.Head = w.File.Head()
	}
	running, err := tx.Imports().NoteImportStep(ctx, w.ID, w.Step)
	if err == nil && !running {
		err = ErrImportOver
	}
	if err != nil {
		return err
	}
	return tx.Imports().AddLeftOut(ctx, w.ID, w.Step.N, w.Step.Counts.LeftOut-int64(len(left))+1, keepable(left), maxLeftOut)
}

// ImportGoesOn reports whether a started import is still running.
func (a *Transfer) ImportGoesOn(ctx context.Context, id domain.ImportID) (bool, error) {
	return a.Store.Imports().ImportRuns(ctx, id)
}

// ImportHeads returns some of the channels still to be imported, above a number. An empty result is the end.
func (a *Transfer) ImportHeads(ctx context.Context, id domain.ImportID, above int64) ([]domain.ImportStep, error) {
	return a.Store.Imports().ImportHeads(ctx, id, above, headsAtOnce)
}

// headsAtOnce is the number of channels that are held in memory.
const headsAtOnce = 100

// RestartImportStep deletes the skipped items of a step that starts again from its beginning.
func (a *Transfer) RestartImportStep(ctx context.Context, w *ImportWork) error {
	if w.Step.Counts.LeftOut == 0 || w.Step.Page > 1 {
		return nil
	}
	w.Step.Counts.LeftOut = 0
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.Imports().ForgetLeftOut(ctx, w.ID, w.Step.N); err != nil {
			return err
		}
		return note(ctx, tx, *w, nil)
	})
}

// EndImportStep ends the step, records what it has skipped since the last call, and starts the next step.
func (a *Transfer) EndImportStep(ctx context.Context, w ImportWork, left []domain.LeftOut) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error { return a.endStep(ctx, tx, w, domain.StepDone, left) })
}

func (a *Transfer) endStep(ctx context.Context, tx *store.Tx, w ImportWork, state domain.ImportStepState, left []domain.LeftOut) error {
	if err := note(ctx, tx, w, left); err != nil {
		return over(err)
	}
	ended, err := tx.Imports().EndImportStep(ctx, w.ID, w.Step.N, state)
	if err != nil || !ended {
		return err
	}
	return nextStep(ctx, tx, w.Import, "")
}

// over returns nil if the import has ended in the meantime.
func over(err error) error {
	if errors.Is(err, ErrImportOver) {
		return nil
	}
	return err
}

// RefuseImportStep ends the step for a permanent reason, or the whole import if its steps cannot be listed.
func (a *Transfer) RefuseImportStep(ctx context.Context, w ImportWork, reason string) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error { return a.giveUp(ctx, tx, w, reason) })
}

// ImportStepStopped decides how an import continues after a step that did not finish. further reports that the attempt
// made progress; reason is the reason for the owner, if any.
func (a *Transfer) ImportStepStopped(ctx context.Context, w ImportWork, err error, further bool, reason string) error {
	switch {
	case errors.Is(err, ErrImportOver):
		return nil
	case errors.Is(ctx.Err(), context.Canceled): // the server stops
		return errors.Join(err, a.undoImportAttempt(ctx, w.ID))
	case further: // it made progress before its time was up or something else failed
		if undo := a.undoImportAttempt(ctx, w.ID); undo != nil {
			return errors.Join(err, undo)
		}
		return jobs.Later(stepPause)
	case w.Attempts < maxImportAttempts:
		return err
	}
	if reason == "" {
		reason = importBroken
	}
	if end := a.RefuseImportStep(context.WithoutCancel(ctx), w, reason); end != nil {
		return errors.Join(err, end)
	}
	return jobs.Permanent(err)
}

func (a *Transfer) undoImportAttempt(ctx context.Context, id domain.ImportID) error {
	return a.Note(ctx, func(ctx context.Context, tx *store.Tx) error { return tx.Imports().UndoImportAttempt(ctx, id) })
}

// keepable makes texts from a source, which may be anything, storable.
func keepable(left []domain.LeftOut) []domain.LeftOut {
	kept := make([]domain.LeftOut, len(left))
	for i, l := range left {
		kept[i] = domain.LeftOut{What: Keepable(l.What, domain.MaxTitle), Where: Keepable(l.Where, domain.MaxURL), Why: Keepable(l.Why, domain.MaxURL)}
	}
	return kept
}

// Keepable makes a text from a source, which may be anything, storable: at most most characters of UTF-8, without NUL.
func Keepable(s string, limit int) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s[:min(len(s), 4*limit)], ""), "\x00", "")
	if r := []rune(s); len(r) > limit {
		s = string(r[:limit-1]) + "…"
	}
	return s
}
