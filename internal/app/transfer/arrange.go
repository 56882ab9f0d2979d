package transfer

import (
	"cmp"
	"context"
	"slices"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/transfer"
)

// Placed is an imported connection with its place in the table of origins. Places increase in the source's order at the
// time of import. New is set if this import created the connection.
type Placed struct {
	Connection domain.ConnectionID
	Place      int64
	New        bool
}

// Arrange applies the source's order of connections to a channel, as far as that order has changed. If the source only
// added items, existing connections keep the order that somebody gave them here, and each new one follows its
// predecessor in the source. Items added here stay in place. It returns how many connections could not be moved because
// of others. order begins with the lowest connection, or with the highest if fromTop.
func (a *Transfer) Arrange(ctx context.Context, actor domain.Actor, origin string, channel domain.ChannelID, order []Placed, fromTop bool) (moved int, err error) {
	if err := mayImport(actor); err != nil {
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
		held, err := tx.Contents().HeldByID(ctx, channel, ids)
		if err != nil {
			return err
		}
		wanted := wantedOrder(order, held, fromTop)
		is, err := tx.Connections().Arrange(ctx, channel, wanted, a.Now())
		if err != nil {
			return err
		}
		moved = leastMoves(wanted)
		if err := tx.Origins().PlaceOrigins(ctx, from(actor, origin), renumbered(order)); err != nil || len(is) == 0 {
			return err
		}
		return core.Publish(ctx, tx, actor.UserID, a.Now(), domain.ContentsArranged{Channel: c, Moved: is})
	})
	return moved, err
}

// grow reports whether the places increase in the source's order.
func grow(order []Placed) bool {
	for i := 1; i < len(order); i++ {
		if order[i].Place <= order[i-1].Place {
			return false
		}
	}
	return true
}

// newLast reports whether all new connections come after all existing ones.
func newLast(order []Placed) bool {
	first := slices.IndexFunc(order, func(p Placed) bool { return p.New })
	return first < 0 || !slices.ContainsFunc(order[first:], func(p Placed) bool { return !p.New })
}

// wantedOrder returns the order for the connections that still exist here, from the lowest.
func wantedOrder(order []Placed, held map[domain.ConnectionID]store.Held, fromTop bool) []store.Held {
	wanted := orderAsThere(order, held, fromTop)
	if fromTop {
		slices.Reverse(wanted)
	}
	return wanted
}

// orderAsThere returns the same order from the end at which the source begins.
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
	// The existing connections in their order here, each followed by its new successors in the source.
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

// movedThere reports whether the source changed the order of the existing connections.
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

// leastMoves returns the minimum number of connections to move for the order: those outside a longest increasing run of
// keys.
func leastMoves(wanted []store.Held) int {
	var ends []int64 // the lowest key at which a run of each length ends
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

// renumbered returns the connections whose places do not increase by one.
func renumbered(order []Placed) (places []transfer.Placement) {
	for i, p := range order {
		if at := int64(i) + 1; p.Place != at {
			places = append(places, transfer.Placement{int64(p.Connection), at})
		}
	}
	return places
}
