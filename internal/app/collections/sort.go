package collections

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/redo"
)

// SortContents sorts some items of a channel, from the bottom: they permute the positions that they hold together, and
// all others stay where they are. Items are named by ids of blocks or channels. An id that both have means the block
// first; one that is not in the channel changes nothing. It needs the permission to move connections, and the number of
// statements does not depend on the size of the channel.
func (a *Collections) SortContents(ctx context.Context, actor domain.Actor, ref domain.Ref, ids []int64) error {
	if err := validOrder(ids); err != nil {
		return err
	}
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		c, err := core.LockedChannel(ctx, tx, actor, ref)
		if err != nil {
			return err
		}
		if !domain.CanArrange(actor, c) {
			return core.Forbidden("arrange this channel")
		}
		order, err := heldBy(ctx, tx, actor, c.ID, ids)
		if err != nil {
			return err
		}
		now := a.Now()
		moved, err := tx.Connections().Arrange(ctx, c.ID, order, now)
		if err != nil || len(moved) == 0 {
			return err
		}
		return core.Publish(ctx, tx, actor.UserID, now, domain.ContentsArranged{Channel: c, Moved: moved})
	})
}

// Sorted is the result of sorting a channel once.
type Sorted struct {
	Undo  string // key for UndoRemoval; "" if no item moved
	Count int    // of the moved items
}

// SortOnce puts the items of a channel that the actor sees into an order, using the places that they hold together, and
// records their former order for UndoRemoval. It reads and sorts before it locks the channel, so items that were added
// in the meantime stay where they are.
func (a *Collections) SortOnce(ctx context.Context, actor domain.Actor, ref domain.Ref, by domain.OnceSort) (r Sorted, err error) {
	var f domain.Faults
	if domain.Among(&f, "by", by, domain.OnceSorts()...); f != nil {
		return r, f.Err()
	}
	c, err := a.Store.Channels().Channel(ctx, actor.UserID, ref)
	switch {
	case err != nil:
		return r, err
	case !domain.CanArrange(actor, c):
		return r, core.Forbidden("arrange this channel")
	case c.Contents() > domain.MaxOrdered:
		return r, domain.NewUnprocessable(fmt.Sprintf("A channel of more than %d items cannot be sorted", domain.MaxOrdered))
	}
	keys, err := a.Store.Contents().SortKeys(ctx, actor.UserID, c.ID, domain.MaxOrdered)
	if err != nil {
		return r, err
	}
	ids := by.Sorted(keys)
	slices.Reverse(ids) // positions count from the bottom
	undo, now := auth.NewKey(), a.Now()
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		r = Sorted{}
		c, err := core.LockedChannel(ctx, tx, actor, domain.Ref{ID: int64(c.ID)})
		if err != nil {
			return err
		}
		order, moved, err := arrange(ctx, tx, actor, c, ids, now)
		if err != nil || len(moved) == 0 {
			return err
		}
		r = Sorted{Undo: undo, Count: len(moved)}
		return tx.Redo().AddRemoval(ctx, redo.Removal{ID: undo, User: actor.UserID, Channel: c.ID, Items: redo.FormerOrder(former(order, moved)), ExpiresAt: now.Add(UndoFor)}, now)
	})
	return r, err
}

// arrange puts those of the connections that are in a locked channel into an order, lowest first, using the places that
// they hold together. It returns all of them with their former places, and the moved ones.
func arrange(ctx context.Context, tx *store.Tx, actor domain.Actor, c domain.Channel, ids []domain.ConnectionID, now time.Time) (order []store.Held, moved []domain.ConnectionID, err error) {
	if !domain.CanArrange(actor, c) {
		return nil, nil, core.Forbidden("arrange this channel")
	}
	held, err := tx.Contents().HeldByID(ctx, c.ID, ids)
	if err != nil {
		return nil, nil, err
	}
	order = make([]store.Held, 0, len(ids))
	for _, id := range ids {
		if h, is := held[id]; is {
			order = append(order, h)
		}
	}
	moved, err = tx.Connections().Arrange(ctx, c.ID, order, now)
	if err != nil || len(moved) == 0 {
		return order, nil, err
	}
	return order, moved, core.Publish(ctx, tx, actor.UserID, now, domain.ContentsArranged{Channel: c, Moved: moved})
}

// former returns the moved connections in their former order, lowest first.
func former(all []store.Held, moved []domain.ConnectionID) []domain.ConnectionID {
	places := make(map[domain.ConnectionID]int64, len(all))
	for _, h := range all {
		places[h.ID] = h.PositionKey
	}
	moved = slices.Clone(moved)
	slices.SortFunc(moved, func(a, b domain.ConnectionID) int { return cmp.Compare(places[a], places[b]) })
	return moved
}

// restoreOrder restores the former order of sorted items of a locked channel. Those that were added or removed in the
// meantime stay so.
func restoreOrder(ctx context.Context, tx *store.Tx, actor domain.Actor, r *Restored, was redo.Removal, now time.Time) error {
	ids := was.Order()
	order, _, err := arrange(ctx, tx, actor, r.Channel, ids, now)
	r.Count, r.Lost = len(order), len(ids)-len(order)
	return err
}

// validOrder checks the ids of items to be sorted.
func validOrder(ids []int64) error {
	var f domain.Faults
	if !f.Count("ids", len(ids), domain.MaxOrdered) {
		return f.Err()
	}
	sorted := slices.Sorted(slices.Values(ids))
	if sorted[0] < 1 {
		f.Positive("ids", sorted[0])
	}
	return f.Err()
}

// heldBy finds items in a locked channel by the ids of blocks or channels.
func heldBy(ctx context.Context, tx *store.Tx, actor domain.Actor, c domain.ChannelID, ids []int64) ([]store.Held, error) {
	blocks, err := tx.Contents().HeldBy(ctx, actor.UserID, c, domain.ItemBlock, ids)
	if err != nil {
		return nil, err
	}
	named := map[int64]int{}
	rest := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool {
		_, is := blocks[id]
		named[id]++
		return is && named[id] == 1
	})
	channels, err := tx.Contents().HeldBy(ctx, actor.UserID, c, domain.ItemChannel, rest)
	if err != nil {
		return nil, err
	}
	order := make([]store.Held, 0, len(ids))
	var missing []string
	for _, id := range ids {
		held, is := blocks[id]
		if delete(blocks, id); !is {
			held, is = channels[id]
			delete(channels, id)
		}
		switch {
		case is:
			order = append(order, held)
		case named[id] > 1:
			return nil, domain.InvalidField("ids", domain.FieldRepeated, "must name each item once")
		default:
			missing = append(missing, fmt.Sprint(id))
		}
	}
	if missing != nil {
		return nil, domain.NewUnprocessable(fmt.Sprintf("ids: not in this channel: %s", strings.Join(missing[:min(len(missing), maxNamed)], ", ")))
	}
	return order, nil
}

// maxNamed is how many wrong ids an error lists.
const maxNamed = 5

// MoveItem moves an item within a channel to a position, 1 at the bottom. A position above the top means the top.
func (a *Collections) MoveItem(ctx context.Context, actor domain.Actor, ref domain.Ref, item domain.ItemRef, position int64) (PlacedConnection, error) {
	var f domain.Faults
	f.Positive("new_position", position)
	if f != nil {
		return PlacedConnection{}, f.Err()
	}
	id, err := a.connectionOf(ctx, actor, ref, item)
	if err != nil {
		return PlacedConnection{}, err
	}
	return a.MoveConnection(ctx, actor, id, domain.InsertAt, &position)
}

// connectionOf returns the connection of an item to a channel that the actor sees.
func (a *Collections) connectionOf(ctx context.Context, actor domain.Actor, ref domain.Ref, item domain.ItemRef) (domain.ConnectionID, error) {
	c, err := a.Store.Channels().Channel(ctx, actor.UserID, ref)
	if err != nil {
		return 0, err
	}
	id, err := a.Store.Contents().ConnectionOf(ctx, c.ID, item)
	if err == nil && id == 0 {
		err = domain.NewNotFound()
	}
	return id, err
}
