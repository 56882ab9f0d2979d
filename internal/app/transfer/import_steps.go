package transfer

import (
	"cmp"
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

// ImportWork is the work of a job: to list the steps of an import, or to run the next of them.
type ImportWork struct {
	domain.Import
	Actor domain.Actor
	Token string
	Step  domain.ImportStep // of an import in the state Listed
	File  domain.ImportFile // of an import from a file in the state Listed
}

// StepResult is the result of an attempt at a step, or at listing the steps.
type StepResult struct {
	End     StepEnd
	Work    ImportWork       // with the progress of the step
	LeftOut []domain.LeftOut // skipped since the last NoteImport, if the step is finished
	Reason  string           // why it did not finish, for the owner; "" if the server failed
	Err     error            // of an interrupted attempt, for the queue and its log
	Further bool             // an interrupted attempt made progress
}

// StepEnd is how an attempt ended.
type StepEnd int

// Values of StepEnd.
const (
	StepFinished    StepEnd = iota // everything was read
	StepStopped                    // the import has ended, because its owner stopped it
	StepRefused                    // the source can never be read
	StepInterrupted                // another attempt may succeed
)

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

// NoteImport records the progress of the step, and the items skipped since the last call. It reports whether the import
// is still running; otherwise it records nothing.
func (a *Transfer) NoteImport(ctx context.Context, w ImportWork, left []domain.LeftOut) (running bool, err error) {
	err = a.Store.InTx(ctx, func(tx *store.Tx) (err error) {
		running, err = note(ctx, tx, w, left)
		return err
	})
	return running, err
}

func note(ctx context.Context, tx *store.Tx, w ImportWork, left []domain.LeftOut) (running bool, err error) {
	w.Step.Head = "" // the source's data of a channel does not change
	if w.Source.IsFile() {
		w.Step.Head = w.File.Head()
	}
	running, err = tx.Imports().NoteImportStep(ctx, w.ID, w.Step)
	if err != nil || !running {
		return false, err
	}
	return true, tx.Imports().AddLeftOut(ctx, w.ID, w.Step.N, w.Step.Counts.LeftOut-int64(len(left))+1, keepable(left), maxLeftOut)
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

// RestartImportStep deletes the skipped items of a step that starts again from its beginning. It reports whether the
// import is still running.
func (a *Transfer) RestartImportStep(ctx context.Context, w *ImportWork) (running bool, err error) {
	if w.Step.Counts.LeftOut == 0 || w.Step.Page > 1 {
		return true, nil
	}
	w.Step.Counts.LeftOut = 0
	err = a.Store.InTx(ctx, func(tx *store.Tx) (err error) {
		running, err = note(ctx, tx, *w, nil)
		if err != nil || !running {
			return err
		}
		return tx.Imports().ForgetLeftOut(ctx, w.ID, w.Step.N)
	})
	return running, err
}

func (a *Transfer) endStep(ctx context.Context, tx *store.Tx, w ImportWork, state domain.ImportStepState, left []domain.LeftOut) error {
	running, err := note(ctx, tx, w, left)
	if err != nil || !running {
		return err
	}
	ended, err := tx.Imports().EndImportStep(ctx, w.ID, w.Step.N, state)
	if err != nil || !ended {
		return err
	}
	return nextStep(ctx, tx, w.Import, "")
}

// FinishImportStep records the result of an attempt. A finished step is followed by the next one. A refused step fails,
// or the whole import if its steps cannot be listed. An interrupted step is tried again by a later job.
func (a *Transfer) FinishImportStep(ctx context.Context, r StepResult) error {
	switch r.End {
	case StepFinished:
		return a.Store.InTx(ctx, func(tx *store.Tx) error { return a.endStep(ctx, tx, r.Work, domain.StepDone, r.LeftOut) })
	case StepRefused:
		return a.refuseStep(ctx, r.Work, r.Reason)
	case StepInterrupted:
		return a.tryAgain(ctx, r)
	}
	return nil
}

func (a *Transfer) refuseStep(ctx context.Context, w ImportWork, reason string) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error { return a.giveUp(ctx, tx, w, reason) })
}

// tryAgain returns the error that makes the queue run an interrupted step again, until too many attempts in a row made
// no progress.
func (a *Transfer) tryAgain(ctx context.Context, r StepResult) error {
	stopping := errors.Is(ctx.Err(), context.Canceled) // the server stops
	if stopping || r.Further {
		if undo := a.undoImportAttempt(ctx, r.Work.ID); undo != nil || stopping {
			return errors.Join(r.Err, undo)
		}
		return jobs.Later(stepPause)
	}
	if r.Work.Attempts < maxImportAttempts {
		return r.Err
	}
	if end := a.refuseStep(context.WithoutCancel(ctx), r.Work, cmp.Or(r.Reason, importBroken)); end != nil {
		return errors.Join(r.Err, end)
	}
	return jobs.Permanent(r.Err)
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
