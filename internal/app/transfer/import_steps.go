package transfer

import (
	"context"
	"errors"
	"strings"
	"time"

	"vitrine/internal/app/content"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
)

// stepPause is how long a step waits that has used up the time of a job.
const stepPause = time.Second

// Reasons for which an import fails, in words for its owner.
const (
	importSuspended = "The account is suspended"
	importBroken    = "Something went wrong on the server, several times"
)

// ErrImportOver is the error of a step whose import has ended: its owner has stopped it.
var ErrImportOver = errors.New("transfer: the import has ended")

// ImportWork is what a job is to do for an import: list its steps, or the next of them.
type ImportWork struct {
	domain.Import
	Actor domain.Actor
	Token string
	Step  domain.ImportStep // of an import that is Listed
	File  domain.ImportFile // of an import from a file that is Listed
}

// BeginImport counts an attempt at the next step of an import, and gives what is to be done;
// ok is false where nothing is. An attempt is counted before it is made, so that a step that
// kills the server is given up.
func (a *Transfer) BeginImport(ctx context.Context, id domain.ImportID) (w ImportWork, ok bool, err error) {
	var sealed []byte
	err = a.Store.InTx(ctx, func(tx *store.Tx) (err error) {
		ok = false
		w.Import, err = tx.BeginImportStep(ctx, id, a.Now())
		if err != nil {
			return ended(err)
		}
		w.Actor, err = tx.ImportActor(ctx, w.UserID)
		if domain.KindOf(err) == domain.NotFound {
			return a.endImport(ctx, tx, id, domain.ImportFailed, importSuspended)
		}
		if err != nil {
			return err
		}
		if w.Listed {
			w.Step, err = tx.NextImportStep(ctx, id)
			if domain.KindOf(err) == domain.NotFound {
				return a.endImport(ctx, tx, id, domain.ImportDone, "")
			}
			if err == nil && w.Source != domain.FromArena {
				w.File, err = tx.ImportFile(ctx, id)
			}
			if err != nil {
				return err
			}
		}
		if w.Attempts > maxImportAttempts {
			return a.giveUp(ctx, tx, w, importBroken)
		}
		sealed, err = tx.ImportToken(ctx, id)
		ok = err == nil
		return err
	})
	if err != nil || !ok {
		return w, false, err
	}
	w.Token, err = a.openToken(ctx, id, sealed)
	return w, true, err
}

// ended is nil for what is not there any more.
func ended(err error) error {
	if domain.KindOf(err) == domain.NotFound {
		return nil
	}
	return err
}

// giveUp ends a step that cannot be done, or an import whose steps cannot be listed or that is one file.
func (a *Transfer) giveUp(ctx context.Context, tx *store.Tx, w ImportWork, reason string) error {
	if !w.Listed {
		return a.endImport(ctx, tx, w.ID, domain.ImportFailed, reason)
	}
	if w.Source != domain.FromArena {
		if _, err := tx.EndImportStep(ctx, w.ID, w.Step.N, domain.StepFailed); err != nil {
			return err
		}
		return a.endImport(ctx, tx, w.ID, domain.ImportFailed, reason)
	}
	w.Step.Counts.LeftOut++
	left := []domain.LeftOut{{What: w.Step.Title, Where: w.Step.Ref, Why: reason}}
	return a.endStep(ctx, tx, w, domain.StepFailed, left)
}

// ListImport notes the steps of an import, and what was left out of each. Those that failed
// already are what could not be found.
func (a *Transfer) ListImport(ctx context.Context, w ImportWork, steps []domain.ImportStep, left map[int64][]domain.LeftOut) error {
	state := domain.ImportRunning
	if w.Choose {
		state = domain.ImportChoosing
	}
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		first, err := tx.ListImport(ctx, w.ID, steps, state)
		if err != nil || !first {
			return err
		}
		for _, s := range steps {
			if err := tx.AddLeftOut(ctx, w.ID, s.N, 1, keepable(left[s.N]), mostLeftOut); err != nil {
				return err
			}
		}
		if state == domain.ImportChoosing {
			return nil
		}
		return nextStep(ctx, tx, w.Import, "")
	})
}

// NoteImport writes how far the step has come, and what it has left out since the last note. It
// is ErrImportOver where the import has ended.
func (a *Transfer) NoteImport(ctx context.Context, w ImportWork, left []domain.LeftOut) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error { return note(ctx, tx, w, left) })
}

func note(ctx context.Context, tx *store.Tx, w ImportWork, left []domain.LeftOut) error {
	running, err := tx.NoteImportStep(ctx, w.ID, w.Step)
	if err == nil && !running {
		err = ErrImportOver
	}
	if err == nil && w.Source != domain.FromArena {
		err = tx.NoteImportFile(ctx, w.ID, w.File)
	}
	if err != nil {
		return err
	}
	return tx.AddLeftOut(ctx, w.ID, w.Step.N, w.Step.Counts.LeftOut-int64(len(left))+1, keepable(left), mostLeftOut)
}

// ImportGoesOn reports whether an import that has begun has not ended.
func (a *Transfer) ImportGoesOn(ctx context.Context, id domain.ImportID) (bool, error) {
	return a.Store.ImportRuns(ctx, id)
}

// ImportHeads gives some of the channels of an import that are still to be brought, above a
// number: all are given when there are none any more.
func (a *Transfer) ImportHeads(ctx context.Context, id domain.ImportID, above int64) ([]domain.ImportStep, error) {
	return a.Store.ImportHeads(ctx, id, above, headsAtOnce)
}

// headsAtOnce is how many channels are held in memory.
const headsAtOnce = 100

// RestartImportStep forgets what a step could not take that is read again from its beginning.
func (a *Transfer) RestartImportStep(ctx context.Context, w *ImportWork) error {
	if w.Step.Counts.LeftOut == 0 || w.Step.Page > 1 {
		return nil
	}
	w.Step.Counts.LeftOut = 0
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.ForgetLeftOut(ctx, w.ID, w.Step.N); err != nil {
			return err
		}
		return note(ctx, tx, *w, nil)
	})
}

// EndImportStep ends the step, with what it has left out since the last note, and has the next
// one begin.
func (a *Transfer) EndImportStep(ctx context.Context, w ImportWork, left []domain.LeftOut) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error { return a.endStep(ctx, tx, w, domain.StepDone, left) })
}

func (a *Transfer) endStep(ctx context.Context, tx *store.Tx, w ImportWork, state domain.ImportStepState, left []domain.LeftOut) error {
	if err := note(ctx, tx, w, left); err != nil {
		return over(err)
	}
	ended, err := tx.EndImportStep(ctx, w.ID, w.Step.N, state)
	if err != nil || !ended {
		return err
	}
	return nextStep(ctx, tx, w.Import, "")
}

// over is nil for an import that has ended meanwhile.
func over(err error) error {
	if errors.Is(err, ErrImportOver) {
		return nil
	}
	return err
}

// RefuseImportStep gives the step up for a reason that lasts, or the import where its steps
// cannot be listed.
func (a *Transfer) RefuseImportStep(ctx context.Context, w ImportWork, reason string) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error { return a.giveUp(ctx, tx, w, reason) })
}

// ImportStepStopped says what becomes of a job whose step did not reach its end. further says
// that the attempt brought something; reason, if there is one, is why in words for the owner.
func (a *Transfer) ImportStepStopped(ctx context.Context, w ImportWork, err error, further bool, reason string) error {
	switch {
	case errors.Is(err, ErrImportOver):
		return nil
	case errors.Is(ctx.Err(), context.Canceled): // the server stops
		return errors.Join(err, a.undoImportAttempt(ctx, w.ID))
	case further: // its time is up and was well used, or something else failed on the way
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
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), content.NoteTimeout)
	defer cancel()
	return a.Store.InTx(ctx, func(tx *store.Tx) error { return tx.UndoImportAttempt(ctx, id) })
}

// keepable makes what a source says, which may be anything, fit to be kept.
func keepable(left []domain.LeftOut) []domain.LeftOut {
	kept := make([]domain.LeftOut, len(left))
	for i, l := range left {
		kept[i] = domain.LeftOut{What: Keepable(l.What, domain.MaxTitle), Where: Keepable(l.Where, domain.MaxURL), Why: Keepable(l.Why, domain.MaxURL)}
	}
	return kept
}

// Keepable is a text of a source, which may be anything, as it can be kept: at most so many
// characters of UTF-8, without NUL.
func Keepable(s string, most int) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s[:min(len(s), 4*most)], ""), "\x00", "")
	if r := []rune(s); len(r) > most {
		s = string(r[:most-1]) + "…"
	}
	return s
}
