package app

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// DeleteBlock deletes a block: it leaves all channels, and its comments go with it.
// Its author may.
func (a *App) DeleteBlock(ctx context.Context, actor domain.Actor, id domain.BlockID) error {
	return a.store.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.Block(ctx, actor.UserID, id); err != nil { // nobody locks what they do not see
			return err
		}
		conns, err := tx.LockBlockInChannels(ctx, id)
		if err != nil {
			return err
		}
		b, err := tx.Block(ctx, actor.UserID, id)
		if err != nil {
			return err
		}
		if !domain.CanManage(actor, b) {
			return forbidden("delete this block")
		}
		now := a.now()
		for _, c := range conns {
			if err := tx.Disconnect(ctx, c, now); err != nil {
				return err
			}
		}
		return tx.DeleteBlock(ctx, id, a.now())
	})
}

// DisconnectBlock removes a block from a channel, as DeleteConnection does.
func (a *App) DisconnectBlock(ctx context.Context, actor domain.Actor, ref domain.Ref, id domain.BlockID) error {
	return a.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := lockedChannel(ctx, tx, actor, ref)
		if err != nil {
			return err
		}
		conn, err := tx.ConnectionOf(ctx, c.ID, domain.BlockRef(id))
		if err != nil {
			return err
		}
		if conn == 0 {
			return domain.NewNotFound()
		}
		return a.disconnect(ctx, tx, actor, conn)
	})
}
