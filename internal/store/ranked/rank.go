package ranked

import (
	"context"
	"fmt"
	"math"
	"sort"
	"strings"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// ranksOf returns the query for the positions of the connections $1, a list of ids. A position is
// a sum: on each level the nodes between the parent's first key and the node's own, and in the
// leaf the keys up to the connection's. The path is materialised because each of its keys is used
// twice.
func ranksOf(d sqlx.Dialect) string {
	path := make([]string, levels)
	sums := make([]string, levels)
	for l := range path {
		path[l] = fmt.Sprintf(`(SELECT max(first_key) FROM order_nodes o WHERE o.channel_id = c.channel_id
			AND o.sort = 0 AND o.level = %d AND o.first_key <= c.position_key) AS f%d`, l, l)
		from := ""
		if l < levels-1 {
			from = fmt.Sprintf("AND o.first_key >= COALESCE(f%d, -9223372036854775807 - 1)", l+1)
		}
		sums[l] = fmt.Sprintf(`(SELECT COALESCE(sum(o.n), 0) FROM order_nodes o WHERE o.channel_id = p.channel_id
			AND o.sort = 0 AND o.level = %d %s AND o.first_key < f%d)`, l, from, l)
	}
	return `WITH p AS MATERIALIZED (SELECT c.id, c.channel_id, c.position_key, ` + strings.Join(path, ", ") + `
			FROM connections c WHERE ` + d.In("c.id", "$1") + `)
		SELECT p.id, CAST(` + strings.Join(append(sums, inLeaf("FALSE"), inLeaf("TRUE")), " + ") + ` AS BIGINT) FROM p`
}

// inLeaf counts the open or private items of a leaf up to the connection's key, like Order.keys.
func inLeaf(private string) string {
	return `(SELECT count(*) FROM (SELECT k.id FROM connections k WHERE k.channel_id = p.channel_id
		AND k.item_private = ` + private + ` AND k.position_key BETWEEN f0 AND p.position_key ORDER BY k.position_key) AS walk)`
}

var ranksText = map[sqlx.Dialect]string{sqlx.SQLite: ranksOf(sqlx.SQLite), sqlx.Postgres: ranksOf(sqlx.Postgres)}

// Positions returns the positions of connections, 1..n within their channels.
func Positions(ctx context.Context, db sqlx.Conn, ids ...domain.ConnectionID) (map[domain.ConnectionID]int64, error) {
	rows, err := db.Query(database.Uninterruptible(ctx), ranksText[db.Dialect], sqlx.IDs(db.Dialect, ids))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	at := make(map[domain.ConnectionID]int64, len(ids))
	for rows.Next() {
		var id domain.ConnectionID
		var position int64
		if err := rows.Scan(&id, &position); err != nil {
			return nil, err
		}
		at[id] = position
	}
	return at, rows.Err()
}

// Seen describes which keys of an order count for a viewer: all of them, or those of items that
// are not private and the given ones, in ascending order.
type Seen struct {
	All  bool
	Keys []int64
}

// between counts the given keys in [from, to].
func (s Seen) between(from, to int64) int64 {
	lo := sort.Search(len(s.Keys), func(i int) bool { return s.Keys[i] >= from })
	hi := sort.Search(len(s.Keys), func(i int) bool { return s.Keys[i] > to })
	return int64(hi - lo)
}

// weight counts the keys of a node, which ends at last.
func (s Seen) weight(n node, last int64) int64 {
	if s.All {
		return n.n
	}
	return n.n - n.nPrivate + s.between(n.first, last)
}

// keyAt returns the key with exactly rank-1 counted keys before it.
func (o tree) keyAt(ctx context.Context, rank int64, s Seen) (int64, error) {
	height, err := o.height(ctx)
	if err != nil {
		return 0, err
	}
	asked := rank
	first, last := int64(leastKey), int64(math.MaxInt64)
	for level := height - 1; level >= 0; level-- {
		nodes, err := o.nodes(ctx, level, first, last)
		if err != nil {
			return 0, err
		}
		found := false
		for i, n := range nodes {
			end := last
			if i+1 < len(nodes) {
				end = nodes[i+1].first - 1
			}
			if w := s.weight(n, end); rank > w {
				rank -= w
				continue
			}
			first, last, found = n.first, end, true
			break
		}
		if !found {
			return 0, o.lost(asked)
		}
	}
	if height == 0 {
		return 0, o.lost(asked)
	}
	key, ok, err := o.keyInLeaf(ctx, first, last, rank, s)
	if err == nil && !ok {
		err = o.lost(asked)
	}
	return key, err
}

// keyInLeaf returns the rank-th counted key of a leaf; ok is false if there are fewer.
func (o tree) keyInLeaf(ctx context.Context, first, last, rank int64, s Seen) (int64, bool, error) {
	rows, err := o.db.Query(database.Uninterruptible(ctx), "SELECT k, item_private FROM "+o.sort.keys()+" ORDER BY k", o.channel, first, last)
	if err != nil {
		return 0, false, err
	}
	defer rows.Close()
	for rows.Next() {
		var k int64
		var private bool
		if err := rows.Scan(&k, &private); err != nil {
			return 0, false, err
		}
		if private && !s.All && s.between(k, k) == 0 {
			continue
		}
		if rank--; rank == 0 {
			return k, true, nil
		}
	}
	return 0, false, rows.Err()
}
