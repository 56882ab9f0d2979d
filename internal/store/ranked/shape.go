package ranked

import (
	"context"
	"math"

	"vitrine/internal/store/sqlx"
)

// splitLeaf splits an overfull leaf at its middle key.
func (o tree) splitLeaf(ctx context.Context, leaf node) error {
	last, err := o.last(ctx, 0, leaf.first)
	if err != nil {
		return err
	}
	var right node
	err = o.db.QueryRow(ctx, "SELECT k FROM "+o.sort.keys()+" ORDER BY k LIMIT 1 OFFSET $4",
		o.channel, leaf.first, last, leaf.n/2).Scan(&right.first)
	if err != nil {
		return err
	}
	err = o.db.QueryRow(ctx, "SELECT count(*), COALESCE(sum(CASE WHEN item_private THEN 1 ELSE 0 END), 0) FROM "+
		o.sort.keys(), o.channel, right.first, last).Scan(&right.n, &right.nPrivate)
	if err != nil {
		return err
	}
	return o.divide(ctx, leaf, right)
}

// divide makes right from the upper part of left, and splits the parent if it then has too many
// children.
func (o tree) divide(ctx context.Context, left, right node) error {
	left.n, left.nPrivate = left.n-right.n, left.nPrivate-right.nPrivate
	if err := o.set(ctx, left); err != nil {
		return err
	}
	if err := o.put(ctx, right); err != nil {
		return err
	}
	parent, children, err := o.parent(ctx, left)
	if err != nil || len(children) <= maxNode || parent.level >= levels {
		return err
	}
	if parent.n < 0 { // left is on the top level, which became too wide
		parent.n, parent.nPrivate = total(children)
		if err := o.put(ctx, parent); err != nil {
			return err
		}
	}
	upper := children[len(children)/2:]
	half := node{level: parent.level, first: upper[0].first}
	half.n, half.nPrivate = total(upper)
	return o.divide(ctx, parent, half)
}

// parent returns the parent of n and all its children. Above the top level, it returns a node that
// does not exist yet, with n = -1, for the whole level.
func (o tree) parent(ctx context.Context, n node) (parent node, children []node, err error) {
	parent = node{level: n.level + 1, first: leastKey, n: -1}
	var last int64
	rows, err := o.db.Query(ctx, `SELECT level, first_key, n, n_private FROM order_nodes
		WHERE channel_id = $1 AND sort = $2 AND level = $3 AND first_key <= $4
		ORDER BY first_key DESC LIMIT 1`, o.channel, o.sort, parent.level, n.first)
	above, err := sqlx.Collect(ctx, rows, err, scanNode)
	if err != nil {
		return parent, nil, err
	}
	if len(above) > 0 {
		parent = above[0]
	}
	if last, err = o.last(ctx, parent.level, parent.first); err != nil {
		return parent, nil, err
	}
	children, err = o.nodes(ctx, n.level, parent.first, last)
	return parent, children, err
}

// shrink joins a node that became too small with a neighbour under the same parent, and continues
// upwards. It removes a top level with few children.
func (o tree) shrink(ctx context.Context, n node, height int) error {
	if n.level+1 == height {
		top, err := o.nodes(ctx, n.level, leastKey, math.MaxInt64)
		if err == nil {
			_, err = o.join(ctx, n, top)
		}
		return err
	}
	parent, siblings, err := o.parent(ctx, n)
	if err != nil {
		return err
	}
	joined, err := o.join(ctx, n, siblings)
	if err != nil {
		return err
	}
	if joined {
		siblings = siblings[1:] // one fewer
	}
	if len(siblings) >= maxNode/4 {
		return nil
	}
	if parent.level+1 < height {
		return o.shrink(ctx, parent, height)
	}
	return o.shrinkTop(ctx, parent)
}

// shrinkTop joins nodes of the top level, or drops the level if its only node has few children.
func (o tree) shrinkTop(ctx context.Context, n node) error {
	_, top, err := o.parent(ctx, n)
	if err != nil {
		return err
	}
	if len(top) == 1 {
		return o.drop(ctx, n.level, n.first)
	}
	_, err = o.join(ctx, n, top)
	return err
}

// join merges n with a neighbour among the siblings if both fit into one node.
func (o tree) join(ctx context.Context, n node, siblings []node) (bool, error) {
	for i := range len(siblings) - 1 {
		left, right := siblings[i], siblings[i+1]
		if left.first != n.first && right.first != n.first {
			continue
		}
		fits, err := o.fits(ctx, left, right)
		if err != nil {
			return false, err
		}
		if !fits {
			continue
		}
		if err := o.drop(ctx, right.level, right.first); err != nil {
			return false, err
		}
		left.n, left.nPrivate = left.n+right.n, left.nPrivate+right.nPrivate
		return true, o.set(ctx, left)
	}
	return false, nil
}

// fits reports whether two neighbours can be merged into one node that can still grow.
func (o tree) fits(ctx context.Context, left, right node) (bool, error) {
	if left.level == 0 {
		return left.n+right.n <= maxLeaf*3/4, nil
	}
	last, err := o.last(ctx, right.level, right.first)
	if err != nil {
		return false, err
	}
	children, err := o.nodes(ctx, left.level-1, left.first, last)
	return len(children) <= maxNode*3/4, err
}

func total(nodes []node) (n, nPrivate int64) {
	for _, c := range nodes {
		n, nPrivate = n+c.n, nPrivate+c.nPrivate
	}
	return n, nPrivate
}
