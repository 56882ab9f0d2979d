package collections

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// CreateBlockIn is CreateBlock in one channel, the first target. It returns the block with its connection.
func (a *Collections) CreateBlockIn(ctx context.Context, actor domain.Actor, in CreateBlockInput) (made Content, err error) {
	_, err = a.createBlockAnd(ctx, actor, in,
		func(tx *store.Tx, b domain.Block) error {
			c, err := tx.Channels().Channel(ctx, actor.UserID, in.Targets[0].Channel)
			if err != nil {
				return err
			}
			id, err := tx.Contents().ConnectionOf(ctx, c.ID, domain.BlockRef(b.ID))
			if err != nil {
				return err
			}
			made = Content{Entity: domain.Entity{Block: &b}}
			if id == 0 { // an earlier request with this key created it, and it has been removed since
				return nil
			}
			p, err := placedConnection(ctx, tx.Queries, actor, id)
			made.Connection = p.Connection
			return err
		})
	return made, err
}

// ConnectTo is Connect to one channel. It returns the item with its connection. Position 0 means the top.
func (a *Collections) ConnectTo(ctx context.Context, actor domain.Actor, ref domain.Ref, item domain.ItemRef, position int64) (made Content, err error) {
	_, err = a.connectAnd(ctx, actor, item, []Target{{Channel: ref, Position: position}}, func(tx *store.Tx, all []PlacedConnection) error {
		found, err := Items(ctx, tx.Queries, actor, []domain.Connection{all[0].Connection})
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return domain.NewNotFound()
		}
		made = found[0]
		return nil
	})
	return made, err
}
