package ranked

import (
	"context"
	"iter"

	"vitrine/internal/database"
)

// rebuild recreates the nodes below a level for the keys in [first, last], each half full. first
// must be the first key of a node on that level, or leastKey.
func (o tree) rebuild(ctx context.Context, below int, first, last int64) error {
	err := o.db.Exec(ctx, `DELETE FROM order_nodes WHERE channel_id = $1 AND sort = $2 AND level < $3
		AND first_key BETWEEN $4 AND $5`, o.channel, o.sort, below, first, last)
	if err != nil {
		return err
	}
	row, err := o.leaves(ctx, first, last)
	if err != nil {
		return err
	}
	for _, n := range grown(row, below) {
		if err := o.put(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// grown adds as many levels of parents as a row of leaves needs, but stays below a level.
func grown(row []node, below int) []node {
	all := row
	for level := 0; ; level++ {
		top := below == levels && len(row) <= maxNode
		if level+1 == below || top {
			return all
		}
		row = group(row)
		all = append(all, row...)
	}
}

// Node is a row of order_nodes without its channel and order.
type Node struct{ Level, First, N, Private int64 }

// Nodes returns the rows that Rebuild creates for the keys of a channel. The keys come in order,
// each with whether its item is private.
func Nodes(keys iter.Seq2[int64, bool]) []Node {
	row := newLeaves(leastKey)
	for key, private := range keys {
		row.add(key, private)
	}
	all := grown(row, levels)
	nodes := make([]Node, len(all))
	for i, n := range all {
		nodes[i] = Node{int64(n.level), n.first, n.n, n.nPrivate}
	}
	return nodes
}

// leaves divides the keys in [first, last] into leaves.
func (o tree) leaves(ctx context.Context, first, last int64) ([]node, error) {
	rows, err := o.db.Query(ctx, "SELECT k, item_private FROM "+o.sort.keys()+" ORDER BY k", o.channel, first, last)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return cut(rows, first)
}

func cut(rows database.Rows, first int64) ([]node, error) {
	made := newLeaves(first)
	for rows.Next() {
		var key int64
		var private bool
		if err := rows.Scan(&key, &private); err != nil {
			return nil, err
		}
		made.add(key, private)
	}
	return made, rows.Err()
}

// leaves is a row of nodes of level 0 under construction.
type leaves []node

func newLeaves(first int64) leaves { return leaves{{level: 0, first: first}} }

// add counts the next key in the last leaf, or in a new one if that is half full.
func (l *leaves) add(key int64, private bool) {
	if (*l)[len(*l)-1].n == maxLeaf/2 {
		*l = append(*l, node{level: 0, first: key})
	}
	leaf := &(*l)[len(*l)-1]
	leaf.n++
	if private {
		leaf.nPrivate++
	}
}

// group returns half-full parents of a row of nodes.
func group(row []node) []node {
	var above []node
	for i := 0; i < len(row); i += maxNode / 2 {
		children := row[i:min(i+maxNode/2, len(row))]
		parent := node{level: children[0].level + 1, first: children[0].first}
		parent.n, parent.nPrivate = total(children)
		above = append(above, parent)
	}
	return above
}
