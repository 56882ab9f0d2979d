package collections

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/redo"
)

// Placing is a connection and its position in its channel.
type Placing struct {
	Connection domain.ConnectionID
	Position   int64
}

// Moved is the result of moving items within a channel.
type Moved struct {
	Channel domain.Channel
	Before  []Placing // the former positions; moving the items there restores the order
	Gone    int       // that did not exist any more
	Undo    string    // key for UndoRemoval; "" if no item moved
}

// MoveConnections moves items of a channel to positions, 1 at the bottom. All others keep their order. Of items with the
// same position, the upper one gets it and the others follow below it; positions beyond the ends mean the ends. Items
// that do not exist any more are counted. It records the former positions for UndoRemoval.
func (a *Collections) MoveConnections(ctx context.Context, actor domain.Actor, ref domain.Ref, to []Placing) (r Moved, err error) {
	if err := validPlacings(to); err != nil {
		return r, err
	}
	undo, now := auth.NewKey(), a.Now()
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		r = Moved{}
		if r.Channel, err = core.LockedChannel(ctx, tx, actor, ref); err != nil {
			return err
		}
		moved, err := r.move(ctx, tx, actor, to, now)
		if err != nil || !moved {
			return err
		}
		r.Undo = undo
		was := redo.Removal{ID: undo, User: actor.UserID, Channel: r.Channel.ID, ExpiresAt: now.Add(UndoFor)}
		for _, p := range r.Before {
			was.Items = append(was.Items, redo.FormerPosition(p.Connection, p.Position))
		}
		return tx.Redo().AddRemoval(ctx, was, now)
	})
	return r, err
}

// move moves items of the locked channel, and reports whether any of them got another position.
func (r *Moved) move(ctx context.Context, tx *store.Tx, actor domain.Actor, to []Placing, now time.Time) (bool, error) {
	if !domain.CanArrange(actor, r.Channel) {
		return false, core.Forbidden("arrange this channel")
	}
	moving, err := r.find(ctx, tx, actor, to)
	if err != nil {
		return false, err
	}
	n := r.Channel.Contents()
	settle(moving, n)
	var moved []domain.ConnectionID
	for i := range moving {
		m, rest := &moving[i], moving[i+1:]
		from, target := m.at, insertion(m, rest)
		if err := tx.Connections().Move(ctx, &m.Connection, from, target, n, now); err != nil {
			return false, err
		}
		for j := range rest {
			rest[j].at = passed(rest[j].at, from, target)
		}
		if m.before != m.to {
			moved = append(moved, m.ID)
		}
	}
	if len(moved) == 0 {
		return false, nil
	}
	return true, core.Publish(ctx, tx, actor.UserID, now, domain.ContentsArranged{Channel: r.Channel, Moved: moved})
}

// restorePositions moves items of a locked channel back to their former positions.
func restorePositions(ctx context.Context, tx *store.Tx, actor domain.Actor, r *Restored, was redo.Removal, now time.Time) error {
	to := make([]Placing, len(was.Items))
	for i, item := range was.Items {
		to[i] = Placing{domain.ConnectionID(item.ID), item.Position}
	}
	back := Moved{Channel: r.Channel}
	_, err := back.move(ctx, tx, actor, to, now)
	r.Count, r.Lost = len(back.Before), back.Gone
	return err
}

func validPlacings(to []Placing) error {
	var f domain.Faults
	if !f.Count("connections", len(to), domain.MaxRemoved) {
		return f.Err()
	}
	seen := map[domain.ConnectionID]bool{}
	for i, p := range to {
		f.Positive(fmt.Sprintf("connections[%d].position", i), p.Position)
		if seen[p.Connection] {
			f.Add(fmt.Sprintf("connections[%d].id", i), domain.FieldRepeated, "must name each item once")
		}
		seen[p.Connection] = true
	}
	return f.Err()
}

// moving is a connection on its way to a position.
type moving struct {
	domain.Connection
	before, at, to int64
}

// find reads the connections of a locked channel and their positions.
func (r *Moved) find(ctx context.Context, tx *store.Tx, actor domain.Actor, to []Placing) (all []moving, err error) {
	ids := make([]domain.ConnectionID, len(to))
	for i, p := range to {
		ids[i] = p.Connection
	}
	at, err := tx.Contents().Positions(ctx, ids...)
	if err != nil {
		return nil, err
	}
	for _, p := range to {
		c, err := connectionIn(ctx, tx, actor, r.Channel.ID, p.Connection)
		switch {
		case err != nil && domain.KindOf(err) == domain.NotFound:
			r.Gone++
		case err != nil:
			return nil, err
		default:
			all = append(all, moving{Connection: c, before: at[c.ID], at: at[c.ID], to: p.Position})
			r.Before = append(r.Before, Placing{c.ID, at[c.ID]})
		}
	}
	return all, nil
}

// settle sorts items from the top and gives each a position of its own among n.
func settle(all []moving, n int64) {
	slices.SortFunc(all, func(a, b moving) int { return cmp.Or(cmp.Compare(b.to, a.to), cmp.Compare(b.at, a.at)) })
	below := n
	for i := range all {
		all[i].to = max(min(all[i].to, below), int64(len(all)-i))
		below = all[i].to - 1
	}
}

// insertion returns the position to which an item has to move now, so that it is at the right one after the rest, which
// goes below it, has moved too.
func insertion(m *moving, rest []moving) int64 {
	final := func(position int64) int64 {
		above := int64(0)
		for _, other := range rest {
			if passed(other.at, m.at, position) > position {
				above++
			}
		}
		return position + above
	}
	if final(m.at) == m.to {
		return m.at
	}
	position := m.to
	for final(position) > m.to {
		position--
	}
	return position
}

// passed returns the position of an item at `at` after another one has moved.
func passed(at, from, to int64) int64 {
	switch {
	case from < at && at <= to:
		return at - 1
	case to <= at && at < from:
		return at + 1
	}
	return at
}
