package app

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// PlacedConnection is a connection with the channel it is in.
type PlacedConnection struct {
	domain.Connection
	Channel domain.Channel
}

// Connection reads a connection whose channel and item the actor sees.
func (a *App) Connection(ctx context.Context, actor domain.Actor, id domain.ConnectionID) (p PlacedConnection, err error) {
	err = a.store.InSnapshot(ctx, func(v *store.Snapshot) error {
		p, err = placedConnection(ctx, v.Queries, actor, id)
		return err
	})
	return p, err
}

func placedConnection(ctx context.Context, q store.Queries, actor domain.Actor, id domain.ConnectionID) (p PlacedConnection, err error) {
	if p.Connection, err = q.Connection(ctx, id); err != nil {
		return p, err
	}
	if p.Channel, err = q.Channel(ctx, actor.UserID, domain.Ref{ID: int64(p.ChannelID)}); err != nil {
		return p, err
	}
	// A block is visible to all who see a channel it is in.
	if p.Item.Type == domain.ItemChannel {
		if _, err := q.Channel(ctx, actor.UserID, domain.Ref{ID: p.Item.ID}); err != nil {
			return p, err
		}
	}
	at, err := q.Positions(ctx, id)
	p.Position = at[id]
	return p, err
}

// lockedConnection locks the channel of a connection that the actor sees, and
// reads the connection as it then is.
func lockedConnection(ctx context.Context, tx *store.Tx, actor domain.Actor, id domain.ConnectionID) (PlacedConnection, error) {
	p, err := placedConnection(ctx, tx.Queries, actor, id)
	if err != nil || !tx.Locks() {
		return p, err
	}
	if err := tx.LockChannels(ctx, p.ChannelID); err != nil {
		return PlacedConnection{}, err
	}
	return placedConnection(ctx, tx.Queries, actor, id)
}

// Connect connects an item to channels and gives the connections in their order.
// An item that is already in a channel keeps its connection (behaviour.md section 5).
func (a *App) Connect(ctx context.Context, actor domain.Actor, item domain.ItemRef, in []Target) (made []PlacedConnection, err error) {
	targets, err := checked(in)
	if err != nil {
		return nil, err
	}
	now := a.now()
	err = a.store.InTx(ctx, func(tx *store.Tx) error {
		places, in, err := openItem(ctx, tx, actor, item, targets)
		if err != nil {
			return err
		}
		var news []domain.News
		made = nil
		for _, p := range places {
			id, err := tx.ConnectionOf(ctx, p.channel.ID, item)
			if err != nil {
				return err
			}
			if id == 0 {
				if id, err = tx.Connect(ctx, p.connect(item, actor, now)); err != nil {
					return err
				}
				n, err := newsOfConnection(ctx, tx, actor, p.channel, in, now)
				if err != nil {
					return err
				}
				news = append(news, n)
			}
			c, err := placedConnection(ctx, tx.Queries, actor, id)
			if err != nil {
				return err
			}
			made = append(made, c)
		}
		_, err = tx.RecordAll(ctx, news...)
		return err
	})
	return made, err
}

// opened is an item to connect: whose it is, and whether it is a private channel.
type opened struct {
	ref     domain.ItemRef
	owner   domain.PrincipalRef
	private bool
}

// openItem locks the targets and the item, which the actor must see.
func openItem(ctx context.Context, tx *store.Tx, actor domain.Actor, item domain.ItemRef, targets []target) ([]place, opened, error) {
	in := opened{ref: item}
	if item.Type == domain.ItemBlock {
		places, err := openTargets(ctx, tx, actor, targets, 0)
		if err != nil {
			return nil, in, err
		}
		b, err := lockedBlock(ctx, tx, actor, domain.BlockID(item.ID))
		in.owner = b.Author.PrincipalRef
		return places, in, err
	}
	places, err := openTargets(ctx, tx, actor, targets, domain.ChannelID(item.ID))
	if err != nil {
		return nil, in, err
	}
	c, err := tx.Channel(ctx, actor.UserID, domain.Ref{ID: item.ID})
	if err != nil {
		return nil, in, err
	}
	for _, p := range places {
		if int64(p.channel.ID) == item.ID {
			return nil, in, domain.NewUnprocessable("A channel cannot be connected to itself")
		}
	}
	in.owner, in.private = c.Owner.PrincipalRef, c.Visibility == domain.Private
	return places, in, nil
}

// UpdateConnection merges metadata into that of a connection.
func (a *App) UpdateConnection(ctx context.Context, actor domain.Actor, id domain.ConnectionID, metadata []byte) (p PlacedConnection, err error) {
	err = a.store.InTx(ctx, func(tx *store.Tx) error {
		if p, err = lockedConnection(ctx, tx, actor, id); err != nil {
			return err
		}
		if !domain.CanArrange(actor, p.Channel) {
			return forbidden("change connections of this channel")
		}
		merged, err := mergedMetadata(p.Metadata, metadata)
		if err != nil || merged == p.Metadata {
			return err
		}
		if err := tx.SetConnectionMetadata(ctx, id, merged, a.now()); err != nil {
			return err
		}
		p, err = placedConnection(ctx, tx.Queries, actor, id)
		return err
	})
	return p, err
}

// DeleteConnection removes an item from a channel.
func (a *App) DeleteConnection(ctx context.Context, actor domain.Actor, id domain.ConnectionID) error {
	return a.store.InTx(ctx, func(tx *store.Tx) error { return a.disconnect(ctx, tx, actor, id) })
}

func (a *App) disconnect(ctx context.Context, tx *store.Tx, actor domain.Actor, id domain.ConnectionID) error {
	p, err := lockedConnection(ctx, tx, actor, id)
	if err != nil {
		return err
	}
	if !domain.CanRemove(actor, p.Channel, p.Connection) {
		return forbidden("remove this from the channel")
	}
	return tx.Disconnect(ctx, p.Connection, a.now())
}

// MoveConnection moves an item within its channel (behaviour.md section 5). position is
// used by insert_at alone; nil means it was not given.
func (a *App) MoveConnection(ctx context.Context, actor domain.Actor, id domain.ConnectionID, how domain.Movement, position *int64) (p PlacedConnection, err error) {
	err = a.store.InTx(ctx, func(tx *store.Tx) error {
		if p, err = lockedConnection(ctx, tx, actor, id); err != nil {
			return err
		}
		if !domain.CanArrange(actor, p.Channel) {
			return forbidden("arrange this channel")
		}
		if how == domain.InsertAt && position == nil {
			return domain.NewUnprocessable("position: is required to insert_at")
		}
		n := p.Channel.Contents()
		to := domain.Destination(how, position, p.Position, n)
		if err := tx.Move(ctx, p.Connection, p.Position, to, n, a.now()); err != nil {
			return err
		}
		p, err = placedConnection(ctx, tx.Queries, actor, id)
		return err
	})
	return p, err
}
