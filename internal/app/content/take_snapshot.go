package content

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"strconv"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/capture"
	"vitrine/internal/domain"
	"vitrine/internal/fetch"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
)

// TakeSnapshot is the job that takes a copy of a block's page.
type TakeSnapshot struct {
	Block domain.BlockID `json:"block_id"`
	Round int64          `json:"round"`
}

// Kind implements jobs.Args.
func (TakeSnapshot) Kind() string { return "take_snapshot" }

// Class implements jobs.Classed. The workers of the class bound the memory (capture.Limits).
func (TakeSnapshot) Class() jobs.Class { return jobs.Snapshot }

// snapshotLimits limit the copies that a person has this server take.
var snapshotLimits = []core.Limit{{Max: 60, Window: time.Hour}, {Max: 300, Window: core.Day}}

// snapshotWaits are the pauses between attempts after temporary failures.
var snapshotWaits = []time.Duration{time.Minute, 10 * time.Minute, time.Hour}

// maxSnapshotAttempts is the number of attempts, including those during which a server died.
const maxSnapshotAttempts = 4

// snapshotJobAttempts is how often the queue runs the job. Attempts are counted in the row of the request, so that an
// attempt that was never made does not count.
const snapshotJobAttempts = 4 * maxSnapshotAttempts

// errSnapshotTries is the cause, for the operator, of a copy whose taking killed servers.
var errSnapshotTries = errors.New("the attempts to take a copy of the page are used up: servers stopped, or the time was up, during them")

// CanTakeSnapshots reports whether this server takes copies that people ask for.
func (a *Content) CanTakeSnapshots() bool { return a.snapshots.Policy != domain.NoSnapshots }

// RequestSnapshot queues a copy of the page of a block of the actor. It does nothing if one is being taken.
func (a *Content) RequestSnapshot(ctx context.Context, actor domain.Actor, block domain.BlockID) error {
	return a.requestAnd(ctx, actor, block, func(*store.Tx) error { return nil })
}

// requestAnd is RequestSnapshot with a callback in the same transaction.
func (a *Content) requestAnd(ctx context.Context, actor domain.Actor, block domain.BlockID, then func(tx *store.Tx) error) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		b, err := tx.Blocks().LockedBlock(ctx, actor.UserID, block)
		if err != nil {
			return err
		}
		if err := hasPageCopies(ctx, tx.Queries, actor, b); err != nil {
			return err
		}
		if err := a.maySnapshot(ctx, tx.Queries, b); err != nil {
			return err
		}
		if err := a.fetcher.Check(*b.ValueURL); err != nil {
			reason, _ := explain(err)
			return domain.NewUnprocessable(reason)
		}
		if err := a.affordSnapshot(ctx, tx.Queries, actor, 1); err != nil {
			return err
		}
		queued, err := a.requestSnapshot(ctx, tx, actor.UserID, block)
		if err != nil {
			return err
		}
		if err := then(tx); err != nil || !queued {
			return err
		}
		over, err := core.CountIn(ctx, tx, core.Counters(snapshotLimits, false, "snapshot", strconv.FormatInt(int64(actor.UserID), 10)), a.Now())
		return cmp.Or(err, over)
	})
}

// requestSnapshot queues the job, unless a copy is being taken already.
func (a *Content) requestSnapshot(ctx context.Context, tx *store.Tx, by domain.UserID, block domain.BlockID) (queued bool, err error) {
	round, err := tx.Blobs().RequestSnapshot(ctx, block, by, a.Now())
	if domain.KindOf(err) == domain.NotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, tx.Enqueue(ctx, TakeSnapshot{Block: block, Round: round}, jobs.Attempts(snapshotJobAttempts), jobs.For(int64(by)))
}

// SnapshotRequest returns the copy that this server takes of the page of a block of the actor, or failed to take. It
// returns NotFound if nobody has requested one.
func (a *Content) SnapshotRequest(ctx context.Context, actor domain.Actor, b domain.Block) (q domain.SnapshotRequest, err error) {
	if !domain.IsAuthor(actor, b) {
		return q, domain.NewNotFound()
	}
	return a.Store.Blobs().SnapshotRequest(ctx, b.ID)
}

// TakeSnapshot fetches the page of a block and saves a copy. Running it again has no further effect.
func (a *Content) TakeSnapshot(ctx context.Context, job TakeSnapshot) error {
	b, q, actor, err := a.beginSnapshot(ctx, job)
	if domain.KindOf(err) == domain.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	if q.Attempts > maxSnapshotAttempts {
		return errors.Join(a.noteSnapshot(ctx, q, cmp.Or(q.Reason, "The page could not be copied"), true), jobs.Permanent(errSnapshotTries))
	}
	if err := a.takeSnapshot(ctx, actor, b, q); err != nil {
		return a.snapshotFailed(ctx, q, err)
	}
	return nil
}

// beginSnapshot counts an attempt. NotFound means that there is nothing to do. If the user is suspended or gone, or sees the
// block no more, nobody waits for the copy.
func (a *Content) beginSnapshot(ctx context.Context, job TakeSnapshot) (b domain.Block, q domain.SnapshotRequest, actor domain.Actor, err error) {
	gone := false
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.Blobs().BeginSnapshot(ctx, job.Block, job.Round, a.Now()); err != nil {
			return err
		}
		if q, err = tx.Blobs().SnapshotRequest(ctx, job.Block); err != nil {
			return err
		}
		u, err := tx.Users().User(ctx, domain.Ref{ID: int64(q.User)})
		if err == nil && u.SuspendedAt != nil {
			err = domain.NewNotFound()
		}
		if err == nil {
			actor = domain.Actor{UserID: u.ID, Tier: u.Tier, Scope: domain.ScopeWrite}
			b, err = tx.Blocks().Block(ctx, u.ID, job.Block)
		}
		if gone = domain.KindOf(err) == domain.NotFound; gone {
			return tx.Blobs().EndSnapshotRequest(ctx, job.Block, job.Round)
		}
		return err
	})
	if err == nil && gone {
		err = domain.NewNotFound()
	}
	return b, q, actor, err
}

// takeSnapshot fetches and saves the copy.
func (a *Content) takeSnapshot(ctx context.Context, actor domain.Actor, b domain.Block, q domain.SnapshotRequest) error {
	if b.Type == domain.TextBlock {
		return a.completeMail(ctx, actor, b, q)
	}
	if err := hasCopies(actor, b, domain.FromServer); err != nil {
		return err
	}
	if err := a.maySnapshot(ctx, a.Store.AtPrimary().Queries, b); err != nil {
		return err
	}
	if err := a.affordSnapshot(ctx, a.Store.AtPrimary().Queries, actor, 1); err != nil {
		return err
	}
	made, pictures, err := a.capture(ctx, *b.ValueURL, a.captureLimits(ctx))
	if err != nil {
		return err
	}
	in := SnapshotInput{Kind: domain.SnapshotPage, Source: domain.FromServer, Address: made.URL.String(), ContentType: "text/html; charset=utf-8",
		Shared: true, Missing: missingParts(made.Missing), Omitted: int64(made.Omitted), Length: int64(len(made.HTML)), Body: bytes.NewReader(made.HTML)}
	_, err = a.addSnapshot(ctx, actor, b.ID, in, pictures, func(tx *store.Tx) error {
		return tx.Blobs().EndSnapshotRequest(ctx, q.Block, q.Round)
	})
	return err
}

// captureLimits returns the limits of a copy.
func (a *Content) captureLimits(ctx context.Context) capture.Limits {
	limits := capture.Default()
	limits.Bytes = min(limits.Bytes, a.snapshots.Limit)
	if end, ok := ctx.Deadline(); ok { // leave time to save it
		limits.Time = min(limits.Time, time.Until(end)*2/3)
	}
	return limits
}

// permitted fetches the page and its parts, except those of blocked sites and of sites whose pages are never copied.
type permitted struct{ content *Content }

func (p permitted) Get(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
	r.Permit = p.content.permitSnapshot
	return p.content.get(ctx, r)
}

// snapshotFailed records a failed attempt and returns the error that makes the queue try again at the right time.
func (a *Content) snapshotFailed(ctx context.Context, q domain.SnapshotRequest, err error) error {
	undo := func() error {
		return a.Note(ctx, func(ctx context.Context, tx *store.Tx) error {
			return tx.Blobs().UndoSnapshotAttempt(ctx, q.Block, q.Round)
		})
	}
	switch domain.KindOf(err) {
	case domain.NotFound: // another run saved the copy, or the next run finds the block gone
		return jobs.Later(0)
	case domain.TooMany: // other uploads of the user are in progress
		return errors.Join(err, undo())
	}
	if again, ok := passing(ctx, err, undo); ok {
		return again
	}
	reason, lasting := whyNoSnapshot(err)
	if ctx.Err() != nil {
		reason, lasting = "It took too long", false
	}
	last := lasting || q.Attempts >= maxSnapshotAttempts
	note := a.noteSnapshot(ctx, q, reason, last)
	switch {
	case note != nil:
		return errors.Join(err, note) // the next attempt records it
	case last:
		return jobs.Permanent(err)
	}
	wait := jobs.Around(snapshotWaits[q.Attempts-1])
	if e, ok := errors.AsType[*fetch.Error](err); ok {
		wait = max(wait, e.RetryAfter)
	}
	return errors.Join(err, jobs.Later(wait))
}

// whyNoSnapshot returns the reason of a failure for people, and whether it is permanent.
func whyNoSnapshot(err error) (reason string, lasting bool) {
	if e, ok := errors.AsType[*capture.Error](err); ok {
		return e.Reason, true
	}
	if known, ok := errors.AsType[*domain.Error](err); ok {
		return known.Message, true
	}
	return explain(err)
}

// noteSnapshot records why an attempt failed, even if it used up the job's time.
func (a *Content) noteSnapshot(ctx context.Context, q domain.SnapshotRequest, reason string, last bool) error {
	return a.Note(ctx, func(ctx context.Context, tx *store.Tx) error {
		return tx.Blobs().NoteSnapshotFailure(ctx, q.Block, q.Round, reason, last, a.Now())
	})
}
