package moderation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/moderation"
)

// ApplyHiding applies the rest of hiding or showing a thing, one batch per transaction. It reads the remaining work from
// the database, so it may stop at any point, run again, and overlap with a new decision.
func (a *Moderation) ApplyHiding(ctx context.Context, job moderation.ApplyHiding) error {
	h, err := a.about(ctx, job.ID, nil)
	switch {
	case domain.KindOf(err) == domain.NotFound:
		return nil
	case err != nil:
		return err
	case h.State == moderation.Showing:
		return a.applyShowing(ctx, h)
	case h.About.Kind == string(domain.SubjectUser):
		return a.applyHidingMade(ctx, h)
	case h.About.Kind == string(domain.SubjectBlock):
		return a.inSteps(ctx, h, func(tx *store.Tx, now time.Time) (int, error) {
			n, err := a.putAway(ctx, tx, 0, h.ID, domain.BlockID(h.About.ID), 0, now)
			if err == nil && n == 0 {
				err = tx.Hiding().SetHidden(ctx, h.ID, moderation.Hidden)
			}
			return n, err
		})
	}
	return nil
}

// about reads a hidden thing and calls do, if given, in the same transaction.
func (a *Moderation) about(ctx context.Context, id HiddenID, do func(tx *store.Tx, h HiddenSubject) error) (h HiddenSubject, err error) {
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if h, err = tx.Hiding().LockHidden(ctx, id); err != nil || do == nil {
			return err
		}
		return do(tx, h)
	})
	return h, err
}

// inSteps runs transactions on a hidden thing until one does nothing, or until somebody has made another decision.
func (a *Moderation) inSteps(ctx context.Context, h HiddenSubject, step func(tx *store.Tx, now time.Time) (int, error)) error {
	for {
		var n int
		_, err := a.about(ctx, h.ID, func(tx *store.Tx, is HiddenSubject) (err error) {
			n = 0
			if (is.State == moderation.Showing) != (h.State == moderation.Showing) {
				return nil
			}
			n, err = step(tx, a.Now())
			return err
		})
		if domain.KindOf(err) == domain.NotFound { // deleted, with its subject
			return nil
		}
		if err != nil || n == 0 {
			return err
		}
	}
}

// applyShowing restores everything that was put away for a thing, and deletes the record of its hiding.
func (a *Moderation) applyShowing(ctx context.Context, h HiddenSubject) error {
	return a.inSteps(ctx, h, func(tx *store.Tx, now time.Time) (int, error) {
		if n, err := a.putBack(ctx, tx, h, now); err != nil || n > 0 {
			return n, err
		}
		if n, err := a.putCommentsBack(ctx, tx, h, now); err != nil || n > 0 {
			return n, err
		}
		with, err := tx.Hiding().HiddenWith(ctx, h.ID, 1)
		if err != nil {
			return 0, err
		}
		if len(with) > 0 {
			return 1, a.showChannel(ctx, tx, 0, with[0], now)
		}
		return 0, tx.Hiding().ForgetHidden(ctx, domain.Subject{Type: domain.SubjectType(h.About.Kind), ID: h.About.ID})
	})
}

// applyHidingMade hides everything of a person: their channels, their blocks in others' channels, their connections
// there, and their comments. A failure does not stop the rest.
func (a *Moderation) applyHidingMade(ctx context.Context, h HiddenSubject) error {
	user := domain.UserID(h.About.ID)
	err := errors.Join(a.hideChannels(ctx, h, user), a.hideBlocks(ctx, h, user), a.hideAdded(ctx, h, user), a.hideComments(ctx, h, user))
	if err != nil {
		return err
	}
	return a.inSteps(ctx, h, func(tx *store.Tx, _ time.Time) (int, error) {
		return 0, tx.Hiding().SetHidden(ctx, h.ID, moderation.Hidden)
	})
}

// hideChannels makes their channels private until they are shown with the person.
func (a *Moderation) hideChannels(ctx context.Context, h HiddenSubject, user domain.UserID) error {
	last := domain.ChannelID(0)
	return a.inSteps(ctx, h, func(tx *store.Tx, now time.Time) (int, error) {
		ids, err := tx.Hiding().OpenChannels(ctx, user, last, 1)
		if err != nil || len(ids) == 0 {
			return 0, err
		}
		id := ids[0]
		if err := tx.Channels().LockWithParents(ctx, id); err != nil {
			return 0, err
		}
		if ids, err = tx.Hiding().OpenChannels(ctx, user, id-1, 1); err != nil || len(ids) == 0 || ids[0] != id { // no longer theirs
			last = id
			return 1, err
		}
		t, err := readAny(ctx, tx.Queries, domain.Subject{Type: domain.SubjectChannel, ID: int64(id)})
		if err != nil {
			return 0, err
		}
		c, err := tx.Hiding().RecordHidden(ctx, HiddenSubject{About: t.About, OwnerID: t.Owner, Was: t.What.Channel.Visibility, With: h.ID, CreatedAt: now})
		if err != nil && domain.KindOf(err) != domain.Conflict {
			return 0, err
		}
		last = id
		return 1, a.setVisibility(ctx, tx, 0, c, *t.What.Channel, domain.Private, now)
	})
}

// hideBlocks removes their blocks from others' channels.
func (a *Moderation) hideBlocks(ctx context.Context, h HiddenSubject, user domain.UserID) (failed error) {
	for last := domain.BlockID(0); ; {
		blocks, err := a.Store.Hiding().SpreadBlocks(ctx, user, last, core.ClearBatch)
		if err != nil || len(blocks) == 0 {
			return errors.Join(failed, err)
		}
		for _, b := range blocks {
			last = b
			err := a.inSteps(ctx, h, func(tx *store.Tx, now time.Time) (int, error) {
				n, err := a.putAway(ctx, tx, 0, h.ID, b, user, now)
				if domain.KindOf(err) == domain.NotFound { // deleted in the meantime
					return 0, nil
				}
				return n, err
			})
			if err != nil {
				failed = errors.Join(failed, fmt.Errorf("block %d: %w", b, err))
			}
		}
	}
}

// hideAdded removes what they connected to others' channels.
func (a *Moderation) hideAdded(ctx context.Context, h HiddenSubject, user domain.UserID) (failed error) {
	for last := domain.ChannelID(0); ; {
		channels, err := a.Store.Hiding().AddedTo(ctx, user, last, core.ClearBatch)
		if err != nil || len(channels) == 0 {
			return errors.Join(failed, err)
		}
		for _, channel := range channels {
			last = channel
			err := a.inSteps(ctx, h, func(tx *store.Tx, now time.Time) (int, error) {
				if err := tx.Channels().LockChannels(ctx, channel); err != nil {
					return 0, err
				}
				ids, err := tx.Hiding().AddedBy(ctx, user, channel, hideBatch)
				if err != nil {
					return 0, err
				}
				for _, id := range ids {
					if err := a.putOneAway(ctx, tx, 0, h.ID, id, now); err != nil {
						return 0, err
					}
				}
				return len(ids), nil
			})
			if err != nil {
				failed = errors.Join(failed, fmt.Errorf("what was added to the channel %d: %w", channel, err))
			}
		}
	}
}

// hideComments puts their comments away.
func (a *Moderation) hideComments(ctx context.Context, h HiddenSubject, user domain.UserID) error {
	return a.inSteps(ctx, h, func(tx *store.Tx, now time.Time) (int, error) {
		all, err := tx.Hiding().CommentsOf(ctx, user, hideBatch)
		if err != nil {
			return 0, err
		}
		for _, c := range all { // lock blocks in the order of their ids
			if err := tx.Blocks().LockBlock(ctx, c.Block); err != nil && domain.KindOf(err) != domain.NotFound {
				return 0, err
			}
			if err := a.putCommentAway(ctx, tx, 0, h.ID, c, now); err != nil && domain.KindOf(err) != domain.NotFound {
				return 0, err
			}
		}
		return len(all), nil
	})
}

// ResumeHiding is the job that continues hiding and showing whose job was lost or given up. It also hides what suspended
// people, or their jobs, have created since.
type ResumeHiding struct{}

// Kind implements jobs.Args.
func (ResumeHiding) Kind() string { return "resume_hiding" }

// ResumeHidingInterval is the interval of the job.
const ResumeHidingInterval = 10 * time.Minute

// ResumeHiding continues all unfinished hiding and showing. Another job may work on the same thing, since each step is
// done by only one of them. A failure does not stop the rest; all errors are returned together and name their thing.
func (a *Moderation) ResumeHiding(ctx context.Context) (failed error) {
	for last := HiddenID(0); ; {
		all, err := a.Store.Hiding().HidingToResume(ctx, last, core.ClearBatch)
		if err != nil || len(all) == 0 {
			return errors.Join(failed, err)
		}
		for _, job := range all {
			if err := a.ApplyHiding(ctx, job); err != nil {
				failed = errors.Join(failed, fmt.Errorf("hidden thing %d: %w", job.ID, err))
			}
			last = job.ID
		}
	}
}
