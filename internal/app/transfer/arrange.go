package transfer

import (
	"cmp"
	"context"
	"slices"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/origins"
)

// Placed is a connection that was brought in, and the place that the table of origins gives it:
// places grow in the order that there was elsewhere when they were given. New says that it was
// connected by this import.
type Placed struct {
	Connection domain.ConnectionID
	Place      int64
	New        bool
}

// Arrange gives connections of a channel, which come in the order that they have elsewhere, that
// order here, as far as it has changed there: where only something was added there, what was
// here keeps the order that somebody gave it here, and the new come after what they follow
// there. What was added here stays where it is. It tells how many of them others did not make way for. The order begins with
// the lowest, or fromTop with the uppermost.
func (a *Transfer) Arrange(ctx context.Context, actor domain.Actor, origin string, channel domain.ChannelID, order []Placed, fromTop bool) (moved int, err error) {
	if err := mayBring(actor); err != nil {
		return 0, err
	}
	if grow(order) && newLast(order) {
		return 0, nil
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		c, err := core.LockedChannel(ctx, tx, actor, domain.Ref{ID: int64(channel)})
		if err != nil {
			return err
		}
		if !domain.CanArrange(actor, c) {
			return core.Forbidden("arrange this channel")
		}
		ids := make([]domain.ConnectionID, len(order))
		for i, p := range order {
			ids[i] = p.Connection
		}
		held, err := tx.HeldByID(ctx, channel, ids)
		if err != nil {
			return err
		}
		wanted := wantedOrder(order, held, fromTop)
		is, err := tx.Arrange(ctx, channel, wanted, a.Now())
		if err != nil {
			return err
		}
		moved = leastMoves(wanted)
		if err := tx.PlaceOrigins(ctx, from(actor, origin), renumbered(order)); err != nil || len(is) == 0 {
			return err
		}
		return core.Publish(ctx, tx, actor.UserID, a.Now(), domain.ContentsArranged{Channel: c, Moved: is})
	})
	return moved, err
}

// grow reports whether the places grow in the order that there is elsewhere.
func grow(order []Placed) bool {
	for i := 1; i < len(order); i++ {
		if order[i].Place <= order[i-1].Place {
			return false
		}
	}
	return true
}

// newLast reports whether all that is new stands after all that was here.
func newLast(order []Placed) bool {
	first := slices.IndexFunc(order, func(p Placed) bool { return p.New })
	return first < 0 || !slices.ContainsFunc(order[first:], func(p Placed) bool { return !p.New })
}

// wantedOrder is the order for those of the connections that are here, from the lowest.
func wantedOrder(order []Placed, held map[domain.ConnectionID]store.Held, fromTop bool) []store.Held {
	wanted := orderAsThere(order, held, fromTop)
	if fromTop {
		slices.Reverse(wanted)
	}
	return wanted
}

// orderAsThere is that order from the end from which they come.
func orderAsThere(order []Placed, held map[domain.ConnectionID]store.Held, fromTop bool) []store.Held {
	order = slices.DeleteFunc(slices.Clone(order), func(p Placed) bool {
		_, here := held[p.Connection]
		return !here
	})
	wanted := make([]store.Held, 0, len(order))
	if movedThere(order) {
		for _, p := range order {
			wanted = append(wanted, held[p.Connection])
		}
		return wanted
	}
	// What was here, as it stands here; each followed by the new that follow it there.
	var old []store.Held
	var first []store.Held
	after := map[domain.ConnectionID][]store.Held{}
	last := domain.ConnectionID(0)
	for _, p := range order {
		switch {
		case !p.New:
			old, last = append(old, held[p.Connection]), p.Connection
		case last == 0:
			first = append(first, held[p.Connection])
		default:
			after[last] = append(after[last], held[p.Connection])
		}
	}
	slices.SortFunc(old, func(a, b store.Held) int {
		if fromTop {
			a, b = b, a
		}
		return cmp.Compare(a.PositionKey, b.PositionKey)
	})
	wanted = append(wanted, first...)
	for _, h := range old {
		wanted = append(append(wanted, h), after[h.ID]...)
	}
	return wanted
}

// movedThere reports whether those that were here have another order there than before.
func movedThere(order []Placed) bool {
	last := int64(-1)
	for _, p := range order {
		if p.New {
			continue
		}
		if p.Place <= last {
			return true
		}
		last = p.Place
	}
	return false
}

// leastMoves is how many of the connections have to move for the order, if all others stay: those
// beside a longest run of them whose keys grow.
func leastMoves(wanted []store.Held) int {
	var ends []int64 // the least key at which a run of each length ends
	for _, h := range wanted {
		at, _ := slices.BinarySearch(ends, h.PositionKey)
		if at == len(ends) {
			ends = append(ends, h.PositionKey)
		} else {
			ends[at] = h.PositionKey
		}
	}
	return len(wanted) - len(ends)
}

// renumbered are the connections whose places do not grow by one.
func renumbered(order []Placed) (places []origins.Placement) {
	for i, p := range order {
		if at := int64(i) + 1; p.Place != at {
			places = append(places, origins.Placement{int64(p.Connection), at})
		}
	}
	return places
}
