package collections

import (
	"context"
	"slices"
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
	return tx.Trash().TrashBlock(ctx, b, conns, a.trashing(actor, b.Author.PrincipalRef, label, a.Now()))
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
	return tx.Trash().TrashChannel(ctx, c, a.trashing(actor, c.Owner.PrincipalRef, c.Title, a.Now()))
}

// keepComment copies a comment to Trash before it is deleted.
func (a *Collections) keepComment(ctx context.Context, tx *store.Tx, actor domain.Actor, c domain.Comment) error {
	if a.trashKept == 0 {
		return nil
	}
	return tx.Trash().TrashComment(ctx, c, a.trashing(actor, c.Author.PrincipalRef, present.Excerpt(c.Body.Plain, commentLabel), a.Now()))
}

// commentLabel is how many characters of a comment Trash shows.
const commentLabel = 80

// keepConnections copies connections of a locked channel to Trash before they are removed. What its creator removes, only they
// can restore: others would publish it against their will. What somebody else removes, the owner of the channel can also restore.
func (a *Collections) keepConnections(ctx context.Context, tx *store.Tx, actor domain.Actor, in domain.Channel, conns []domain.Connection, now time.Time) error {
	if a.trashKept == 0 {
		return nil
	}
	me := domain.UserRef(actor.UserID)
	of := map[domain.PrincipalRef][]domain.Connection{}
	for _, c := range conns {
		owner := in.Owner.PrincipalRef
		if c.Maker.PrincipalRef == me {
			owner = me
		}
		of[owner] = append(of[owner], c)
	}
	for _, owner := range []domain.PrincipalRef{me, in.Owner.PrincipalRef} {
		if len(of[owner]) == 0 {
			continue
		}
		if err := tx.Trash().TrashConnections(ctx, of[owner], a.trashing(actor, owner, "", now)); err != nil {
			return err
		}
		delete(of, owner)
	}
	return nil
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
	On     *domain.Block    // what a comment was on, if the owner still sees it
	Left   int              // days until it is deleted for good
	Items  []TrashedItem    // some of the items of connections, from the top
	Count  int              // of all items
}

// TrashedItem is an item that was removed from a channel.
type TrashedItem struct {
	Block   *domain.Block // either this
	Channel *domain.Channel
	Seen    bool // whether the reader sees it elsewhere
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
		var blocks []domain.BlockID
		for _, t := range all.Items {
			ids = append(ids, t.ID)
			if t.Block != 0 {
				blocks = append(blocks, t.Block)
			}
		}
		on, err := v.Blocks().VisibleBlocksByID(ctx, actor.UserID, blocks)
		if err != nil {
			return err
		}
		places, err := v.Trash().Places(ctx, actor.UserID, ids)
		if err != nil {
			return err
		}
		items, err := trashedItems(ctx, v, actor.UserID, all.Items, places)
		if err != nil {
			return err
		}
		l = domain.List[TrashedThing]{Total: all.Total}
		for _, t := range all.Items {
			one := TrashedThing{Trashed: t, On: on[t.Block], Left: daysLeft(t.DeletedAt.Add(a.trashKept).Sub(now))}
			for _, p := range places {
				if p.Thing == t.ID && !slices.ContainsFunc(one.Places, func(c domain.Channel) bool { return c.ID == p.Channel.ID }) {
					one.Places = append(one.Places, p.Channel)
				}
			}
			one.Items, one.Count = items[t.ID].shown, items[t.ID].count
			l.Items = append(l.Items, one)
		}
		return nil
	})
	return l, err
}

// manyItems are the items of connections in Trash.
type manyItems struct {
	shown []TrashedItem
	count int
}

// trashedItems reads the items of the things that are connections. A block may have been visible only through the channel, so
// people who see the channel also see the block here. A channel is shown only to people who see it.
func trashedItems(ctx context.Context, v *store.Snapshot, viewer domain.UserID, things []domain.Trashed, places []store.TrashPlace) (map[domain.TrashID]manyItems, error) {
	var ids []domain.TrashID
	for _, t := range things {
		if t.Kind == domain.TrashedConnection {
			ids = append(ids, t.ID)
		}
	}
	all, err := v.Trash().Items(ctx, ids)
	if err != nil {
		return nil, err
	}
	inSight := map[domain.TrashID]bool{}
	for _, p := range places {
		inSight[p.Thing] = true
	}
	var visible, other []domain.BlockID
	var channels []domain.ChannelID
	for _, i := range all {
		switch {
		case i.Item.Type == domain.ItemChannel:
			channels = append(channels, domain.ChannelID(i.Item.ID))
		case inSight[i.Thing]:
			other = append(other, domain.BlockID(i.Item.ID))
			fallthrough
		default:
			visible = append(visible, domain.BlockID(i.Item.ID))
		}
	}
	seen, err := v.Blocks().VisibleBlocksByID(ctx, viewer, visible)
	if err != nil {
		return nil, err
	}
	blocks, err := v.Blocks().BlocksByID(ctx, other)
	if err != nil {
		return nil, err
	}
	in, err := v.Channels().ChannelsByID(ctx, viewer, channels)
	if err != nil {
		return nil, err
	}
	of := map[domain.TrashID]manyItems{}
	for _, i := range all {
		m := of[i.Thing]
		m.count = i.Count
		c, isChannel := in[domain.ChannelID(i.Item.ID)]
		b := seen[domain.BlockID(i.Item.ID)]
		switch {
		case i.Item.Type == domain.ItemChannel && isChannel:
			m.shown = append(m.shown, TrashedItem{Channel: &c, Seen: true})
		case i.Item.Type == domain.ItemChannel:
		case b != nil:
			m.shown = append(m.shown, TrashedItem{Block: b, Seen: true})
		case inSight[i.Thing] && blocks[domain.BlockID(i.Item.ID)] != nil:
			m.shown = append(m.shown, TrashedItem{Block: blocks[domain.BlockID(i.Item.ID)]})
		}
		of[i.Thing] = m
	}
	return of, nil
}

// InTrash reports whether something is in Trash where the actor can restore it.
func (a *Collections) InTrash(ctx context.Context, actor domain.Actor, kind domain.TrashKind, id int64) (bool, error) {
	return a.Store.Trash().InTrash(ctx, actor.UserID, kind, id)
}

// daysLeft returns the days of a duration, rounded up.
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
		var events []domain.Event
		switch t.Kind {
		case domain.TrashedBlock:
			events, err = r.restoreBlock(ctx, tx, now)
		case domain.TrashedChannel:
			events, err = r.restoreChannel(ctx, tx, actor, now)
		case domain.TrashedComment:
			events, err = r.restoreComment(ctx, tx, actor)
		case domain.TrashedConnection:
			events, err = r.restoreConnections(ctx, tx, actor, now)
		}
		if err != nil {
			return err
		}
		return core.Publish(ctx, tx, actor.UserID, now, events...)
	})
	return r, err
}

func (r *RestoredThing) restoreBlock(ctx context.Context, tx *store.Tx, now time.Time) ([]domain.Event, error) {
	done, err := tx.Trash().RestoreBlock(ctx, r.Trashed, now)
	b := domain.Block{ID: domain.BlockID(r.Target)}
	r.Path, r.Lost = new(present.Addresses).Block(&b).Path(), done.Lost
	return append([]domain.Event{domain.BlockRestored{Block: b.ID}}, done.Events()...), err
}

func (r *RestoredThing) restoreChannel(ctx context.Context, tx *store.Tx, actor domain.Actor, now time.Time) ([]domain.Event, error) {
	done, err := tx.Trash().RestoreChannel(ctx, r.Trashed, now)
	if err != nil {
		return nil, err
	}
	// The group of the channel is locked now. The actor may have left it in the meantime.
	c, err := tx.Channels().Channel(ctx, actor.UserID, domain.Ref{ID: r.Target})
	if err == nil && !domain.CanOwn(actor, c) {
		err = errTrash()
	}
	r.Path, r.Lost = new(present.Addresses).Channel(&c).Path(), done.Lost
	return append([]domain.Event{domain.ChannelRestored{Channel: c}}, done.Events()...), err
}

func (r *RestoredThing) restoreComment(ctx context.Context, tx *store.Tx, actor domain.Actor) ([]domain.Event, error) {
	b, err := tx.Blocks().LockedBlock(ctx, actor.UserID, r.Block)
	if domain.KindOf(err) == domain.NotFound {
		err = domain.NewUnprocessable("The block of this comment does not exist any more, or you do not see it")
	}
	if err == nil {
		err = tx.Trash().RestoreComment(ctx, r.Trashed)
	}
	if err != nil {
		return nil, err
	}
	c := domain.Comment{ID: domain.CommentID(r.Target), BlockID: b.ID}
	r.Path = new(present.Addresses).Entity(domain.Entity{Comment: &c}).Path()
	return []domain.Event{domain.CommentCreated{Block: b, Comment: c.ID, Brought: true}}, nil
}

// restoreConnections restores what was removed from a channel that the actor may add to.
func (r *RestoredThing) restoreConnections(ctx context.Context, tx *store.Tx, actor domain.Actor, now time.Time) ([]domain.Event, error) {
	id, err := tx.Trash().LockConnections(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	c, err := tx.Channels().Channel(ctx, actor.UserID, domain.Ref{ID: int64(id)})
	switch {
	case domain.KindOf(err) == domain.NotFound:
		return nil, domain.NewUnprocessable("The channel of this connection does not exist any more, or you do not see it")
	case err != nil:
		return nil, err
	case !domain.CanAddTo(actor, c):
		return nil, core.Forbidden("add to channel " + c.Slug)
	}
	done, err := tx.Trash().RestoreConnections(ctx, r.Trashed, now)
	if err == nil && len(done.Connected) == 0 {
		err = domain.NewUnprocessable("What was removed is in the channel again, or does not exist any more")
	}
	r.Path, r.Lost = new(present.Addresses).Channel(&c).Path(), done.Lost
	return done.Events(), err
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
