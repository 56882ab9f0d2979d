package collections

import (
	"context"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// TakenBack is the result of undoing additions to a channel.
type TakenBack struct {
	Count int // of items that are no longer in the channel
	Kept  int // that are there for longer than UndoFor, or that somebody else added
	Gone  int // that did not exist any more
}

// UndoAdding removes what the actor recently added to a channel. A block of the actor that is nowhere else and has no
// comments is deleted. Each item is a transaction of its own, so that no lock is held while others wait; calling it
// again continues where it was interrupted.
func (a *Collections) UndoAdding(ctx context.Context, actor domain.Actor, ids []domain.ConnectionID) (r TakenBack, err error) {
	var f domain.Faults
	if !f.Count("connections", len(ids), domain.MaxRemoved) {
		return r, f.Err()
	}
	for _, id := range ids {
		err := a.Store.InTx(ctx, func(tx *store.Tx) error { return a.takeBack(ctx, tx, actor, id) })
		switch kind := domain.KindOf(err); {
		case err == nil:
			r.Count++
		case kind == domain.NotFound:
			r.Gone++
		case kind == domain.Forbidden:
			r.Kept++
		default:
			return r, err
		}
	}
	return r, nil
}

// takeBack removes a connection that the actor made, and deletes its block if that is nowhere else.
func (a *Collections) takeBack(ctx context.Context, tx *store.Tx, actor domain.Actor, id domain.ConnectionID) error {
	p, err := placedConnection(ctx, tx.Queries, actor, id)
	if err != nil {
		return err
	}
	if p.Maker.PrincipalRef != domain.UserRef(actor.UserID) || a.Now().Sub(p.CreatedAt) > UndoFor {
		return core.Forbidden("undo this addition")
	}
	if p.Item.Type != domain.ItemBlock {
		return a.disconnect(ctx, tx, actor, id)
	}
	b, err := tx.Blocks().Block(ctx, actor.UserID, domain.BlockID(p.Item.ID))
	if err != nil {
		return err
	}
	if !domain.CanManage(actor, b) {
		return a.disconnect(ctx, tx, actor, id)
	}
	conns, err := tx.Blocks().LockBlockInChannels(ctx, b.ID)
	if err != nil {
		return err
	}
	if b, err = tx.Blocks().Block(ctx, actor.UserID, b.ID); err != nil {
		return err
	}
	if len(conns) == 1 && conns[0].ID == id && b.Comments == 0 {
		return a.deleteLocked(ctx, tx, actor, b, conns)
	}
	return a.disconnect(ctx, tx, actor, id)
}
