package store

import (
	"context"
	"math/rand/v2"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/ranked"
	"vitrine/internal/store/rowmap"
	"vitrine/internal/store/search"
	"vitrine/internal/store/sqlx"
)

// NewConnection contains the data of a new connection. Position 0 is the top. An imported
// connection keeps its original time of connecting, at least approximately; its channel must have
// no pending transition.
type NewConnection struct {
	Channel   domain.Channel
	Item      domain.ItemRef
	UserID    domain.UserID
	Position  int64
	Metadata  domain.Metadata
	Now       time.Time
	CreatedAt time.Time // the original time, not after Now; zero means Now
}

// Connect adds an item to a locked channel that does not contain it. It returns the connection as
// its creator sees it and the updated channel. If the item is a channel, that must be locked too.
func (w ConnectionWrites) Connect(ctx context.Context, n NewConnection) (domain.Connection, domain.Channel, error) {
	item, err := w.enter(ctx, n)
	if err == nil && item.first {
		err = w.tx.Hiding().refuseHidden(ctx, n.Item.ID)
	}
	if err == nil {
		err = w.tx.documents().Relink(ctx, n.Item, n.Channel.Visibility, 1)
	}
	if err != nil {
		return domain.Connection{}, n.Channel, err
	}
	var c domain.Connection
	in, err := w.connect(ctx, n, item, &c)
	if err == nil {
		err = w.tx.db.Sync(ctx) // sets the connection's id
	}
	return c, in, err
}

var insertConnection = rowmap.Connections.Insert() + " RETURNING id"

// connect creates the connection of an item that has already been counted. Its id is set once the
// pending statements have run.
func (w ConnectionWrites) connect(ctx context.Context, n NewConnection, item entering, c *domain.Connection) (in domain.Channel, err error) {
	if item.created != nil {
		n.Item.Type = domain.ItemBlock
	}
	in, connected, top, err := w.countIn(ctx, n, item.private)
	if err != nil {
		return in, err
	}
	if item.created != nil {
		n.Item = item.created()
	}
	*c = domain.Connection{ChannelID: n.Channel.ID, Item: n.Item, ItemPrivate: item.private, Metadata: n.Metadata, Version: 1}
	c.Maker.PrincipalRef = domain.UserRef(n.UserID)
	if n.Item.Type == domain.ItemBlock {
		open, private := search.Placed(n.Channel.Visibility, 1)
		if err = w.tx.documents().PutInGroup(ctx, n.Channel.Owner.PrincipalRef, n.Item, open, private); err != nil {
			return in, err
		}
	}
	c.CreatedAt = sqlx.Time(connected)
	if c.Position = max(n.Position, 1); n.Position == 0 || n.Position > in.Contents() {
		c.Position = in.Contents()
	}
	list := ranked.Of(w.tx.db, in.ID)
	if others := in.Contents() - 1; c.Position > others && others > 0 {
		c.PositionKey, err = list.PlaceAbove(ctx, top, others)
	} else {
		c.PositionKey, err = list.Place(ctx, c.Position, others)
	}
	if err != nil {
		return in, err
	}
	err = w.tx.db.LaterEach(ctx, func(row sqlx.Row) error { return row.Scan(&c.ID) }, nil, insertConnection,
		rowmap.InsertConnection(c, item.updatedAt)...)
	if err != nil {
		return in, err
	}
	w.tx.grow(n.UserID, 0, len(n.Metadata))
	if !item.private {
		w.tx.deltas().Connection(in.ID, n.UserID, 1)
	}
	if n.Item.Type == domain.ItemBlock {
		w.tx.deltas().BlockTime(in.ID, item.updatedAt, 1)
	}
	return in, list.Insert(ctx, ranked.Item{PositionKey: c.PositionKey, CreatedAt: connected, Private: item.private}, in.Contents()-1)
}

// entering contains what a connection stores of its item.
type entering struct {
	private   bool                  // it is a private channel
	updatedAt int64                 // of a block
	first     bool                  // true for the first connection of the block
	created   func() domain.ItemRef // returns a new block, whose id is known once its channel has been counted
}

// enter counts the channel in a block, which locks the block, and returns what the connection
// stores of the item.
func (w ConnectionWrites) enter(ctx context.Context, n NewConnection) (e entering, err error) {
	if n.Item.Type == domain.ItemBlock {
		var in int64
		e.updatedAt, in, err = w.bumpBlock(ctx, n.Item.ID, n.Channel.Visibility, 1)
		e.first = in == 1
		return e, err
	}
	return w.readItem(ctx, n.Item)
}

// bumpBlock adds to a block's count of channels and returns its updated_at and its number of
// channels. Strangers could watch the version of a public block, so private channels do not change
// it.
func (w ConnectionWrites) bumpBlock(ctx context.Context, id int64, in domain.Visibility, by int64) (updatedAt, channels int64, err error) {
	set := "open_count = open_count + $2, version = version + 1"
	if in == domain.Private {
		set = "private_count = private_count + $2, version = version + CASE WHEN open_count = 0 THEN 1 ELSE 0 END"
	}
	err = w.tx.db.QueryRow(ctx, "UPDATE blocks SET "+set+" WHERE id = $1 RETURNING updated_at, open_count + private_count", id, by).Scan(&updatedAt, &channels)
	return updatedAt, channels, sqlx.Found(err)
}

// countIn adds a connection to its channel's counts. It returns the updated channel, the time of
// connecting, which is later than all previous ones, and the highest position_key.
func (w ConnectionWrites) countIn(ctx context.Context, n NewConnection, private bool) (c domain.Channel, connectedAt, top int64, err error) {
	blocks, channels, privates := tally(n.Item.Type, private)
	connected := later("last_connected_at", "$5")
	touched := later("updated_at", connected)
	var updated int64
	var highest *int64
	c = n.Channel
	args := []any{c.ID, blocks, channels, privates, sqlx.Micros(n.Now)}
	var at int64
	if !n.CreatedAt.IsZero() {
		if at, err = w.freeTime(ctx, c.ID, sqlx.Micros(n.CreatedAt)); err != nil {
			return c, 0, 0, err
		}
		args = append(args, at)
		connected, touched = "CASE WHEN last_connected_at >= $6 THEN last_connected_at ELSE $6 END", later("updated_at", "CASE WHEN $6 > $5 THEN $6 ELSE $5 END")
	}
	err = w.tx.db.QueryRow(ctx, `UPDATE channels SET blocks_count = blocks_count + $2,
			channels_count = channels_count + $3, private_count = private_count + $4, version = version + 1,
			last_connected_at = `+connected+`, updated_at = `+touched+`
		WHERE id = $1 RETURNING blocks_count, channels_count, private_count, version, updated_at, last_connected_at, (`+ranked.HighestKey+`)`,
		args...).Scan(&c.Blocks, &c.Channels, &c.PrivateItems, &c.Version, &updated, &connectedAt, &highest)
	if at != 0 {
		connectedAt = at
	}
	c.UpdatedAt = sqlx.Time(updated)
	if highest != nil {
		top = *highest
	}
	w.tx.deltas().ChannelTouched(c.ID, c.Owner.Type)
	return c, connectedAt, top, err
}

// triesWithin is how many random times within the same millisecond freeTime tries. If a tenth of
// all microseconds is taken, all tries fail once in a hundred million times.
const triesWithin = 8

// freeTime returns a time at which nothing was connected to a locked channel: the wanted time, or
// else a later one within the same millisecond, which is the precision of the API, or else within
// twice that span, and so on.
func (w ConnectionWrites) freeTime(ctx context.Context, channel domain.ChannelID, wanted int64) (at int64, err error) {
	const millisecond = 1_000
	at = wanted
	for try, span := 0, millisecond-wanted%millisecond; ; try++ {
		var taken bool
		err = w.tx.db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM connections c
			WHERE c.channel_id = $1 AND c.item_private IN (FALSE, TRUE) AND c.created_at = $2)`, channel, at).Scan(&taken)
		if err != nil || !taken {
			return at, err
		}
		if try >= triesWithin {
			span = max(2*span, millisecond)
		}
		at = wanted + rand.Int64N(span)
	}
}

// later returns an SQL expression for the current time, or for just after the time in a column if
// that is not earlier. Requests do not get locks in the order in which they read the clock.
func later(column, now string) string {
	return "CASE WHEN " + column + " >= " + now + " THEN " + column + " + 1 ELSE " + now + " END"
}

// tally returns what one connection adds to the counts of its channel.
func tally(item domain.ItemType, private bool) (blocks, channels, privates int64) {
	switch {
	case item == domain.ItemBlock:
		return 1, 0, 0
	case private:
		return 0, 1, 1
	}
	return 0, 1, 0
}

// rankedItem returns the part of a connection that the orders of its channel need.
func rankedItem(c domain.Connection) ranked.Item {
	return ranked.Item{PositionKey: c.PositionKey, CreatedAt: sqlx.Micros(c.CreatedAt), Private: c.ItemPrivate}
}

// Disconnect removes a connection from a locked channel. Like everything that changes both, it
// locks the block before the connection.
func (w ConnectionWrites) Disconnect(ctx context.Context, c domain.Connection, now time.Time) error {
	blocks, channels, privates := tally(c.Item.Type, c.ItemPrivate)
	var owner domain.PrincipalType
	var e effect
	err := w.tx.db.QueryRow(ctx, `UPDATE channels SET blocks_count = blocks_count - $2,
			channels_count = channels_count - $3, private_count = private_count - $4, version = version + 1,
			updated_at = `+later("updated_at", "$5")+`
		WHERE id = $1 RETURNING owner_type, `+appliedTo("$1", "$6"), c.ChannelID, blocks, channels, privates, sqlx.Micros(now), sqlx.Micros(c.CreatedAt)).
		Scan(&owner, &e.open, &e.private, &e.group)
	if err != nil {
		return err
	}
	w.tx.deltas().ChannelTouched(c.ChannelID, owner)
	// If a transition is pending, the connection has the effect of the channel before its change.
	if err := w.count(ctx, e, c.Item, -1); err != nil {
		return err
	}
	updatedAt, err := sqlx.ScanInt64(w.tx.db.QueryRow(ctx, `DELETE FROM connections WHERE id = $1 RETURNING item_updated_at`, c.ID))
	if err != nil {
		return err
	}
	if !c.ItemPrivate {
		w.tx.deltas().Connection(c.ChannelID, domain.UserID(c.Maker.ID), -1)
	}
	if c.Item.Type == domain.ItemBlock {
		w.tx.deltas().BlockTime(c.ChannelID, updatedAt, -1)
	}
	return ranked.Of(w.tx.db, c.ChannelID).Remove(ctx, rankedItem(c))
}

// count adds the effect of a connection to its item, by 1 or -1 times.
func (w ConnectionWrites) count(ctx context.Context, e effect, item domain.ItemRef, by int64) error {
	if e == (effect{}) {
		return nil
	}
	visibility := domain.Private
	if e.open > 0 {
		visibility = domain.Public
	}
	if item.Type == domain.ItemBlock {
		if _, _, err := w.bumpBlock(ctx, item.ID, visibility, by); err != nil {
			return err
		}
		if e.group != 0 {
			if err := w.tx.documents().PutInGroup(ctx, e.owner(), item, by*e.open, by*e.private); err != nil {
				return err
			}
		}
	}
	return w.tx.documents().Relink(ctx, item, visibility, by)
}

// ReplaceBlock puts a locked block in the place of another one in a locked channel that does not contain it. Position,
// time, metadata and maker of the connection stay the same.
func (w ConnectionWrites) ReplaceBlock(ctx context.Context, c domain.Connection, by domain.BlockID, now time.Time) error {
	e, err := w.tx.Transitions().effect(ctx, c.ChannelID, sqlx.Micros(c.CreatedAt))
	if err == nil {
		err = w.count(ctx, e, c.Item, -1)
	}
	if err == nil {
		err = w.count(ctx, e, domain.BlockRef(by), 1)
	}
	if err != nil {
		return err
	}
	before, err := sqlx.ScanInt64(w.tx.db.QueryRow(ctx, `SELECT item_updated_at FROM connections WHERE id = $1`, c.ID))
	if err != nil {
		return err
	}
	after, err := sqlx.ScanInt64(w.tx.db.QueryRow(ctx, `UPDATE connections SET item_id = $2, item_updated_at = (SELECT updated_at FROM blocks WHERE id = $2),
			version = version + 1, updated_at = $3 WHERE id = $1 RETURNING item_updated_at`, c.ID, by, sqlx.Micros(now)))
	if err != nil {
		return err
	}
	w.tx.deltas().BlockTime(c.ChannelID, before, -1)
	w.tx.deltas().BlockTime(c.ChannelID, after, 1)
	return w.arranged(ctx, c.ChannelID, now)
}

// Move moves a connection of a locked channel with n connections from position `from` to position
// `to`, 1..n.
func (w ConnectionWrites) Move(ctx context.Context, c *domain.Connection, from, to, n int64, now time.Time) error {
	c.Position = to
	if from == to {
		return nil
	}
	key, err := ranked.Of(w.tx.db, c.ChannelID).Move(ctx, c.ID, c.ItemPrivate, from, to, n)
	if err != nil {
		return err
	}
	c.PositionKey, c.Version = key, c.Version+1
	return w.arranged(ctx, c.ChannelID, now)
}

// arranged updates a locked channel after a change of its order.
func (w ConnectionWrites) arranged(ctx context.Context, channel domain.ChannelID, now time.Time) error {
	var owner domain.PrincipalType
	err := w.tx.db.QueryRow(ctx, `UPDATE channels SET version = version + 1, updated_at = `+later("updated_at", "$2")+`
		WHERE id = $1 RETURNING owner_type`, channel, sqlx.Micros(now)).Scan(&owner)
	w.tx.deltas().ChannelTouched(channel, owner)
	return err
}

// Held is a connection and its place in its channel.
type Held = ranked.Held

// Arrange puts connections of a locked channel into the given order, lowest first, using the
// places that they hold together. It returns the moved ones.
func (w ConnectionWrites) Arrange(ctx context.Context, channel domain.ChannelID, order []Held, now time.Time) ([]domain.ConnectionID, error) {
	moved, err := ranked.Of(w.tx.db, channel).Arrange(ctx, order)
	if err != nil || len(moved) == 0 {
		return nil, err
	}
	return moved, w.arranged(ctx, channel, now)
}

// SetConnectionMetadata writes the metadata of a connection and sets its new version.
func (w ConnectionWrites) SetConnectionMetadata(ctx context.Context, c *domain.Connection, now time.Time) error {
	w.tx.grow(domain.UserID(c.Maker.ID), 0, len(c.Metadata))
	return w.tx.db.QueryRow(ctx, `UPDATE connections SET metadata = $2, version = version + 1, updated_at = $3 WHERE id = $1
		RETURNING version`, c.ID, sqlx.MetadataOf(c.Metadata), sqlx.Micros(now)).Scan(&c.Version)
}

// SetConnectionPinned writes whether a connection is pinned and sets its new version.
func (w ConnectionWrites) SetConnectionPinned(ctx context.Context, c *domain.Connection, now time.Time) error {
	return w.tx.db.QueryRow(ctx, `UPDATE connections SET pinned = $2, version = version + 1, updated_at = $3 WHERE id = $1
		RETURNING version`, c.ID, c.Pinned, sqlx.Micros(now)).Scan(&c.Version)
}

// setItemPrivate records in a connection, and in the counts of its locked channel, that its item
// became private or open.
func (w ConnectionWrites) setItemPrivate(ctx context.Context, c domain.Connection, private bool) error {
	by := int64(1)
	if !private {
		by = -1
	}
	err := w.tx.db.ExecOne(ctx, `UPDATE connections SET item_private = $2 WHERE id = $1`, c.ID, private)
	if err != nil {
		return err
	}
	w.tx.deltas().Connection(c.ChannelID, domain.UserID(c.Maker.ID), -by)
	err = w.tx.db.ExecOne(ctx, `UPDATE channels SET private_count = private_count + $2, version = version + 1 WHERE id = $1`,
		c.ChannelID, by)
	if err != nil {
		return err
	}
	c.ItemPrivate = private
	return ranked.Of(w.tx.db, c.ChannelID).SetPrivate(ctx, rankedItem(c))
}
