package content

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/blob"
	"vitrine/internal/domain"
	"vitrine/internal/fetch"
	"vitrine/internal/jobs"
	"vitrine/internal/media"
	"vitrine/internal/store"
)

// ProcessBlock is the job that fetches the content of a block.
type ProcessBlock struct {
	Block domain.BlockID `json:"block_id"`
	Round int64          `json:"round,omitempty"` // of attempts; jobs of older versions have 0, which means any
}

// Kind implements jobs.Args.
func (ProcessBlock) Kind() string { return "process_block" }

// Class implements jobs.Classed.
func (ProcessBlock) Class() jobs.Class { return jobs.Content }

// linkWaits are the pauses between the attempts to fetch a page after temporary failures, varied by up to a quarter.
// After the last attempt only the block's author can try again.
var linkWaits = [maxAttempts - 1]time.Duration{5 * time.Second, time.Minute, 10 * time.Minute,
	time.Hour, 6 * time.Hour, 24 * time.Hour, 48 * time.Hour}

// longWait is the shortest pause for which only maxDeferred links of a person may wait. Further failing links are given
// up, so that an import of dead bookmarks does not fill the queue for days.
const (
	longWait    = time.Hour
	maxDeferred = 1000
)

// maxAttempts is the number of attempts to fetch the content of a block. Those for a link take days (linkWaits), those
// for an upload about ten minutes (jobs.Backoff).
const maxAttempts = 8

// jobAttempts is how often the queue runs the job. It is higher, because an attempt during which the server dies also
// counts.
const jobAttempts = 2 * maxAttempts

// errTries is the cause, for the operator, of content whose processing killed servers.
var errTries = errors.New("its tries are used up: servers stopped, or the time was up, in the midst of them")

// errUnavailable is the cause of a permanent failure.
type errUnavailable struct {
	reason string // for the block's author
	cause  error
}

func (e *errUnavailable) Error() string { return e.reason }
func (e *errUnavailable) Unwrap() error { return e.cause }

// Process queues the processing of a block in the transaction that creates it.
func Process(ctx context.Context, tx *store.Tx, by domain.UserID, id domain.BlockID, from domain.BlockUploads, now time.Time) error {
	if err := errors.Join(keepUpload(ctx, tx, "value", from.UploadID), keepUpload(ctx, tx, "poster", from.PosterID)); err != nil {
		return err
	}
	if err := tx.Blobs().StartProcessing(ctx, id, from, now); err != nil {
		return err
	}
	return enqueue(ctx, tx, ProcessBlock{Block: id, Round: now.UnixMicro()}, by)
}

func enqueue(ctx context.Context, tx *store.Tx, job ProcessBlock, by domain.UserID) error {
	return tx.Enqueue(ctx, job, jobs.Attempts(jobAttempts), jobs.For(int64(by)))
}

// RunProcessBlock tries to fetch the content of a waiting block (behaviour.md section 3). It counts each attempt before
// it starts, so that a block whose content kills the server is given up too. Running it again has no further effect.
func (a *Content) RunProcessBlock(ctx context.Context, job ProcessBlock) error {
	id := job.Block
	b, p, err := a.beginAttempt(ctx, job)
	if domain.KindOf(err) == domain.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	if p.Attempts > maxAttempts {
		return errors.Join(a.noteFailure(ctx, p, reasonOf(p), true), jobs.Permanent(errTries))
	}
	in := a.newIntake(fmt.Sprint("block:", id), domain.UserID(b.Author.ID), b.Image, b.File)
	defer in.release(ctx)
	made, err := in.content(ctx, b, p)
	if err == nil {
		err = a.fill(ctx, id, made, in, p.BlockUploads)
		if errors.Is(err, errOverQuota) && made.text != "" {
			made.text = "" // the file is worth keeping even if searches do not find its words
			err = a.fill(ctx, id, made, in, p.BlockUploads)
		}
		if !errors.Is(err, errOverQuota) && domain.KindOf(err) != domain.Unavailable {
			return err
		}
	}
	return a.failed(ctx, b, p, err)
}

func reasonOf(p domain.ProcessingStatus) string {
	if p.Reason == nil {
		return "It could not be processed"
	}
	return *p.Reason
}

// beginAttempt counts an attempt. NotFound means that there is nothing to do.
func (a *Content) beginAttempt(ctx context.Context, job ProcessBlock) (b domain.Block, p domain.ProcessingStatus, err error) {
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.Blobs().BeginAttempt(ctx, job.Block, job.Round, a.Now()); err != nil {
			return err
		}
		if p, err = tx.Blobs().Processing(ctx, job.Block); err != nil {
			return err
		}
		b, err = tx.Blocks().AnyBlock(ctx, job.Block)
		return err
	})
	return b, p, err
}

// failed records a failed attempt and returns the error that makes the queue try again at the right time.
func (a *Content) failed(ctx context.Context, b domain.Block, p domain.ProcessingStatus, err error) error {
	if again, ok := passing(ctx, err, func() error { return a.undoAttempt(ctx, p.BlockID) }); ok {
		return again
	}
	reason, lasting := explain(err)
	if ctx.Err() != nil {
		reason = "It took too long"
	}
	// Record the result even if the attempt used up the job's time.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), core.NoteTimeout)
	defer cancel()
	wait, last := time.Duration(0), lasting || p.Attempts >= maxAttempts
	if !last && isLink(b) {
		wait = jobs.Around(linkWaits[p.Attempts-1])
		if e, ok := errors.AsType[*fetch.Error](err); ok {
			wait = max(wait, e.RetryAfter)
		}
		if linkWaits[p.Attempts-1] >= longWait {
			deferred, failing := a.Store.Queue().Deferred(ctx, jobs.Content, b.Author.ID, maxDeferred)
			last = failing == nil && deferred >= maxDeferred
		}
	}
	switch note := a.noteFailure(ctx, p, reason, last); {
	case note != nil:
		return errors.Join(err, note) // the next attempt records it
	case last:
		return jobs.Permanent(err)
	case wait > 0:
		return errors.Join(err, jobs.Later(wait))
	}
	return err
}

// passing returns how the queue tries again after a failure that the content did not cause, so that the attempt does not
// count. ok is false for other failures.
func passing(ctx context.Context, err error, undo func() error) (again error, ok bool) {
	switch busy, isFetch := errors.AsType[*fetch.Error](err); {
	case isFetch && errors.Is(err, fetch.ErrBusy):
		return errors.Join(undo(), jobs.Later(max(busy.RetryAfter, time.Second))), true
	case errors.Is(err, errDiskLow):
		return errors.Join(undo(), jobs.Outage(err, diskPause)), true
	case errors.Is(ctx.Err(), context.Canceled), domain.KindOf(err) == domain.Unavailable: // the server stops, or something else failed
		return errors.Join(err, undo()), true
	}
	return nil, false
}

// isLink reports whether the content of a block comes from a URL, so that the block can be shown as a link without it.
func isLink(b domain.Block) bool { return b.ValueURL != nil }

// explain returns the reason of a failure for the block's author, and whether the failure is permanent.
func explain(err error) (reason string, lasting bool) {
	if e, ok := errors.AsType[*errUnavailable](err); ok {
		return e.reason, true
	}
	if e, ok := errors.AsType[*media.Error](err); ok {
		return e.Reason, true
	}
	if e, ok := errors.AsType[*fetch.Error](err); ok {
		return e.Reason, !e.Temporary
	}
	if errors.Is(err, blob.ErrNotFound) {
		return "The file is gone", true
	}
	if known, ok := errors.AsType[*domain.Error](err); ok && (errors.Is(err, errOverQuota) || known.Kind == domain.Unprocessable) {
		return known.Message, true
	}
	return "It could not be processed", false
}

func (a *Content) undoAttempt(ctx context.Context, id domain.BlockID) error {
	return a.Note(ctx, func(ctx context.Context, tx *store.Tx) error { return tx.Blobs().UndoAttempt(ctx, id) })
}

// noteFailure records why an attempt failed, and ends the wait of the block after the last one. A block with a URL is
// shown as a Link from the first failure on, even if further attempts follow; a block of an upload only after the last.
// A block that already has content keeps it.
func (a *Content) noteFailure(ctx context.Context, p domain.ProcessingStatus, reason string, last bool) error {
	err := a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.Blocks().LockBlock(ctx, p.BlockID); err != nil {
			return err
		}
		current, err := tx.Blobs().Processing(ctx, p.BlockID)
		if err != nil || current.Round != p.Round {
			return err
		}
		now := a.Now()
		if last {
			err = tx.Blobs().EndProcessing(ctx, p.BlockID, domain.ProcessingFailed, &reason, now)
		} else {
			err = tx.Blobs().AttemptFailed(ctx, p.BlockID, reason, now)
		}
		if err != nil {
			return err
		}
		was, err := tx.Blocks().AnyBlock(ctx, p.BlockID)
		if err != nil || was.State != domain.Processing || !last && !isLink(was) {
			return err
		}
		is := was
		is.Type, is.State = domain.LinkBlock, domain.Failed
		return storeContent(ctx, tx, was, is, now)
	})
	return ignoreGone(err)
}

// storeContent replaces the content of a block and publishes the change.
func storeContent(ctx context.Context, tx *store.Tx, was, is domain.Block, now time.Time) error {
	if err := tx.Blocks().FillBlock(ctx, was, is, now); err != nil {
		return err
	}
	return core.Publish(ctx, tx, domain.UserID(is.Author.ID), now, domain.BlockChanged{Block: is.ID, Was: was, Is: is})
}

// ignoreGone drops the error for a block that was deleted, or finished by another attempt.
func ignoreGone(err error) error {
	if domain.KindOf(err) == domain.NotFound {
		return nil
	}
	return err
}

// endProcessing stores the content that a block waits for, once.
func (a *Content) endProcessing(ctx context.Context, id domain.BlockID, change func(tx *store.Tx, b *domain.Block) error) error {
	err := a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.Blocks().LockBlock(ctx, id); err != nil {
			return err
		}
		if err := tx.Blobs().EndProcessing(ctx, id, domain.ProcessingDone, nil, a.Now()); err != nil {
			return err
		}
		was, err := tx.Blocks().AnyBlock(ctx, id)
		if err != nil {
			return err
		}
		is := was
		if err := change(tx, &is); err != nil {
			return err
		}
		for _, f := range []*domain.File{is.Image, is.File} {
			if f == nil || f.ID != 0 {
				continue
			}
			f.Owner = domain.UserID(was.Author.ID)
			f.KeepsMetadata = was.KeepsMetadata()
			if f.ID, err = tx.Blobs().AddFile(ctx, *f, a.Now()); err != nil {
				return err
			}
		}
		return storeContent(ctx, tx, was, is, a.Now())
	})
	return ignoreGone(err)
}

// fill sets the content of a block and marks its uploads as used. Values that the author set take precedence.
func (a *Content) fill(ctx context.Context, id domain.BlockID, made content, in *intake, from domain.BlockUploads) error {
	text := made.words()
	description := core.Literal(made.description)
	return a.endProcessing(ctx, id, func(tx *store.Tx, b *domain.Block) error {
		if err := errors.Join(tx.Blobs().UseUpload(ctx, from.UploadID, a.Now()), tx.Blobs().UseUpload(ctx, from.PosterID, a.Now()), in.settle(ctx, tx, made.image, made.file)); err != nil {
			return err
		}
		b.Type, b.State = made.kind, domain.Available
		b.Image, b.File, b.Embed, b.Page, b.Sound, b.Content = copied(made.image), copied(made.file), made.embed, made.page, made.sound, text
		b.Title = orElse(b.Title, made.title)
		b.AltText = orElse(b.AltText, made.altText)
		if b.Description == nil {
			b.Description = description
		}
		if b.SourceURL != nil {
			b.SourceTitle = orElse(b.SourceTitle, made.sourceTitle)
		}
		if b.Type == domain.LinkBlock {
			return errors.Join(useArticle(ctx, tx, b, ""), a.TakeFirst(ctx, tx, *b))
		}
		return nil
	})
}

// words returns the content of a block. The text of a document is only searched, not shown, so it is stored as words
// only.
func (made content) words() *domain.Text {
	if made.text != "" {
		return &domain.Text{Plain: made.text}
	}
	return core.Rendered(core.NonEmpty(&made.markdown))
}

// copied copies a file, so that a retried transaction does not see the id that the first run assigned.
func copied(f *domain.File) *domain.File {
	if f == nil {
		return nil
	}
	c := *f
	return &c
}

// orElse returns said if it is set, or else found, or nil if both are missing.
func orElse(said *string, found string) *string {
	if said != nil || found == "" {
		return said
	}
	return &found
}
