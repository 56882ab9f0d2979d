package collections

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/redo"
)

// UndoFor is how long a removal from a channel can be undone.
const UndoFor = time.Hour

// Removed is the result of removing connections from a channel.
type Removed struct {
	Channel domain.Channel
	Undo    string // key for undoing the removal for a while; "" if none was removed
	Count   int    // of the removed ones
	Kept    int    // that the actor may not remove
	Gone    int    // that did not exist any more

	Connections []domain.ConnectionID // the removed ones
}

// RemoveConnections removes the items from a channel that the actor may remove, and records their state for UndoRemoval.
func (a *Collections) RemoveConnections(ctx context.Context, actor domain.Actor, ref domain.Ref, ids []domain.ConnectionID) (r Removed, err error) {
	var f domain.Faults
	if !f.Count("connections", len(ids), domain.MaxRemoved) {
		return r, f.Err()
	}
	id, now := auth.NewKey(), a.Now()
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		r = Removed{}
		if r.Channel, err = core.LockedChannel(ctx, tx, actor, ref); err != nil {
			return err
		}
		at, err := tx.Contents().Positions(ctx, ids...)
		if err != nil {
			return err
		}
		conns, err := r.removable(ctx, tx, actor, ids)
		if err != nil || len(conns) == 0 {
			return err
		}
		if err := a.keepConnections(ctx, tx, actor, r.Channel, conns, now); err != nil {
			return err
		}
		var events []domain.Event
		var items []redo.Removed
		for _, c := range conns {
			if err := tx.Connections().Disconnect(ctx, c, now); err != nil {
				return err
			}
			r.Connections = append(r.Connections, c.ID)
			items = append(items, redo.Removed{Type: c.Item.Type, ID: c.Item.ID, Maker: domain.UserID(c.Maker.ID), Position: at[c.ID], Metadata: c.Metadata, Connection: c.ID})
			events = append(events, domain.Disconnected{Connection: c})
		}
		r.Undo = id
		err = tx.Redo().AddRemoval(ctx, redo.Removal{ID: id, User: actor.UserID, Channel: r.Channel.ID, Items: items, ExpiresAt: now.Add(UndoFor)}, now)
		if err != nil {
			return err
		}
		return core.Publish(ctx, tx, actor.UserID, now, events...)
	})
	return r, err
}

// RemoveItem removes an item from a channel, as RemoveConnections does.
func (a *Collections) RemoveItem(ctx context.Context, actor domain.Actor, ref domain.Ref, item domain.ItemRef) (r Removed, err error) {
	c, err := a.Store.Channels().Channel(ctx, actor.UserID, ref)
	if err != nil {
		return r, err
	}
	id, err := a.Store.Contents().ConnectionOf(ctx, c.ID, item)
	if err != nil || id == 0 {
		return Removed{Channel: c, Gone: 1}, err
	}
	return a.RemoveConnections(ctx, actor, domain.Ref{ID: int64(c.ID)}, []domain.ConnectionID{id})
}

// removable returns the connections that the actor may remove, in the lock order of their items, and counts all.
func (r *Removed) removable(ctx context.Context, tx *store.Tx, actor domain.Actor, ids []domain.ConnectionID) (conns []domain.Connection, err error) {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		c, err := connectionIn(ctx, tx, actor, r.Channel.ID, id)
		switch {
		case err != nil && domain.KindOf(err) == domain.NotFound:
			r.Gone++
		case err != nil:
			return nil, err
		case !domain.CanRemove(actor, r.Channel, c):
			r.Kept++
		default:
			r.Count++
			conns = append(conns, c)
		}
	}
	slices.SortFunc(conns, func(a, b domain.Connection) int { return cmp.Compare(a.Item.ID, b.Item.ID) })
	return conns, nil
}

// connectionIn reads a connection of a channel. It returns NotFound if it is not there or the actor does not see its item.
func connectionIn(ctx context.Context, tx *store.Tx, actor domain.Actor, channel domain.ChannelID, id domain.ConnectionID) (domain.Connection, error) {
	c, err := tx.Contents().Connection(ctx, id)
	if err == nil && c.ChannelID != channel {
		err = domain.NewNotFound()
	}
	if err == nil {
		err = seesItem(ctx, tx.Queries, actor, c.Item)
	}
	return c, err
}

// Restored is the result of undoing a removal.
type Restored struct {
	Channel domain.Channel
	Count   int // of items that are in the channel again
	Lost    int // of items that were deleted or are hidden from the actor

	Placed []Placing // the new connections, from the bottom
}

// UndoRemoval restores what the actor removed from a channel, each item at its old position, with its metadata, as a
// connection of the same user. An item that is already in the channel again stays unchanged, so a second undo changes
// nothing. While Trash has the connections, the undo restores them themselves. The key of SortOnce restores the former order, and that of MoveConnections the former positions.
func (a *Collections) UndoRemoval(ctx context.Context, actor domain.Actor, id string) (r Restored, err error) {
	if len(id) > domain.MaxOnceKey || strings.ContainsFunc(id, notInKey) {
		return r, domain.NewNotFound()
	}
	now := a.Now()
	was, err := a.Store.Redo().Removal(ctx, actor.UserID, id, now)
	if err != nil {
		return r, err
	}
	lock, back, n := lockToRestore, restoreAll, len(was.Items)
	switch order := was.Order(); {
	case order != nil:
		lock, back, n = lockToArrange, restoreOrder, len(order)
	case was.HasPositions():
		lock, back = lockToArrange, restorePositions
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		r = Restored{}
		things, err := lockRemoved(ctx, tx, actor, was)
		if err != nil {
			return err
		}
		if r.Channel, err = lock(ctx, tx, actor, was); err != nil {
			return err
		}
		fresh, err := tx.Redo().TakeRemoval(ctx, was.ID)
		if err != nil || !fresh {
			r.Count = n
			return err
		}
		if err := r.fromTrash(ctx, tx, actor, things, now); err != nil {
			return err
		}
		return back(ctx, tx, actor, &r, was, now)
	})
	return r, err
}

// lockRemoved locks what Trash has of a removal, before its channel.
func lockRemoved(ctx context.Context, tx *store.Tx, actor domain.Actor, was redo.Removal) (things []domain.Trashed, err error) {
	var conns []domain.ConnectionID
	for _, item := range was.Items {
		if item.Connection != 0 {
			conns = append(conns, item.Connection)
		}
	}
	ids, err := tx.Trash().ThingsOf(ctx, conns)
	if err != nil {
		return nil, err
	}
	var locked []domain.TrashID
	for _, id := range ids {
		t, err := tx.Trash().LockTrashed(ctx, actor.UserID, id)
		switch {
		case err == nil && t.Kind == domain.TrashedConnection && t.DeletedAt.Equal(was.ExpiresAt.Add(-UndoFor)): // not a later removal
			things, locked = append(things, t), append(locked, id)
		case err != nil && domain.KindOf(err) != domain.NotFound:
			return nil, err
		}
	}
	if len(locked) > 0 {
		_, err = tx.Trash().LockConnections(ctx, locked...)
	}
	return things, err
}

// fromTrash restores the connections of a removal that are in Trash. The actor may add to the channel.
func (r *Restored) fromTrash(ctx context.Context, tx *store.Tx, actor domain.Actor, things []domain.Trashed, now time.Time) error {
	if len(things) == 0 {
		return nil
	}
	var events []domain.Event
	var back []domain.ConnectionID
	for _, t := range things {
		done, err := tx.Trash().RestoreConnections(ctx, t, now)
		if err != nil {
			return err
		}
		events, back = append(events, done.Events()...), append(back, done.Connections...)
	}
	at, err := tx.Contents().Positions(ctx, back...)
	if err != nil {
		return err
	}
	for id, position := range at {
		r.Placed = append(r.Placed, Placing{id, position})
	}
	slices.SortFunc(r.Placed, func(a, b Placing) int { return cmp.Compare(a.Position, b.Position) })
	if r.Channel, err = tx.Channels().Channel(ctx, actor.UserID, domain.Ref{ID: int64(r.Channel.ID)}); err != nil {
		return err
	}
	return core.Publish(ctx, tx, actor.UserID, now, events...)
}

// lockToArrange locks the channel in which items were sorted or moved.
func lockToArrange(ctx context.Context, tx *store.Tx, actor domain.Actor, was redo.Removal) (domain.Channel, error) {
	return core.LockedChannel(ctx, tx, actor, domain.Ref{ID: int64(was.Channel)})
}

// notInKey reports whether a character never occurs in keys of this server.
func notInKey(r rune) bool {
	return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}

// lockToRestore locks the channel of a removal and the channels that were removed, in the order of their ids.
func lockToRestore(ctx context.Context, tx *store.Tx, actor domain.Actor, was redo.Removal) (domain.Channel, error) {
	ref := domain.Ref{ID: int64(was.Channel)}
	if _, err := tx.Channels().Channel(ctx, actor.UserID, ref); err != nil {
		return domain.Channel{}, err
	}
	lock := []domain.ChannelID{was.Channel}
	for _, item := range was.Items {
		if item.Type != domain.ItemChannel {
			continue
		}
		_, err := tx.Channels().Channel(ctx, actor.UserID, domain.Ref{ID: item.ID})
		if domain.KindOf(err) == domain.NotFound && err != nil {
			continue
		}
		if err != nil {
			return domain.Channel{}, err
		}
		lock = append(lock, domain.ChannelID(item.ID))
	}
	if err := tx.Channels().LockChannels(ctx, lock...); err != nil {
		return domain.Channel{}, err
	}
	c, err := tx.Channels().Channel(ctx, actor.UserID, ref)
	if err == nil && !domain.CanAddTo(actor, c) {
		err = core.Forbidden("add to channel " + c.Slug)
	}
	return c, err
}

// lockBlocks locks and reads the blocks of a removal that still exist. It does not check that the actor sees them: a
// block may have been visible only through this channel.
func lockBlocks(ctx context.Context, tx *store.Tx, items []redo.Removed) (map[domain.BlockID]*domain.Block, error) {
	var ids []domain.BlockID
	for _, item := range items {
		if item.Type == domain.ItemBlock {
			ids = append(ids, domain.BlockID(item.ID))
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		if err := tx.Blocks().LockBlock(ctx, id); err != nil && domain.KindOf(err) != domain.NotFound {
			return nil, err
		}
	}
	return tx.Blocks().BlocksByID(ctx, ids)
}

// restoreAll connects items to a locked channel as before, from the bottom, and counts them.
func restoreAll(ctx context.Context, tx *store.Tx, actor domain.Actor, r *Restored, was redo.Removal, now time.Time) error {
	items := slices.SortedStableFunc(slices.Values(was.Items), func(a, b redo.Removed) int { return cmp.Compare(a.Position, b.Position) })
	blocks, err := lockBlocks(ctx, tx, items)
	if err != nil {
		return err
	}
	var events []domain.Event
	for _, item := range items {
		event, err := restore(ctx, tx, actor, r, item, blocks, now)
		switch {
		case err != nil && domain.KindOf(err) == domain.NotFound:
			r.Lost++
		case err != nil:
			return err
		default:
			r.Count++
			events = append(events, event...)
		}
	}
	return core.Publish(ctx, tx, actor.UserID, now, events...)
}

// restore connects an item to a locked channel as before. It returns NotFound if the item was deleted.
func restore(ctx context.Context, tx *store.Tx, actor domain.Actor, r *Restored, item redo.Removed, blocks map[domain.BlockID]*domain.Block, now time.Time) ([]domain.Event, error) {
	ref := domain.ItemRef{Type: item.Type, ID: item.ID}
	event := domain.Connected{Channel: r.Channel, Item: ref, Again: true}
	if item.Type == domain.ItemChannel {
		c, err := tx.Channels().Channel(ctx, actor.UserID, domain.Ref{ID: item.ID})
		if err != nil {
			return nil, err
		}
		event.Owner, event.ItemPrivate = c.Owner.PrincipalRef, c.Visibility == domain.Private
	} else {
		b, ok := blocks[domain.BlockID(item.ID)]
		if !ok {
			return nil, domain.NewNotFound()
		}
		event.Owner = b.Author.PrincipalRef
	}
	if there, err := tx.Contents().ConnectionOf(ctx, r.Channel.ID, ref); err != nil || there != 0 {
		return nil, err
	}
	made, is, err := tx.Connections().Connect(ctx, store.NewConnection{Channel: r.Channel, Item: ref, UserID: item.Maker, Position: item.Position, Metadata: item.Metadata, Now: now})
	r.Channel, r.Placed = is, append(r.Placed, Placing{made.ID, made.Position})
	return []domain.Event{event}, err
}
