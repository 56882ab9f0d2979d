package collections

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Known provides the blocks and connections that a caller of KnownContents has cached, in the state of a stamp, or nil.
// It is called within a snapshot, possibly several times.
type Known interface {
	Block(domain.BlockRevision) []byte
	Connection(domain.ConnectionRevision) []byte
}

// KnownContent is an item of a channel without the parts that Known provides. Content is nil if Known provides
// everything. Otherwise its connection is complete if Known lacks it, and its item is set unless it is a known block.
type KnownContent struct {
	Position          int64
	Block, Connection []byte
	Content           *Content
}

// KnownContents is Contents for a caller with a cache. It reads only the stamps of cached items.
func (a *Collections) KnownContents(ctx context.Context, actor domain.Actor, ref domain.Ref, in ContentsInput,
	known Known) (l domain.List[KnownContent], err error) {
	err = a.contents(ctx, actor, ref, in, true, func(v *store.Snapshot, conns domain.List[domain.Connection]) error {
		l.Total = conns.Total
		l.Items, err = missingDetails(ctx, v, actor, conns.Items, known)
		return err
	})
	return l, err
}

// missingDetails reads the details of connections and items that known does not contain.
func missingDetails(ctx context.Context, v *store.Snapshot, actor domain.Actor, conns []domain.Connection, known Known) ([]KnownContent, error) {
	all := make([]KnownContent, len(conns))
	var ids []domain.ConnectionID // that Known lacks
	open := 0                     // number of items that Known lacks
	for i := range conns {
		c := &conns[i]
		k := KnownContent{Position: c.Position, Connection: known.Connection(c.Revision())}
		if c.Block != nil {
			k.Block = known.Block(*c.Block)
		}
		if k.Connection == nil {
			ids = append(ids, c.ID)
		}
		if k.Block == nil {
			open++
		}
		all[i] = k
	}
	if len(ids) == 0 && open == 0 {
		return all, nil
	}
	if err := v.Contents().CompleteConnections(ctx, conns, ids); err != nil {
		return nil, err
	}
	unknown := make([]domain.Connection, 0, open)
	for i := range conns {
		if all[i].Block == nil {
			unknown = append(unknown, conns[i])
		}
	}
	items, err := Items(ctx, v.Queries, actor, unknown)
	if err != nil {
		return nil, err
	}
	shown := all[:0]
	for i, k := range all {
		switch {
		case k.Block == nil && len(items) > 0 && items[0].Connection.ID == conns[i].ID:
			k.Content, items = &items[0], items[1:]
		case k.Block == nil:
			continue // skip items that were deleted
		case k.Connection == nil:
			k.Content = &Content{Connection: conns[i]}
		}
		shown = append(shown, k)
	}
	return shown, nil
}
