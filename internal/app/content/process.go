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
	"vitrine/internal/store"
)

// ProcessBlock is the job that fetches the content of a block.
type ProcessBlock struct {
	Block domain.BlockID `json:"block_id"`
	Round int64          `json:"round,omitempty"` // of attempts; 0 in jobs of older versions, for any
}

// Kind implements jobs.Args.
func (ProcessBlock) Kind() string { return "process_block" }

// Class implements jobs.Classed.
func (ProcessBlock) Class() jobs.Class { return jobs.Content }

// linkWaits are the times between the attempts to fetch a page that fails for reasons that may pass. They
// differ by up to a quarter in each case. After the last attempt only the block's author can start again.
var linkWaits = [maxAttempts - 1]time.Duration{5 * time.Second, time.Minute, 10 * time.Minute,
	time.Hour, 6 * time.Hour, 24 * time.Hour, 48 * time.Hour}

// longWait is the shortest time for which a person may have only maxDeferred links wait. The other links
// that still fail then are given up, so an import of dead bookmarks does not fill the queue for days.
const (
	longWait    = time.Hour
	maxDeferred = 1000
)

// maxAttempts is how often the content of a block is tried: that of a link over days, by linkWaits, that
// of an upload over about ten minutes, by jobs.Backoff.
const maxAttempts = 8

// jobAttempts is how often the queue runs the job: more, since a server that dies in
// an attempt uses up one here as well.
const jobAttempts = 2 * maxAttempts

// NoteTimeout is for noting what became of an attempt when the job's own time is up.
const NoteTimeout = 5 * time.Second

// errTries is the cause of a content that servers died of, for the operator.
var errTries = errors.New("its tries are used up: servers stopped, or the time was up, in the midst of them")

// errUnavailable is the cause of a content that will never come.
type errUnavailable struct {
	reason string // for the block's author
	cause  error
}

func (e *errUnavailable) Error() string { return e.reason }
func (e *errUnavailable) Unwrap() error { return e.cause }

// Process has the content of a block got, in the transaction that makes it.
func Process(ctx context.Context, tx *store.Tx, by domain.UserID, id domain.BlockID, upload domain.UploadID, now time.Time) error {
	if err := keepUpload(ctx, tx, "value", upload); err != nil {
		return err
	}
	if err := tx.StartProcessing(ctx, id, upload, now); err != nil {
		return err
	}
	return enqueue(ctx, tx, ProcessBlock{Block: id, Round: now.UnixMicro()}, by)
}

func enqueue(ctx context.Context, tx *store.Tx, job ProcessBlock, by domain.UserID) error {
	return tx.Enqueue(ctx, job, jobs.Attempts(jobAttempts), jobs.For(int64(by)))
}

// RunProcessBlock tries to fetch the content of a block that waits for it (behaviour.md section 3). Each
// attempt is counted before it is made, so that a block whose content kills the server is given up too.
// It takes effect once, however often it runs.
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
		err = a.fill(ctx, id, made, in, p.UploadID)
		if errors.Is(err, errOverQuota) && made.text != "" {
			made.text = "" // the file is worth keeping even if searches do not find its words
			err = a.fill(ctx, id, made, in, p.UploadID)
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

// beginAttempt counts an attempt; NotFound means that there is nothing to do.
func (a *Content) beginAttempt(ctx context.Context, job ProcessBlock) (b domain.Block, p domain.ProcessingStatus, err error) {
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.BeginAttempt(ctx, job.Block, job.Round, a.Now()); err != nil {
			return err
		}
		if p, err = tx.Processing(ctx, job.Block); err != nil {
			return err
		}
		b, err = tx.AnyBlock(ctx, job.Block)
		return err
	})
	return b, p, err
}

// failed records a failed attempt, and returns the error that makes the queue try again at the right time.
func (a *Content) failed(ctx context.Context, b domain.Block, p domain.ProcessingStatus, err error) error {
	if busy, ok := errors.AsType[*fetch.Error](err); ok && errors.Is(err, fetch.ErrBusy) {
		return errors.Join(a.undoAttempt(ctx, p.BlockID), jobs.Later(max(busy.RetryAfter, time.Second)))
	}
	if errors.Is(err, errDiskLow) {
		return errors.Join(a.undoAttempt(ctx, p.BlockID), jobs.Outage(err, diskPause))
	}
	if errors.Is(ctx.Err(), context.Canceled) { // the server stops
		return errors.Join(err, a.undoAttempt(ctx, p.BlockID))
	}
	if domain.KindOf(err) == domain.Unavailable { // which is not the block's fault
		return errors.Join(err, a.undoAttempt(ctx, p.BlockID))
	}
	reason, lasting := explain(err)
	if ctx.Err() != nil {
		reason = "It took too long"
	}
	// What is noted of the attempt is noted even if it has used up the job's time.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), NoteTimeout)
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
		return errors.Join(err, note) // the next attempt notes it
	case last:
		return jobs.Permanent(err)
	case wait > 0:
		return errors.Join(err, jobs.Later(wait))
	}
	return err
}

// isLink reports whether the content of a block comes from an address, so that the block can be shown as a
// link without it.
func isLink(b domain.Block) bool { return b.ValueURL != nil }

// explain gives the reason of a failure in words for the block's author, and whether
// trying again is of no use.
func explain(err error) (reason string, lasting bool) {
	if e, ok := errors.AsType[*errUnavailable](err); ok {
		return e.reason, true
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
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), NoteTimeout)
	defer cancel()
	return a.Store.InTx(ctx, func(tx *store.Tx) error { return tx.UndoAttempt(ctx, id) })
}

// noteFailure records why an attempt failed, and ends the wait of the block after the last one. A block
// that was made from an address is shown as a Link from the first failure on, even if further attempts
// follow; one of an upload, from the last. A block that had content before keeps it.
func (a *Content) noteFailure(ctx context.Context, p domain.ProcessingStatus, reason string, last bool) error {
	err := a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.LockBlock(ctx, p.BlockID); err != nil {
			return err
		}
		current, err := tx.Processing(ctx, p.BlockID)
		if err != nil || current.Round != p.Round {
			return err
		}
		now := a.Now()
		if last {
			err = tx.EndProcessing(ctx, p.BlockID, domain.ProcessingFailed, &reason, now)
		} else {
			err = tx.AttemptFailed(ctx, p.BlockID, reason, now)
		}
		if err != nil {
			return err
		}
		was, err := tx.AnyBlock(ctx, p.BlockID)
		if err != nil || was.State != domain.Processing || !last && !isLink(was) {
			return err
		}
		is := was
		is.Type, is.State = domain.LinkBlock, domain.Failed
		if err := tx.FillBlock(ctx, was, is, now); err != nil {
			return err
		}
		return core.Publish(ctx, tx, domain.UserID(is.Author.ID), now, domain.BlockChanged{Block: is.ID})
	})
	if domain.KindOf(err) == domain.NotFound { // deleted, or done by another
		return nil
	}
	return err
}

// endProcessing gives a block the content that it waits for, once.
func (a *Content) endProcessing(ctx context.Context, id domain.BlockID, change func(tx *store.Tx, b *domain.Block) error) error {
	err := a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.LockBlock(ctx, id); err != nil {
			return err
		}
		if err := tx.EndProcessing(ctx, id, domain.ProcessingDone, nil, a.Now()); err != nil {
			return err
		}
		was, err := tx.AnyBlock(ctx, id)
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
			if f.ID, err = tx.AddFile(ctx, *f, a.Now()); err != nil {
				return err
			}
		}
		now := a.Now()
		if err := tx.FillBlock(ctx, was, is, now); err != nil {
			return err
		}
		return core.Publish(ctx, tx, domain.UserID(is.Author.ID), now, domain.BlockChanged{Block: is.ID})
	})
	if domain.KindOf(err) == domain.NotFound { // deleted, or done by another
		return nil
	}
	return err
}

// fill gives a block its content, of an upload unless that is 0. What its author says
// wins.
func (a *Content) fill(ctx context.Context, id domain.BlockID, made content, in *intake, upload domain.UploadID) error {
	text := made.words()
	description := core.Literal(made.description)
	return a.endProcessing(ctx, id, func(tx *store.Tx, b *domain.Block) error {
		if err := errors.Join(tx.UseUpload(ctx, upload, a.Now()), in.settle(ctx, tx, made.image, made.file)); err != nil {
			return err
		}
		b.Type, b.State = made.kind, domain.Available
		b.Image, b.File, b.Embed, b.Page, b.Content = copied(made.image), copied(made.file), made.embed, made.page, text
		b.Title = orElse(b.Title, made.title)
		b.AltText = orElse(b.AltText, made.altText)
		if b.Description == nil {
			b.Description = description
		}
		if b.SourceURL != nil {
			b.SourceTitle = orElse(b.SourceTitle, made.sourceTitle)
		}
		return nil
	})
}

// words returns the content of a block. The text of a document is found by searches and not shown, so it has no
// other form than its words.
func (made content) words() *domain.Text {
	if made.text != "" {
		return &domain.Text{Plain: made.text}
	}
	return core.Rendered(core.NonEmpty(&made.markdown))
}

// copied keeps a transaction that is run again from seeing the id that the first run
// gave the file.
func copied(f *domain.File) *domain.File {
	if f == nil {
		return nil
	}
	c := *f
	return &c
}

// orElse is what was said, else what was found; nil where neither was.
func orElse(said *string, found string) *string {
	if said != nil || found == "" {
		return said
	}
	return &found
}
