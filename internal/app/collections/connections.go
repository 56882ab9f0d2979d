package collections

import (
	"context"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// PlacedConnection is a connection with its channel.
type PlacedConnection struct {
	domain.Connection
	Channel domain.Channel
	There   bool // it existed before Connect
}

// Connection reads a connection whose channel and item the actor sees.
func (a *Collections) Connection(ctx context.Context, actor domain.Actor, id domain.ConnectionID) (p PlacedConnection, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		p, err = placedConnection(ctx, v.Queries, actor, id)
		return err
	})
	return p, err
}

func placedConnection(ctx context.Context, q store.Queries, actor domain.Actor, id domain.ConnectionID) (p PlacedConnection, err error) {
	if p.Connection, err = q.Contents().Connection(ctx, id); err != nil {
		return p, err
	}
	if p.Channel, err = q.Channels().Channel(ctx, actor.UserID, domain.Ref{ID: int64(p.ChannelID)}); err != nil {
		return p, err
	}
	if err := seesItem(ctx, q, actor, p.Item); err != nil {
		return p, err
	}
	at, err := q.Contents().Positions(ctx, id)
	p.Position = at[id]
	return p, err
}

// lockedConnection locks the channel of a connection that the actor sees, and reads both without the position.
func lockedConnection(ctx context.Context, tx *store.Tx, actor domain.Actor, id domain.ConnectionID) (p PlacedConnection, err error) {
	if p.Channel, err = tx.Channels().LockChannelOf(ctx, actor.UserID, id); err != nil {
		return p, err
	}
	if p.Connection, err = tx.Contents().Connection(ctx, id); err != nil {
		return p, err
	}
	return p, seesItem(ctx, tx.Queries, actor, p.Item)
}

// seesItem returns NotFound if the item of a connection is hidden from the actor, who sees its channel. A block is
// visible to all who see one of its channels.
func seesItem(ctx context.Context, q store.Queries, actor domain.Actor, item domain.ItemRef) (err error) {
	if item.Type == domain.ItemChannel {
		_, err = q.Channels().Channel(ctx, actor.UserID, domain.Ref{ID: item.ID})
	}
	return err
}

// Connect connects an item to channels and returns the connections in the same order. An item that is already in a
// channel keeps its connection (behaviour.md section 5).
func (a *Collections) Connect(ctx context.Context, actor domain.Actor, item domain.ItemRef, in []Target) (made []PlacedConnection, err error) {
	return a.connectAnd(ctx, actor, item, in, func(*store.Tx, []PlacedConnection) error { return nil })
}

// connectAnd is Connect with a callback in the same transaction, before publishing.
func (a *Collections) connectAnd(ctx context.Context, actor domain.Actor, item domain.ItemRef, in []Target,
	then func(tx *store.Tx, made []PlacedConnection) error) (made []PlacedConnection, err error) {
	var f domain.Faults
	domain.Among(&f, "connectable_type", item.Type, domain.ItemBlock, domain.ItemChannel)
	f.Positive("connectable_id", item.ID)
	targets, err := checked(in)
	if err := domain.JoinFaults(f.Err(), err); err != nil {
		return nil, err
	}
	now := a.Now()
	err = a.inTxOf(ctx, targets, func(tx *store.Tx) error {
		places, in, err := openItem(ctx, tx, actor, item, targets)
		if err != nil {
			return err
		}
		there, err := tx.Contents().ConnectionsOf(ctx, item, channelIDs(places)...)
		if err != nil {
			return err
		}
		var events []domain.Event
		made = make([]PlacedConnection, len(places))
		copies := false // a channel wants copies of pages
		for i, p := range places {
			if id, ok := there[p.channel.ID]; ok {
				if made[i], err = placedConnection(ctx, tx.Queries, actor, id); err != nil {
					return err
				}
				made[i].There = true
				continue
			}
			c := &made[i]
			if c.Connection, c.Channel, err = tx.Connections().Connect(ctx, p.connect(item, now)); err != nil {
				return err
			}
			c.Maker = p.by
			events = append(events, domain.Connected{Channel: p.channel, Item: item, Owner: in.owner, ItemPrivate: in.private})
			copies = copies || p.channel.Snapshots == domain.EverySnapshot
		}
		if copies && domain.IsAuthor(actor, in.block) {
			if err := a.content.TakeFirst(ctx, tx, in.block); err != nil {
				return err
			}
		}
		if err := then(tx, made); err != nil {
			return err
		}
		return core.Publish(ctx, tx, actor.UserID, now, events...)
	})
	return made, err
}

// opened describes an item to connect: its owner, whether it is a private channel, and the block if it is one.
type opened struct {
	owner   domain.PrincipalRef
	private bool
	block   domain.Block
}

// openItem locks the targets and the item, which the actor must see.
func openItem(ctx context.Context, tx *store.Tx, actor domain.Actor, item domain.ItemRef, targets []target) ([]place, opened, error) {
	in := opened{}
	if item.Type == domain.ItemBlock {
		places, err := openTargets(ctx, tx, actor, targets, 0)
		if err != nil {
			return nil, in, err
		}
		b, err := tx.Blocks().LockedBlock(ctx, actor.UserID, domain.BlockID(item.ID))
		in.owner, in.block = b.Author.PrincipalRef, b
		return places, in, err
	}
	places, err := openTargets(ctx, tx, actor, targets, domain.ChannelID(item.ID))
	if err != nil {
		return nil, in, err
	}
	c, err := tx.Channels().Channel(ctx, actor.UserID, domain.Ref{ID: item.ID})
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
func (a *Collections) UpdateConnection(ctx context.Context, actor domain.Actor, id domain.ConnectionID, metadata []byte) (p PlacedConnection, err error) {
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if p, err = lockedConnection(ctx, tx, actor, id); err != nil {
			return err
		}
		if !domain.CanArrange(actor, p.Channel) {
			return core.Forbidden("change connections of this channel")
		}
		at, err := tx.Contents().Positions(ctx, id)
		if err != nil {
			return err
		}
		p.Position = at[id]
		merged, err := mergedMetadata(p.Metadata, metadata)
		if err != nil || merged == p.Metadata {
			return err
		}
		p.Metadata = merged
		now := a.Now()
		if err := tx.Connections().SetConnectionMetadata(ctx, &p.Connection, now); err != nil {
			return err
		}
		return core.Publish(ctx, tx, actor.UserID, now, domain.ConnectionChanged{Connection: p.Connection})
	})
	return p, err
}

// Select pins or unpins a connection. It needs the permission to move it.
func (a *Collections) Select(ctx context.Context, actor domain.Actor, id domain.ConnectionID) (p PlacedConnection, err error) {
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if p, err = lockedConnection(ctx, tx, actor, id); err != nil {
			return err
		}
		if !domain.CanArrange(actor, p.Channel) {
			return core.Forbidden("arrange this channel")
		}
		at, err := tx.Contents().Positions(ctx, id)
		if err != nil {
			return err
		}
		now := a.Now()
		p.Position, p.Pinned = at[id], !p.Pinned
		if err := tx.Connections().SetConnectionPinned(ctx, &p.Connection, now); err != nil {
			return err
		}
		return core.Publish(ctx, tx, actor.UserID, now, domain.ConnectionChanged{Connection: p.Connection})
	})
	return p, err
}

// SelectItem is Select by channel and item.
func (a *Collections) SelectItem(ctx context.Context, actor domain.Actor, ref domain.Ref, item domain.ItemRef) (PlacedConnection, error) {
	id, err := a.connectionOf(ctx, actor, ref, item)
	if err != nil {
		return PlacedConnection{}, err
	}
	return a.Select(ctx, actor, id)
}

// DeleteConnection removes an item from a channel.
func (a *Collections) DeleteConnection(ctx context.Context, actor domain.Actor, id domain.ConnectionID) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error { return a.disconnect(ctx, tx, actor, id) })
}

func (a *Collections) disconnect(ctx context.Context, tx *store.Tx, actor domain.Actor, id domain.ConnectionID) error {
	p, err := lockedConnection(ctx, tx, actor, id)
	if err != nil {
		return err
	}
	if !domain.CanRemove(actor, p.Channel, p.Connection) {
		return core.Forbidden("remove this from the channel")
	}
	now := a.Now()
	if err := a.keepConnections(ctx, tx, actor, p.Channel, []domain.Connection{p.Connection}, now); err != nil {
		return err
	}
	if err := tx.Connections().Disconnect(ctx, p.Connection, now); err != nil {
		return err
	}
	return core.Publish(ctx, tx, actor.UserID, now, domain.Disconnected{Connection: p.Connection})
}

// MoveConnection moves an item within its channel (behaviour.md section 5). Only insert_at uses position; nil means that
// it was not given.
func (a *Collections) MoveConnection(ctx context.Context, actor domain.Actor, id domain.ConnectionID, how domain.Movement, position *int64) (p PlacedConnection, err error) {
	var f domain.Faults
	domain.Among(&f, "movement", how, domain.InsertAt, domain.MoveToTop, domain.MoveToBottom, domain.MoveUp, domain.MoveDown)
	if position != nil {
		f.Positive("position", *position)
	}
	if f != nil {
		return p, f.Err()
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if p, err = lockedConnection(ctx, tx, actor, id); err != nil {
			return err
		}
		if !domain.CanArrange(actor, p.Channel) {
			return core.Forbidden("arrange this channel")
		}
		if how == domain.InsertAt && position == nil {
			return domain.NewUnprocessable("position: is required to insert_at")
		}
		at, err := tx.Contents().Positions(ctx, id)
		if err != nil {
			return err
		}
		n := p.Channel.Contents()
		to, now := domain.Destination(how, position, at[id], n), a.Now()
		if err := tx.Connections().Move(ctx, &p.Connection, at[id], to, n, now); err != nil || to == at[id] {
			return err
		}
		return core.Publish(ctx, tx, actor.UserID, now, domain.ConnectionChanged{Connection: p.Connection, Moved: true})
	})
	return p, err
}

func channelIDs(places []place) []domain.ChannelID {
	ids := make([]domain.ChannelID, len(places))
	for i, p := range places {
		ids[i] = p.channel.ID
	}
	return ids
}
