package ranked

import (
	"context"
	"fmt"
	"math"

	"vitrine/internal/store/sqlx"
)

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
	if err != nil || n.level == 0 {
		return err
	}
	return o.rebuild(ctx, n.level, n.first, last)
}
