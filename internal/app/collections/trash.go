package collections

import (
	"context"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/store"
)

// trashing returns what Trash records of a thing that the actor deletes.
func (a *Collections) trashing(actor domain.Actor, owner domain.PrincipalRef, label string, now time.Time) store.NewTrashed {
	return store.NewTrashed{Owner: owner, By: actor.UserID, Label: label, Keys: auth.NewKey, Now: now}
}

// TrashKept returns how long deleted things can be restored; 0 means not at all.
func (a *Collections) TrashKept() time.Duration { return a.trashKept }

// keepBlock copies a locked block to Trash before it is deleted. A block without content yet and a hidden one are deleted
// for good: the owner of a hidden block could otherwise restore it without its record.
func (a *Collections) keepBlock(ctx context.Context, tx *store.Tx, actor domain.Actor, b domain.Block, conns []domain.Connection) error {
	if a.trashKept == 0 || b.State == domain.Processing {
		return nil
	}
	hidden, err := isHidden(ctx, tx, domain.Subject{Type: domain.SubjectBlock, ID: int64(b.ID)})
	if err != nil || hidden {
		return err
	}
	label := new(present.Addresses).Block(&b).Heading()
	return tx.Trash().KeepBlock(ctx, b, conns, a.trashing(actor, b.Author.PrincipalRef, label, a.Now()))
}

// keepChannel copies the places of a channel to Trash before it is deleted, unless it is hidden. The channel is locked
// with its parents.
func (a *Collections) keepChannel(ctx context.Context, tx *store.Tx, actor domain.Actor, c domain.Channel) error {
	if a.trashKept == 0 {
		return nil
	}
	hidden, err := isHidden(ctx, tx, domain.Subject{Type: domain.SubjectChannel, ID: int64(c.ID)})
	if err != nil || hidden {
		return err
	}
	return tx.Trash().KeepChannel(ctx, c, a.trashing(actor, c.Owner.PrincipalRef, c.Title, a.Now()))
}

func isHidden(ctx context.Context, tx *store.Tx, what domain.Subject) (bool, error) {
	_, err := tx.Hiding().HiddenSubject(ctx, what)
	if domain.KindOf(err) == domain.NotFound {
		return false, nil
	}
	return err == nil, err
}

// TrashedThing is a deleted thing as its owner sees it.
type TrashedThing struct {
	domain.Trashed
	Places []domain.Channel // some of the channels that it was in, which the owner still sees
	Left   int              // days until it is deleted for good
}

// Trash lists what the actor can restore, last deleted first.
func (a *Collections) Trash(ctx context.Context, actor domain.Actor, page domain.Page) (l domain.List[TrashedThing], err error) {
	if err := page.Validate(); err != nil {
		return l, err
	}
	now := a.Now()
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		all, err := v.Trash().Trashed(ctx, actor.UserID, page)
		if err != nil {
			return err
		}
		var ids []domain.TrashID
		for _, t := range all.Items {
			ids = append(ids, t.ID)
		}
		places, err := v.Trash().Places(ctx, actor.UserID, ids)
		if err != nil {
			return err
		}
		l = domain.List[TrashedThing]{Total: all.Total}
		for _, t := range all.Items {
			one := TrashedThing{Trashed: t, Left: daysLeft(t.DeletedAt.Add(a.trashKept).Sub(now))}
			for _, p := range places {
				if p.Thing == t.ID {
					one.Places = append(one.Places, p.Channel)
				}
			}
			l.Items = append(l.Items, one)
		}
		return nil
	})
	return l, err
}

// InTrash reports whether something is in Trash where the actor can restore it.
func (a *Collections) InTrash(ctx context.Context, actor domain.Actor, kind domain.TrashKind, id int64) (bool, error) {
	return a.Store.Trash().InTrash(ctx, actor.UserID, kind, id)
}

// daysLeft returns the number of days that have begun by the end of a time.
func daysLeft(left time.Duration) int { return int(max(0, (left+core.Day-1)/core.Day)) }

// errTrash refuses actors who may not write or, for the channel of a group, have left the group.
func errTrash() error { return core.Forbidden("change what is in Trash") }

// RestoredThing is the result of restoring something from Trash.
type RestoredThing struct {
	domain.Trashed
	Path string // of its page
	Lost int    // number of connections, comments and followers that could not be restored
}

// RestoreTrashed restores something from Trash as it was: with its id, dates, positions, comments and files. What no longer
// exists is omitted. It returns NotFound unless the actor can restore it.
func (a *Collections) RestoreTrashed(ctx context.Context, actor domain.Actor, id domain.TrashID) (r RestoredThing, err error) {
	if !actor.MayWrite() {
		return r, errTrash()
	}
	now := a.Now()
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		t, err := tx.Trash().LockTrashed(ctx, actor.UserID, id)
		if err != nil {
			return err
		}
		r = RestoredThing{Trashed: t}
		var done store.TrashRestored
		var events []domain.Event
		at := present.Addresses{}
		switch t.Kind {
		case domain.TrashedBlock:
			block := domain.BlockID(t.Target)
			if done, err = tx.Trash().RestoreBlock(ctx, t, now); err != nil {
				return err
			}
			r.Path = at.Block(&domain.Block{ID: block}).Path()
			events = append(events, domain.BlockRestored{Block: block})
		case domain.TrashedChannel:
			var c domain.Channel
			if _, done, err = tx.Trash().RestoreChannel(ctx, t, now); err != nil {
				return err
			}
			// The group of the channel is locked now. The actor may have left it in the meantime.
			if c, err = tx.Channels().Channel(ctx, actor.UserID, domain.Ref{ID: t.Target}); err != nil {
				return err
			}
			if !domain.CanOwn(actor, c) {
				return errTrash()
			}
			r.Path = at.Channel(&c).Path()
			events = append(events, domain.ChannelRestored{Channel: c})
		default:
			return domain.NewNotFound()
		}
		r.Lost = done.Lost
		for _, c := range done.Connected {
			events = append(events, c)
		}
		return core.Publish(ctx, tx, actor.UserID, now, events...)
	})
	return r, err
}

// PurgeTrashed deletes something in Trash for good. A job deletes its rows and files.
func (a *Collections) PurgeTrashed(ctx context.Context, actor domain.Actor, id domain.TrashID) error {
	if !actor.MayWrite() {
		return errTrash()
	}
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.Trash().PurgeTrashed(ctx, actor.UserID, id); err != nil {
			return err
		}
		return tx.Enqueue(ctx, PurgeTrash{})
	})
}

// EmptyTrash deletes everything for good that the actor can restore, up to the last thing that the page listed.
func (a *Collections) EmptyTrash(ctx context.Context, actor domain.Actor, upto domain.TrashID) error {
	if !actor.MayWrite() {
		return errTrash()
	}
	err := a.InBatches(ctx, func(tx *store.Tx) (int, error) {
		return tx.Trash().EmptyTrash(ctx, actor.UserID, upto, core.SweepBatch)
	})
	if err != nil {
		return err
	}
	return a.Store.InTx(ctx, func(tx *store.Tx) error { return tx.Enqueue(ctx, PurgeTrash{}) })
}

// PurgeTrash is the job that deletes things for good whose time in Trash is over, or whose owner wants it.
type PurgeTrash struct{}

// Kind implements jobs.Args.
func (PurgeTrash) Kind() string { return "purge_trash" }

// PurgeTrashInterval is the interval of the job.
const PurgeTrashInterval = time.Hour

// PurgeTrash deletes things for good in batches. It may stop at any point and run again.
func (a *Collections) PurgeTrash(ctx context.Context) error {
	before := a.Now().Add(-a.trashKept)
	err := a.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.Trash().ExpireTrash(ctx, before, core.SweepBatch) })
	for more := true; more && err == nil; {
		err = a.Store.InTx(ctx, func(tx *store.Tx) (err error) {
			more, err = tx.Trash().PurgeSome(ctx, core.SweepBatch)
			return err
		})
	}
	return err
}
