package collections

import (
	"context"
	"fmt"
	"math"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
	"vitrine/internal/store/redo"
)

// CopyContents is the job that connects the items of a channel to another one, from those above a key.
type CopyContents struct {
	From  domain.ChannelID `json:"from"`
	To    domain.ChannelID `json:"to"`
	By    domain.UserID    `json:"by"`
	Above int64            `json:"above"`
}

// Kind implements jobs.Args.
func (CopyContents) Kind() string { return "copy_contents" }

const (
	// copiedAtOnce is how many items one transaction connects, so that it does not lock the channel for long.
	copiedAtOnce = 50
	// copiedPerJob is how many items a job examines before it enqueues the next one.
	copiedPerJob = 20 * copiedAtOnce
	// maxCopied is the maximum number of items of a channel that can be copied.
	maxCopied = 100_000
)

// CopyContents connects all items of a channel that the actor sees to another channel, on top and in the same order.
// Items that are there already stay where they are. The first ones are connected at once, and the rest by jobs. It
// creates no activities, and connections get no metadata.
func (a *Collections) CopyContents(ctx context.Context, actor domain.Actor, from, to domain.Ref) error {
	source, err := a.Store.Channels().Channel(ctx, actor.UserID, from)
	if err != nil {
		return err
	}
	target, err := a.Store.Channels().Channel(ctx, actor.UserID, to)
	switch {
	case err != nil:
		return err
	case !domain.CanArrange(actor, target): // a stranger must not fill an open channel
		return core.Forbidden("copy to channel " + target.Slug)
	case source.Contents() > maxCopied:
		return domain.NewUnprocessable(fmt.Sprintf("A channel of more than %d items cannot be copied", maxCopied))
	case source.ID == target.ID:
		return domain.NewUnprocessable("A channel cannot be copied into itself")
	}
	_, err = a.copySome(ctx, actor, CopyContents{source.ID, target.ID, actor.UserID, math.MinInt64}, true)
	return err
}

// RunCopyContents connects the next items. Repeating it changes nothing, since each item is in a channel once.
func (a *Collections) RunCopyContents(ctx context.Context, job CopyContents) error {
	users, err := a.Store.Users().UsersByID(ctx, []domain.UserID{job.By})
	if err != nil {
		return err
	}
	if u, is := users[job.By]; !is || u.SuspendedAt != nil {
		return nil
	}
	actor := domain.Actor{UserID: job.By, Scope: domain.ScopeWrite}
	for done := copiedAtOnce; ; done += copiedAtOnce {
		next, err := a.copySome(ctx, actor, job, done >= copiedPerJob)
		switch kind := domain.KindOf(err); {
		case err != nil && (kind == domain.NotFound || kind == domain.Forbidden): // the actor may no longer copy this
			return nil
		case err != nil || done >= copiedPerJob || next == job.Above:
			return err
		}
		job.Above = next
	}
}

// copySome connects the next items in one transaction, which enqueues the job for the rest if it is the last one of
// its caller. It returns the key of the last item, the same key as before at the end.
func (a *Collections) copySome(ctx context.Context, actor domain.Actor, job CopyContents, last bool) (above int64, err error) {
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.Channels().Channel(ctx, actor.UserID, domain.Ref{ID: int64(job.From)}); err != nil {
			return err
		}
		var ids []domain.ConnectionID
		if ids, above, err = tx.Contents().IDsAbove(ctx, actor.UserID, job.From, job.Above, copiedAtOnce); err != nil || len(ids) == 0 {
			return err
		}
		conns, err := tx.Contents().StillIn(ctx, job.From, ids)
		if err != nil {
			return err
		}
		copied := redo.Removal{Channel: job.To}
		for _, c := range conns {
			if c.Item != domain.ChannelRef(job.To) {
				copied.Items = append(copied.Items, redo.Removed{Type: c.Item.Type, ID: c.Item.ID, Maker: actor.UserID})
			}
		}
		if err := a.connectCopied(ctx, tx, actor, copied); err != nil || !last || len(ids) < copiedAtOnce {
			return err
		}
		return tx.Enqueue(ctx, CopyContents{job.From, job.To, job.By, above}, jobs.For(int64(job.By)), jobs.Unique())
	})
	return above, err
}

// connectCopied connects items as UndoRemoval does, without those that were deleted or are hidden from the actor.
func (a *Collections) connectCopied(ctx context.Context, tx *store.Tx, actor domain.Actor, was redo.Removal) error {
	c, err := lockToRestore(ctx, tx, actor, was)
	if err != nil {
		return err
	}
	if !domain.CanArrange(actor, c) {
		return core.Forbidden("copy to channel " + c.Slug)
	}
	return restoreAll(ctx, tx, actor, &Restored{Channel: c}, was, a.Now())
}
