package ranked

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// An order is a tree of counts (table order_nodes), so that the rank of a key and the key at a
// rank cost a few short index scans in a channel of any size. With at most maxLeaf keys in a leaf
// and maxNode children in a node, a million connections need three levels.
const (
	maxLeaf  = 128 // maximum number of connections under a node of level 0
	maxNode  = 32  // maximum number of children of a node of level 1 or above
	levels   = 6   // number of levels in the statements below; the top level may be wider
	leastKey = math.MinInt64
)

// Order is one of the two orders, numbered as in order_nodes.
type Order int16

// The orders of a channel's connections.
const (
	ByPosition Order = 0
	ByTime     Order = 1
)

// Column returns the column of connections with the keys.
func (s Order) Column() string {
	if s == ByTime {
		return "created_at"
	}
	return "position_key"
}

// keys selects the keys k of channel $1 in [$2, $3] with item_private and the ids of their
// connections. The indexes separate open and private items, so each kind has its own scan. The
// ORDER BY makes PostgreSQL use the index even if it expects the channel to be small.
func (s Order) keys() string {
	walk := func(private string) string {
		return fmt.Sprintf(`SELECT k, item_private, id FROM (SELECT %s AS k, item_private, id FROM connections
			WHERE channel_id = $1 AND item_private = %s AND %s BETWEEN $2 AND $3 ORDER BY %s) AS walk`,
			s.Column(), private, s.Column(), s.Column())
	}
	return "(" + walk("FALSE") + " UNION ALL " + walk("TRUE") + ") AS keys"
}

// tree is one order of one channel.
type tree struct {
	db      sqlx.Conn
	channel domain.ChannelID
	sort    Order
}

// node is a row of order_nodes.
type node struct {
	sort     Order // set when both orders are read
	level    int
	first    int64
	n        int64
	nPrivate int64
}

func scanNode(row sqlx.Row) (n node, err error) {
	err = row.Scan(&n.level, &n.first, &n.n, &n.nPrivate)
	return n, err
}

// pathTo selects the nodes of a tree above a key, one per level. Each alternative contains a whole
// primary key: for keys IN a list, SQLite with statistics reads all nodes of the channel, because
// most channels have few.
func pathTo(sort, key string) string {
	nodes := make([]string, levels)
	for l := range nodes {
		nodes[l] = fmt.Sprintf(`channel_id = $1 AND sort = %s AND level = %d AND first_key = (SELECT max(first_key)
			FROM order_nodes WHERE channel_id = $1 AND sort = %s AND level = %d AND first_key <= %s)`, sort, l, sort, l, key)
	}
	return strings.Join(nodes, " OR ")
}

// addToPath adds to the nodes above the key $3 of one order. addToPaths adds to those above the
// key $2 by position and those above the key $3 by time.
var (
	addToPath  = "UPDATE order_nodes SET n = n + $4, n_private = n_private + $5 WHERE " + pathTo("$2", "$3") + returningNodes
	addToPaths = "UPDATE order_nodes SET n = n + $4, n_private = n_private + $5 WHERE " +
		pathTo("0", "$2") + " OR " + pathTo("1", "$3") + returningNodes
)

const returningNodes = " RETURNING sort, level, first_key, n, n_private"

// add counts a key (by = 1) or stops counting it (by = -1), and keeps the tree balanced. The
// connection must already have the key, or no longer have it.
func (o tree) add(ctx context.Context, key int64, private bool, by int64) error {
	byPrivate := int64(0)
	if private {
		byPrivate = by
	}
	path, err := o.bump(ctx, key, by, byPrivate)
	if err != nil {
		return err
	}
	return o.reshape(ctx, path, by)
}

// reshape keeps the tree balanced after a path changed by one key.
func (o tree) reshape(ctx context.Context, path []node, by int64) error {
	switch {
	case len(path) == 0:
		return fmt.Errorf("ranked: channel %d has no nodes in order %d", o.channel, o.sort)
	case by > 0 && path[0].n > maxLeaf:
		return o.splitLeaf(ctx, path[0])
	case by < 0 && path[0].n < maxLeaf/4:
		return o.shrink(ctx, path[0], len(path))
	}
	return nil
}

// addPrivate adds to the number of private keys above a key.
func (o tree) addPrivate(ctx context.Context, key, byPrivate int64) error {
	_, err := o.bump(ctx, key, 0, byPrivate)
	return err
}

// bump adds to the nodes above a key and returns them by level.
func (o tree) bump(ctx context.Context, key, by, byPrivate int64) ([]node, error) {
	var all changed
	err := o.db.LaterEach(ctx, all.add, nil, addToPath, o.channel, o.sort, key, by, byPrivate)
	if err == nil {
		err = o.db.Sync(ctx)
	}
	return all.paths()[o.sort], err
}

// changed contains the nodes that a statement has changed.
type changed []node

func (all *changed) add(row sqlx.Row) error {
	var n node
	err := row.Scan(&n.sort, &n.level, &n.first, &n.n, &n.nPrivate)
	*all = append(*all, n)
	return err
}

// paths returns the nodes of each order by level.
func (all changed) paths() (paths [2][]node) {
	slices.SortFunc(all, func(a, b node) int { return cmp.Compare(a.level, b.level) })
	for _, n := range all {
		paths[n.sort] = append(paths[n.sort], n)
	}
	return paths
}

func (o tree) put(ctx context.Context, n node) error {
	return o.db.ExecOne(ctx, `INSERT INTO order_nodes (channel_id, sort, level, first_key, n, n_private)
		VALUES ($1, $2, $3, $4, $5, $6)`, o.channel, o.sort, n.level, n.first, n.n, n.nPrivate)
}

func (o tree) set(ctx context.Context, n node) error {
	return o.db.ExecOne(ctx, `UPDATE order_nodes SET n = $5, n_private = $6
		WHERE channel_id = $1 AND sort = $2 AND level = $3 AND first_key = $4`,
		o.channel, o.sort, n.level, n.first, n.n, n.nPrivate)
}

func (o tree) drop(ctx context.Context, level int, first int64) error {
	return o.db.ExecOne(ctx, `DELETE FROM order_nodes WHERE channel_id = $1 AND sort = $2 AND level = $3 AND first_key = $4`,
		o.channel, o.sort, level, first)
}

// nodes lists the nodes of a level with first_key in [from, to].
func (o tree) nodes(ctx context.Context, level int, from, to int64) ([]node, error) {
	rows, err := o.db.Query(database.Uninterruptible(ctx), `SELECT level, first_key, n, n_private FROM order_nodes
		WHERE channel_id = $1 AND sort = $2 AND level = $3 AND first_key >= $4 AND first_key <= $5
		ORDER BY first_key`, o.channel, o.sort, level, from, to)
	return sqlx.Collect(ctx, rows, err, scanNode)
}

// last returns the greatest key covered by the node of a level that begins at first.
func (o tree) last(ctx context.Context, level int, first int64) (int64, error) {
	var next *int64
	err := o.db.QueryRow(database.Uninterruptible(ctx), `SELECT min(first_key) FROM order_nodes
		WHERE channel_id = $1 AND sort = $2 AND level = $3 AND first_key > $4`, o.channel, o.sort, level, first).Scan(&next)
	if err != nil || next == nil {
		return math.MaxInt64, err
	}
	return *next - 1, nil
}

// height returns the number of levels, 0 for an empty tree. The last node in the order of the
// primary key is on the top level.
func (o tree) height(ctx context.Context) (int, error) {
	var top int
	err := o.db.QueryRow(database.Uninterruptible(ctx), `SELECT level FROM order_nodes WHERE channel_id = $1 AND sort = $2
		ORDER BY level DESC, first_key DESC LIMIT 1`, o.channel, o.sort).Scan(&top)
	if errors.Is(err, database.ErrNoRows) {
		return 0, nil
	}
	return top + 1, err
}

// keyGap is the distance between new keys at the ends of a channel. It allows 2^31 items, and
// halving the distance between any two items 32 times.
const keyGap = int64(1) << 32

// leastStep is the distance between keys that renumbering on a level must reach. If it cannot, the
// range of the next level is renumbered. Wider ranges need larger steps, so that they are
// renumbered more rarely than they cost.
func leastStep(level int) int64 { return int64(1) << min(10+8*level, 30) }

// keyFor returns a position_key for position p of a channel that has n connections without the new
// one: above the item at p-1 and below the one now at p.
func (o tree) keyFor(ctx context.Context, p, n int64) (int64, error) {
	switch {
	case n == 0:
		return 0, nil
	case p > n:
		top, err := sqlx.ScanInt64(o.db.QueryRow(ctx, HighestKey, o.channel))
		if err != nil {
			return 0, err
		}
		return o.keyAbove(ctx, top, n)
	case p <= 1:
		bottom, err := sqlx.ScanInt64(o.db.QueryRow(ctx, lowestKey, o.channel))
		if err != nil || bottom >= math.MinInt64+2*keyGap {
			return bottom - keyGap, err
		}
		return o.afterRenumbering(ctx, bottom, p, n)
	}
	below, err := o.keyAt(ctx, p-1, Seen{All: true})
	if err != nil {
		return 0, err
	}
	above, err := sqlx.ScanInt64(o.db.QueryRow(ctx, nextKey, o.channel, below))
	if err != nil {
		return 0, err
	}
	if gap := uint64(above) - uint64(below); gap >= 2 { // the difference may overflow int64
		return below + int64(gap/2), nil
	}
	return o.afterRenumbering(ctx, below, p, n)
}

// lost returns the error for an order with fewer keys than the counts of the channel.
func (o tree) lost(rank int64) error {
	return fmt.Errorf("ranked: channel %d has no position %d in its order", o.channel, rank)
}

// keyAbove returns a key above the highest of the n keys of a channel.
func (o tree) keyAbove(ctx context.Context, top, n int64) (int64, error) {
	if top <= math.MaxInt64-2*keyGap {
		return top + keyGap, nil
	}
	return o.afterRenumbering(ctx, top, n+1, n)
}

// HighestKey selects the highest position_key of channel $1, NULL if it has none, and lowestKey
// the lowest. The index separates open and private items.
const (
	HighestKey = `SELECT max(k) FROM (
		SELECT max(position_key) AS k FROM connections WHERE channel_id = $1 AND item_private = FALSE UNION ALL
		SELECT max(position_key) FROM connections WHERE channel_id = $1 AND item_private = TRUE) AS ends`
	lowestKey = `SELECT min(k) FROM (
		SELECT min(position_key) AS k FROM connections WHERE channel_id = $1 AND item_private = FALSE UNION ALL
		SELECT min(position_key) FROM connections WHERE channel_id = $1 AND item_private = TRUE) AS ends`
)

// nextKey selects the position_key after $2 in channel $1.
const nextKey = `SELECT min(k) FROM (
	SELECT min(position_key) AS k FROM connections WHERE channel_id = $1 AND item_private = FALSE AND position_key > $2 UNION ALL
	SELECT min(position_key) FROM connections WHERE channel_id = $1 AND item_private = TRUE AND position_key > $2) AS next`

func (o tree) afterRenumbering(ctx context.Context, key, p, n int64) (int64, error) {
	if err := o.renumber(ctx, key); err != nil {
		return 0, err
	}
	return o.keyFor(ctx, p, n)
}

// renumber spreads the keys around the given one evenly: those of its leaf, or of the smallest
// node above it with enough free keys.
func (o tree) renumber(ctx context.Context, key int64) error {
	path, err := o.bump(ctx, key, 0, 0)
	if err != nil {
		return err
	}
	for _, n := range path {
		last, err := o.last(ctx, n.level, n.first)
		if err != nil {
			return err
		}
		start, step, err := o.spacing(ctx, n, last)
		if err != nil {
			return err
		}
		if step >= leastStep(n.level) {
			return o.spread(ctx, n, last, start, step)
		}
	}
	return o.spreadAll(ctx)
}

// spacing returns how to spread the n keys of a node that ends at last: the i-th (from 1) at start +
// i*step. At both ends of the channel, the keys may extend beyond the present ones.
func (o tree) spacing(ctx context.Context, n node, last int64) (start, step int64, err error) {
	if n.first == leastKey && last == math.MaxInt64 {
		return 0, 0, nil // the whole channel: see spreadAll
	}
	if n.first != leastKey && last != math.MaxInt64 {
		return n.first, (last - n.first) / (n.n + 1), nil
	}
	span := (n.n + 1) * keyGap
	if last == math.MaxInt64 {
		if n.first > math.MaxInt64-2*span {
			return 0, 0, nil
		}
		return n.first, keyGap, nil
	}
	if last < math.MinInt64+2*span {
		return 0, 0, nil
	}
	return last - span, keyGap, nil
}

// spreadAll renumbers the whole channel around zero.
func (o tree) spreadAll(ctx context.Context) error {
	var n int64
	err := o.db.QueryRow(ctx, `SELECT count(*) FROM connections WHERE channel_id = $1`, o.channel).Scan(&n)
	if err != nil {
		return err
	}
	root := node{level: levels, first: leastKey, n: n}
	return o.spread(ctx, root, math.MaxInt64, -(n/2)*keyGap, keyGap)
}

// spread renumbers the connections of a node and rebuilds the nodes below it.
func (o tree) spread(ctx context.Context, n node, last, start, step int64) error {
	err := o.db.Exec(ctx, `UPDATE connections SET position_key = $4 + $5 * r.i
		FROM (SELECT id, row_number() OVER (ORDER BY k) AS i FROM `+o.sort.keys()+`) AS r
		WHERE connections.id = r.id`, o.channel, n.first, last, start, step)
	if err == nil {
		err = o.db.Exec(ctx, `UPDATE channels SET key_spreads = key_spreads + 1 WHERE id = $1`, o.channel)
	}
	if err != nil || n.level == 0 {
		return err
	}
	return o.rebuild(ctx, n.level, n.first, last)
}
