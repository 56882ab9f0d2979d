package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strings"

	"vitrine/internal/database"
	"vitrine/internal/domain"
)

// The order of a channel's connections is kept as a tree of counts (table
// order_nodes), so that the rank of a key and the key at a rank cost a few short
// index scans whatever the size of the channel: with at most leafMost keys in a
// leaf and nodeMost children in a node, a million connections are three levels.
// All changes happen while the channel's row is locked.
const (
	leafMost = 128 // connections under a node of level 0 before it is split
	nodeMost = 32  // children of a node of level 1 and above before it is split
	levels   = 6   // levels that the statements below know; the top one may grow wider
	leastKey = math.MinInt64
)

// orderSort is one of the two orders that are kept as trees.
type orderSort int16

const (
	positionOrder orderSort = 0
	createdOrder  orderSort = 1
)

// column is the column of connections that the order goes by.
func (s orderSort) column() string {
	if s == createdOrder {
		return "created_at"
	}
	return "position_key"
}

// keys selects the keys k of channel $1 in [$2, $3] with item_private and the ids of
// their connections. Open and private items are apart in the indexes, so each has a
// walk of its own; that it is wanted in the order of keys makes PostgreSQL take the
// index on them also where it expects the channel to be small.
func (s orderSort) keys() string {
	walk := func(private string) string {
		return fmt.Sprintf(`SELECT k, item_private, id FROM (SELECT %s AS k, item_private, id FROM connections
			WHERE channel_id = $1 AND item_private = %s AND %s BETWEEN $2 AND $3 ORDER BY %s) AS walk`,
			s.column(), private, s.column(), s.column())
	}
	return "(" + walk("FALSE") + " UNION ALL " + walk("TRUE") + ") AS keys"
}

// order is one order of one channel.
type order struct {
	Queries
	channel domain.ChannelID
	sort    orderSort
}

// node is a row of order_nodes.
type node struct {
	level    int
	first    int64
	n        int64
	nPrivate int64
}

func scanNode(row scanner) (n node, err error) {
	err = row.Scan(&n.level, &n.first, &n.n, &n.nPrivate)
	return n, err
}

// addToPath adds to the node above the key $3 on each level. Each alternative names
// a whole primary key: asked for keys IN a list, SQLite reads all nodes of the
// channel once it has statistics, because most channels have few.
var addToPath = func() string {
	nodes := make([]string, levels)
	for l := range nodes {
		nodes[l] = fmt.Sprintf(`channel_id = $1 AND sort = $2 AND level = %d AND first_key = (SELECT max(first_key)
			FROM order_nodes WHERE channel_id = $1 AND sort = $2 AND level = %d AND first_key <= $3)`, l, l)
	}
	return `UPDATE order_nodes SET n = n + $4, n_private = n_private + $5
		WHERE ` + strings.Join(nodes, " OR ") + ` RETURNING level, first_key, n, n_private`
}()

// add counts a key in (by = 1) or out (by = -1), and keeps the tree in shape. The
// connection must already have, or no longer have, the key.
func (o order) add(ctx context.Context, key int64, private bool, by int64) error {
	byPrivate := int64(0)
	if private {
		byPrivate = by
	}
	path, err := o.bump(ctx, key, by, byPrivate)
	switch {
	case err != nil:
		return err
	case len(path) == 0:
		return o.put(ctx, node{level: 0, first: leastKey, n: by, nPrivate: byPrivate})
	case by > 0 && path[0].n > leafMost:
		return o.splitLeaf(ctx, path[0])
	case by < 0 && path[0].n < leafMost/4:
		return o.shrink(ctx, path[0], len(path))
	}
	return nil
}

// recount adds to how many of the keys are private.
func (o order) recount(ctx context.Context, key, byPrivate int64) error {
	_, err := o.bump(ctx, key, 0, byPrivate)
	return err
}

// bump adds to the nodes above a key and gives them by level.
func (o order) bump(ctx context.Context, key, by, byPrivate int64) ([]node, error) {
	rows, err := o.q.Query(ctx, addToPath, o.channel, o.sort, key, by, byPrivate)
	found, err := collect(ctx, rows, err, scanNode)
	if err != nil {
		return nil, err
	}
	path := make([]node, len(found))
	for _, n := range found {
		path[n.level] = n
	}
	return path, nil
}

func (o order) put(ctx context.Context, n node) error {
	return o.execOne(ctx, `INSERT INTO order_nodes (channel_id, sort, level, first_key, n, n_private)
		VALUES ($1, $2, $3, $4, $5, $6)`, o.channel, o.sort, n.level, n.first, n.n, n.nPrivate)
}

func (o order) set(ctx context.Context, n node) error {
	return o.execOne(ctx, `UPDATE order_nodes SET n = $5, n_private = $6
		WHERE channel_id = $1 AND sort = $2 AND level = $3 AND first_key = $4`,
		o.channel, o.sort, n.level, n.first, n.n, n.nPrivate)
}

func (o order) drop(ctx context.Context, level int, first int64) error {
	return o.execOne(ctx, `DELETE FROM order_nodes WHERE channel_id = $1 AND sort = $2 AND level = $3 AND first_key = $4`,
		o.channel, o.sort, level, first)
}

// nodes lists the nodes of a level with first_key in [from, to]; both included.
func (o order) nodes(ctx context.Context, level int, from, to int64) ([]node, error) {
	rows, err := o.q.Query(database.Uninterruptible(ctx), `SELECT level, first_key, n, n_private FROM order_nodes
		WHERE channel_id = $1 AND sort = $2 AND level = $3 AND first_key >= $4 AND first_key <= $5
		ORDER BY first_key`, o.channel, o.sort, level, from, to)
	return collect(ctx, rows, err, scanNode)
}

// last is the greatest key that the node of a level beginning at first covers.
func (o order) last(ctx context.Context, level int, first int64) (int64, error) {
	var next *int64
	err := o.q.QueryRow(database.Uninterruptible(ctx), `SELECT min(first_key) FROM order_nodes
		WHERE channel_id = $1 AND sort = $2 AND level = $3 AND first_key > $4`, o.channel, o.sort, level, first).Scan(&next)
	if err != nil || next == nil {
		return math.MaxInt64, err
	}
	return *next - 1, nil
}

// height is the number of levels; 0 for an empty tree. The last node in the order of
// the primary key is on the top level.
func (o order) height(ctx context.Context) (int, error) {
	var top int
	err := o.q.QueryRow(database.Uninterruptible(ctx), `SELECT level FROM order_nodes WHERE channel_id = $1 AND sort = $2
		ORDER BY level DESC, first_key DESC LIMIT 1`, o.channel, o.sort).Scan(&top)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return top + 1, err
}
