package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
)

const connectionColumns = `c.id, c.channel_id, c.item_type, c.item_id, c.position_key, c.item_private, c.pinned,
	c.metadata, c.version, c.created_at, cu.id, cu.name, cu.slug, cu.avatar, cu.face_version`

const connectionMaker = `JOIN users cu ON cu.id = c.user_id`

func scanConnection(row scanner) (c domain.Connection, err error) {
	err = readConnection(row, &c)
	return c, err
}

func readConnection(row scanner, c *domain.Connection) error {
	var metadata *string
	var created int64
	c.Maker.Type = domain.TypeUser
	err := row.Scan(&c.ID, &c.ChannelID, &c.Item.Type, &c.Item.ID, &c.PositionKey, &c.ItemPrivate, &c.Pinned,
		&metadata, &c.Version, &created, &c.Maker.ID, &c.Maker.Name, &c.Maker.Slug, &c.Maker.Avatar, &c.Maker.Version)
	c.Metadata, c.CreatedAt = metadataValue(metadata), instant(created)
	return err
}

// Connection reads a connection by id, without its position and whoever looks.
func (q Queries) Connection(ctx context.Context, id domain.ConnectionID) (domain.Connection, error) {
	c, err := scanConnection(q.q.QueryRow(database.Uninterruptible(ctx), "SELECT "+connectionColumns+" FROM connections c "+connectionMaker+
		" WHERE c.id = $1", id))
	return c, found(err)
}

// ConnectionOf finds how an item is connected to a channel; 0 if it is not.
func (q Queries) ConnectionOf(ctx context.Context, channel domain.ChannelID, item domain.ItemRef) (domain.ConnectionID, error) {
	var id domain.ConnectionID
	err := q.q.QueryRow(ctx, `SELECT id FROM connections WHERE channel_id = $1 AND item_type = $2 AND item_id = $3`,
		channel, item.Type, item.ID).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return id, err
}

// NewConnection is what a connection is made from. Position 0 means the top.
type NewConnection struct {
	Channel  domain.Channel
	Item     domain.ItemRef
	UserID   domain.UserID
	Position int64
	Metadata domain.Metadata
	Now      time.Time
}

// Connect puts an item that is not yet there into a locked channel. An item that
// is a channel must be locked as well.
func (tx *Tx) Connect(ctx context.Context, n NewConnection) (domain.ConnectionID, error) {
	item, err := tx.enter(ctx, n)
	if err != nil {
		return 0, err
	}
	count, createdAt, err := tx.countIn(ctx, n, item.private)
	if err != nil {
		return 0, err
	}
	position := n.Position
	if position == 0 || position > count {
		position = count
	}
	positions := order{tx.Queries, n.Channel.ID, positionOrder}
	key, err := positions.keyFor(ctx, position, count-1)
	if err != nil {
		return 0, err
	}
	var id domain.ConnectionID
	err = tx.q.QueryRow(ctx, `INSERT INTO connections (channel_id, item_type, item_id, item_private, item_updated_at,
			user_id, position_key, metadata, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9) RETURNING id`,
		n.Channel.ID, n.Item.Type, n.Item.ID, item.private, item.updatedAt, n.UserID, key,
		metadataColumn(n.Metadata), createdAt).Scan(&id)
	if err != nil {
		return 0, err
	}
	if !item.private {
		tx.tallyAdded(n.Channel.ID, n.UserID, 1)
	}
	if n.Item.Type == domain.ItemBlock {
		tx.tallyUpdated(n.Channel.ID, item.updatedAt, 1)
	}
	if err := positions.add(ctx, key, item.private, 1); err != nil {
		return 0, err
	}
	return id, order{tx.Queries, n.Channel.ID, createdOrder}.add(ctx, createdAt, item.private, 1)
}

// entering is what a connection keeps of its item.
type entering struct {
	private   bool  // a private channel
	updatedAt int64 // of a block
}

// enter counts the channel at the item, which locks it, and reads what the
// connection keeps of the item.
func (tx *Tx) enter(ctx context.Context, n NewConnection) (e entering, err error) {
	defer func() {
		if err == nil {
			err = tx.relink(ctx, n.Item, n.Channel.Visibility, 1)
		}
		if err == nil && n.Item.Type == domain.ItemBlock {
			open, private := placed(n.Channel.Visibility, 1)
			err = tx.putInGroup(ctx, n.Channel.Owner.PrincipalRef, n.Item, open, private)
		}
	}()
	if n.Item.Type == domain.ItemBlock {
		e.updatedAt, err = tx.bumpBlock(ctx, n.Item.ID, n.Channel.Visibility, 1)
		return e, err
	}
	err = tx.q.QueryRow(ctx, `SELECT visibility = 'private' FROM channels
		WHERE id = $1 AND state = 'available'`, n.Item.ID).Scan(&e.private)
	return e, found(err)
}

// bumpBlock adds to a block's count of channels and gives its updated_at. A private
// channel does not touch the version of a block that is public anyway, which strangers
// could watch.
func (tx *Tx) bumpBlock(ctx context.Context, id int64, in domain.Visibility, by int64) (updatedAt int64, err error) {
	set := "open_count = open_count + $2, version = version + 1"
	if in == domain.Private {
		set = "private_count = private_count + $2, version = version + CASE WHEN open_count = 0 THEN 1 ELSE 0 END"
	}
	err = tx.q.QueryRow(ctx, "UPDATE blocks SET "+set+" WHERE id = $1 RETURNING updated_at", id, by).Scan(&updatedAt)
	return updatedAt, found(err)
}

// countIn adds a connection to its channel's counts, and gives how many it has then
// and the time of connecting, which is later than any given out before.
func (tx *Tx) countIn(ctx context.Context, n NewConnection, private bool) (count, createdAt int64, err error) {
	blocks, channels, privates := tally(n.Item.Type, private)
	connected := later("last_connected_at", "$5")
	err = tx.q.QueryRow(ctx, `UPDATE channels SET blocks_count = blocks_count + $2,
			channels_count = channels_count + $3, private_count = private_count + $4, version = version + 1,
			last_connected_at = `+connected+`, updated_at = `+later("updated_at", connected)+`
		WHERE id = $1 RETURNING blocks_count + channels_count, last_connected_at`,
		n.Channel.ID, blocks, channels, privates, micros(n.Now)).Scan(&count, &createdAt)
	tx.moved(n.Channel.ID, n.Channel.Owner.Type)
	return count, createdAt, err
}

// later is now, or just after what a column of times says if that is not before now:
// requests wait for locks in another order than that in which they looked at the clock.
func later(column, now string) string {
	return "CASE WHEN " + column + " >= " + now + " THEN " + column + " + 1 ELSE " + now + " END"
}

// tally splits one connection into the counts of its channel.
func tally(item domain.ItemType, private bool) (blocks, channels, privates int64) {
	switch {
	case item == domain.ItemBlock:
		return 1, 0, 0
	case private:
		return 0, 1, 1
	}
	return 0, 1, 0
}

// Disconnect removes a connection from a locked channel. Like all that changes both,
// it locks the block before the connection.
func (tx *Tx) Disconnect(ctx context.Context, c domain.Connection, now time.Time) error {
	blocks, channels, privates := tally(c.Item.Type, c.ItemPrivate)
	var owner domain.PrincipalType
	err := tx.q.QueryRow(ctx, `UPDATE channels SET blocks_count = blocks_count - $2,
			channels_count = channels_count - $3, private_count = private_count - $4, version = version + 1,
			updated_at = `+later("updated_at", "$5")+`
		WHERE id = $1 RETURNING owner_type`, c.ChannelID, blocks, channels, privates, micros(now)).Scan(&owner)
	if err != nil {
		return err
	}
	tx.moved(c.ChannelID, owner)
	if err := tx.leave(ctx, c); err != nil {
		return err
	}
	updatedAt, err := scanInt64(tx.q.QueryRow(ctx, `DELETE FROM connections WHERE id = $1 RETURNING item_updated_at`, c.ID))
	if err != nil {
		return err
	}
	if !c.ItemPrivate {
		tx.tallyAdded(c.ChannelID, domain.UserID(c.Maker.ID), -1)
	}
	if c.Item.Type == domain.ItemBlock {
		tx.tallyUpdated(c.ChannelID, updatedAt, -1)
	}
	if err := (order{tx.Queries, c.ChannelID, positionOrder}).add(ctx, c.PositionKey, c.ItemPrivate, -1); err != nil {
		return err
	}
	return order{tx.Queries, c.ChannelID, createdOrder}.add(ctx, micros(c.CreatedAt), c.ItemPrivate, -1)
}

// leave takes a connection's effect from its item: the one that it has, which may be that
// of a channel as it was.
func (tx *Tx) leave(ctx context.Context, c domain.Connection) error {
	e, err := tx.effect(ctx, c.ChannelID, micros(c.CreatedAt))
	if err != nil || e == (effect{}) {
		return err
	}
	visibility := domain.Private
	if e.open > 0 {
		visibility = domain.Public
	}
	if c.Item.Type == domain.ItemBlock {
		if _, err := tx.bumpBlock(ctx, c.Item.ID, visibility, -1); err != nil {
			return err
		}
		if e.group != 0 {
			if err := tx.putInGroup(ctx, e.owner(), c.Item, -e.open, -e.private); err != nil {
				return err
			}
		}
	}
	return tx.relink(ctx, c.Item, visibility, -1)
}

// Move places a connection of a locked channel with n connections at position to,
// 1..n; from is where it is.
func (tx *Tx) Move(ctx context.Context, c domain.Connection, from, to, n int64, now time.Time) error {
	if from == to {
		return nil
	}
	positions := order{tx.Queries, c.ChannelID, positionOrder}
	// Going up it comes to stand above the item at `to`, going down below it. The
	// item itself still counts, so going up the place is one higher.
	place := to
	if to > from {
		place = to + 1
	}
	key, err := positions.keyFor(ctx, place, n)
	if err != nil {
		return err
	}
	var old int64 // read now: a renumbering may have changed it
	if err := tx.q.QueryRow(ctx, `SELECT position_key FROM connections WHERE id = $1`, c.ID).Scan(&old); err != nil {
		return err
	}
	err = tx.execOne(ctx, `UPDATE connections SET position_key = $2, version = version + 1 WHERE id = $1`, c.ID, key)
	if err != nil {
		return err
	}
	if err := positions.add(ctx, old, c.ItemPrivate, -1); err != nil {
		return err
	}
	if err := positions.add(ctx, key, c.ItemPrivate, 1); err != nil {
		return err
	}
	var owner domain.PrincipalType
	err = tx.q.QueryRow(ctx, `UPDATE channels SET version = version + 1, updated_at = `+later("updated_at", "$2")+`
		WHERE id = $1 RETURNING owner_type`, c.ChannelID, micros(now)).Scan(&owner)
	tx.moved(c.ChannelID, owner)
	return err
}

// moved notes that the updated_at of a locked channel has moved, for writeMoved.
func (tx *Tx) moved(id domain.ChannelID, owner domain.PrincipalType) {
	tx.movedChannels = append(tx.movedChannels, id)
	tx.movedInGroup = tx.movedInGroup || owner == domain.TypeGroup
}

// writeMoved carries the times of change of channels to their rows in lists, once for
// each channel however much the transaction added to it. The channels that they are in
// keep no copy, for there may be thousands.
func (tx *Tx) writeMoved(ctx context.Context) error {
	if len(tx.movedChannels) == 0 {
		return nil
	}
	slices.Sort(tx.movedChannels)
	moved := list(tx.d, slices.Compact(tx.movedChannels))
	const theirs = ` SET updated_at = (SELECT ch.updated_at FROM channels ch WHERE ch.id = item_id) WHERE kind = 'Channel' AND `
	err := tx.exec(ctx, "UPDATE search_documents"+theirs+tx.d.in("item_id", "$1"), moved)
	if err == nil && tx.movedInGroup {
		err = tx.exec(ctx, "UPDATE group_items"+theirs+tx.d.in("item_id", "$1"), moved)
	}
	tx.movedChannels, tx.movedInGroup = nil, false
	return err
}

// SetConnectionMetadata replaces the metadata of a connection.
func (tx *Tx) SetConnectionMetadata(ctx context.Context, id domain.ConnectionID, m domain.Metadata, now time.Time) error {
	return tx.execOne(ctx, `UPDATE connections SET metadata = $2, version = version + 1, updated_at = $3 WHERE id = $1`,
		id, metadataColumn(m), micros(now))
}

// setItemPrivate notes at a connection, and in the counts of its locked channel,
// that its item became private or open.
func (tx *Tx) setItemPrivate(ctx context.Context, c domain.Connection, private bool) error {
	by := int64(1)
	if !private {
		by = -1
	}
	err := tx.execOne(ctx, `UPDATE connections SET item_private = $2 WHERE id = $1`, c.ID, private)
	if err != nil {
		return err
	}
	tx.tallyAdded(c.ChannelID, domain.UserID(c.Maker.ID), -by)
	err = tx.execOne(ctx, `UPDATE channels SET private_count = private_count + $2, version = version + 1 WHERE id = $1`,
		c.ChannelID, by)
	if err != nil {
		return err
	}
	if err := (order{tx.Queries, c.ChannelID, positionOrder}).recount(ctx, c.PositionKey, by); err != nil {
		return err
	}
	return order{tx.Queries, c.ChannelID, createdOrder}.recount(ctx, micros(c.CreatedAt), by)
}
