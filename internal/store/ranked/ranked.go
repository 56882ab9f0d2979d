// Package ranked maintains the order of the connections of a channel, by position and by the time
// of connecting. The rank of a connection and the connection at a rank cost a few short index
// scans in a channel of a million. The package owns the table order_nodes and the column
// position_key of connections.
//
// Positions and KeyAt read. The methods of List write, while the row of the channel is locked. The
// caller inserts and deletes connections itself, and then calls Insert or Remove.
package ranked

import (
	"context"
	"math"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// List is the connections of a locked channel.
type List struct {
	db      sqlx.Conn
	channel domain.ChannelID
}

// Of returns the list of a locked channel.
func Of(db sqlx.Conn, channel domain.ChannelID) List { return List{db, channel} }

func (l List) by(o Order) tree { return tree{l.db, l.channel, o} }

// Item is the part of a connection that the orders need.
type Item struct {
	PositionKey int64
	CreatedAt   int64 // in microseconds; unique in the channel
	Private     bool  // it is a private channel, which is counted separately
}

// Place returns a key for a new connection at position p of a list that has n without it. It may
// change the keys of other connections in the list.
func (l List) Place(ctx context.Context, p, n int64) (int64, error) {
	return l.by(ByPosition).keyFor(ctx, p, n)
}

// PlaceAbove is Place at the top of a list whose highest key is known.
func (l List) PlaceAbove(ctx context.Context, highest, n int64) (int64, error) {
	return l.by(ByPosition).keyAbove(ctx, highest, n)
}

// Again returns a key for a connection that had a key before, in a list that has n without it: the
// same key, or one just above the connection that has it now.
func (l List) Again(ctx context.Context, key, n int64) (int64, error) {
	id, err := sqlx.ScanID[domain.ConnectionID](l.db.QueryRow(ctx, `SELECT COALESCE(max(id), 0) FROM connections
		WHERE channel_id = $1 AND item_private IN (FALSE, TRUE) AND position_key = $2`, l.channel, key))
	if err != nil || id == 0 {
		return key, err
	}
	at, err := Positions(ctx, l.db, id)
	if err != nil {
		return 0, err
	}
	return l.Place(ctx, at[id]+1, n)
}

// Neighbours returns the SQL of the ids of the connections just below and above a connection `c`, 0 for none. They are
// connections `n` that satisfy a condition.
func Neighbours(among string) (below, above string) {
	next := func(from, order string) string {
		one := func(private string) string {
			return `SELECT * FROM (SELECT n.id, n.position_key FROM connections n WHERE n.channel_id = c.channel_id AND n.item_private = ` + private + `
				AND n.position_key ` + from + ` c.position_key AND ` + among + ` ORDER BY n.position_key ` + order + ` LIMIT 1) AS ` + private + `_items`
		}
		return `COALESCE((SELECT id FROM (` + one("FALSE") + ` UNION ALL ` + one("TRUE") + `) AS near ORDER BY position_key ` + order + ` LIMIT 1), 0)`
	}
	return next("<", "DESC"), next(">", "ASC")
}

// AgainBetween is Again for a connection that was between two others, if both are still in the list in this order. After
// many insertions at one place, keys are spread again, so the former key may now be at another place.
func (l List) AgainBetween(ctx context.Context, key int64, below, above domain.ConnectionID, n int64) (int64, error) {
	var low, high *int64
	err := l.db.QueryRow(ctx, `SELECT (SELECT position_key FROM connections WHERE id = $2 AND channel_id = $1),
		(SELECT position_key FROM connections WHERE id = $3 AND channel_id = $1)`, l.channel, below, above).Scan(&low, &high)
	if err != nil {
		return 0, err
	}
	if low == nil || high == nil || *low > *high || *low < key && key < *high {
		return l.Again(ctx, key, n)
	}
	at, err := Positions(ctx, l.db, below)
	if err != nil {
		return 0, err
	}
	return l.Place(ctx, at[below]+1, n)
}

// Insert counts a connection that was written to a list that had n.
func (l List) Insert(ctx context.Context, i Item, n int64) error {
	if n == 0 {
		if begun, err := l.begin(ctx, i.Private); err != nil || begun {
			return err
		}
	}
	return l.count(ctx, i, 1)
}

// Remove stops counting a deleted connection.
func (l List) Remove(ctx context.Context, i Item) error { return l.count(ctx, i, -1) }

// begin creates both trees with a first connection, and reports whether it did. It returns false if
// they exist already: an emptied list keeps its trees.
func (l List) begin(ctx context.Context, private bool) (bool, error) {
	nPrivate := 0
	if private {
		nPrivate = 1
	}
	made, err := l.db.ExecCount(ctx, `INSERT INTO order_nodes (channel_id, sort, level, first_key, n, n_private)
		VALUES ($1, 0, 0, $2, 1, $3), ($1, 1, 0, $2, 1, $3) ON CONFLICT (channel_id, sort, level, first_key) DO NOTHING`,
		l.channel, int64(leastKey), nPrivate)
	return made == 2, err
}

// count adds (by = 1) or subtracts (by = -1) a connection in both trees.
func (l List) count(ctx context.Context, i Item, by int64) error {
	byPrivate := int64(0)
	if i.Private {
		byPrivate = by
	}
	var all changed
	return l.db.LaterEach(ctx, all.add, func(ctx context.Context) error {
		paths := all.paths()
		if err := l.by(ByPosition).reshape(ctx, paths[ByPosition], by); err != nil {
			return err
		}
		return l.by(ByTime).reshape(ctx, paths[ByTime], by)
	}, addToPaths, l.channel, i.PositionKey, i.CreatedAt, by, byPrivate)
}

// SetPrivate updates the counts for a connection whose item became private or open.
func (l List) SetPrivate(ctx context.Context, i Item) error {
	by := int64(1)
	if !i.Private {
		by = -1
	}
	if err := l.by(ByPosition).addPrivate(ctx, i.PositionKey, by); err != nil {
		return err
	}
	return l.by(ByTime).addPrivate(ctx, i.CreatedAt, by)
}

// Move moves a connection from position `from` of n to position `to` and returns its new key.
func (l List) Move(ctx context.Context, id domain.ConnectionID, private bool, from, to, n int64) (key int64, err error) {
	o := l.by(ByPosition)
	// Moving up, the connection goes above the item at `to`; moving down, below it. It still counts
	// itself, so the position for moving up is one higher.
	place := to
	if to > from {
		place = to + 1
	}
	if key, err = o.keyFor(ctx, place, n); err != nil {
		return 0, err
	}
	var old int64 // read it now, since renumbering may have changed it
	if err := l.db.QueryRow(ctx, `SELECT position_key FROM connections WHERE id = $1`, id).Scan(&old); err != nil {
		return 0, err
	}
	err = l.db.ExecOne(ctx, `UPDATE connections SET position_key = $2, version = version + 1 WHERE id = $1`, id, key)
	if err != nil {
		return 0, err
	}
	if err := o.add(ctx, old, private, -1); err != nil {
		return 0, err
	}
	return key, o.add(ctx, key, private, 1)
}

// Rebuild recreates both orders from the connections, after a bulk load or as a repair.
func (l List) Rebuild(ctx context.Context) error {
	for _, o := range []Order{ByPosition, ByTime} {
		if err := l.by(o).rebuild(ctx, levels, leastKey, math.MaxInt64); err != nil {
			return err
		}
	}
	return nil
}

// KeyAt returns the key in an order of a channel that has exactly rank-1 of the viewer's keys
// before it.
func KeyAt(ctx context.Context, db sqlx.Conn, channel domain.ChannelID, by Order, rank int64, s Seen) (int64, error) {
	return tree{db, channel, by}.keyAt(ctx, rank, s)
}

// InitialKey returns the position key that the i-th connection of a channel gets, counting from 0,
// if all are added at the top.
func InitialKey(i int64) int64 { return i * keyGap }
