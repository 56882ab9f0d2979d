package collections

import (
	"context"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// DeleteBlock moves a block of the actor to Trash, with its connections and its comments.
func (a *Collections) DeleteBlock(ctx context.Context, actor domain.Actor, id domain.BlockID) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.Blocks().Block(ctx, actor.UserID, id); err != nil { // only lock visible blocks
			return err
		}
		conns, err := tx.Blocks().LockBlockInChannels(ctx, id)
		if err != nil {
			return err
		}
		b, err := tx.Blocks().Block(ctx, actor.UserID, id)
		if err != nil {
			return err
		}
		if !domain.CanManage(actor, b) {
			return core.Forbidden("delete this block")
		}
		if err := a.keepBlock(ctx, tx, actor, b, conns); err != nil {
			return err
		}
		return a.deleteLocked(ctx, tx, actor, b, conns)
	})
}

// deleteLocked deletes a block that is locked in its channels (LockBlockInChannels), with its connections.
func (a *Collections) deleteLocked(ctx context.Context, tx *store.Tx, actor domain.Actor, b domain.Block, conns []domain.Connection) error {
	now := a.Now()
	var events []domain.Event
	for _, c := range conns {
		if err := tx.Connections().Disconnect(ctx, c, now); err != nil {
			return err
		}
		events = append(events, domain.Disconnected{Connection: c})
	}
	if err := tx.Blocks().DeleteBlock(ctx, b.ID, now); err != nil {
		return err
	}
	return core.Publish(ctx, tx, actor.UserID, now, append(events, domain.BlockDeleted{Block: b.ID, Author: domain.UserID(b.Author.ID)})...)
}

// DisconnectBlock removes a block from a channel, as DeleteConnection does.
func (a *Collections) DisconnectBlock(ctx context.Context, actor domain.Actor, ref domain.Ref, id domain.BlockID) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		c, err := core.LockedChannel(ctx, tx, actor, ref)
		if err != nil {
			return err
		}
		conn, err := tx.Contents().ConnectionOf(ctx, c.ID, domain.BlockRef(id))
		if err != nil {
			return err
		}
		if conn == 0 {
			return domain.NewNotFound()
		}
		return a.disconnect(ctx, tx, actor, conn)
	})
}
