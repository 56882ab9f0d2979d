package ranked

import (
	"context"

	"vitrine/internal/database"
)

// rebuild makes the nodes below a level anew for the keys in [first, last], half
// full each. first must be the first key of a node on that level, or leastKey.
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
	for level := 0; ; level++ {
		for _, n := range row {
			if err := o.put(ctx, n); err != nil {
				return err
			}
		}
		top := below == levels && len(row) <= nodeMost
		if level+1 == below || top {
			return nil
		}
		row = group(row)
	}
}

// leaves cuts the keys in [first, last] into leaves.
func (o tree) leaves(ctx context.Context, first, last int64) ([]node, error) {
	rows, err := o.db.Query(ctx, "SELECT k, item_private FROM "+o.sort.keys()+" ORDER BY k", o.channel, first, last)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return cut(rows, first)
}

func cut(rows database.Rows, first int64) ([]node, error) {
	made := []node{{level: 0, first: first}}
	for rows.Next() {
		var key int64
		var private bool
		if err := rows.Scan(&key, &private); err != nil {
			return nil, err
		}
		leaf := &made[len(made)-1]
		if leaf.n == leafMost/2 {
			made = append(made, node{level: 0, first: key})
			leaf = &made[len(made)-1]
		}
		leaf.n++
		if private {
			leaf.nPrivate++
		}
	}
	return made, rows.Err()
}

// group puts half-full parents above a row of nodes.
func group(row []node) []node {
	var above []node
	for i := 0; i < len(row); i += nodeMost / 2 {
		children := row[i:min(i+nodeMost/2, len(row))]
		parent := node{level: children[0].level + 1, first: children[0].first}
		parent.n, parent.nPrivate = total(children)
		above = append(above, parent)
	}
	return above
}
