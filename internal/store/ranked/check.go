package ranked

import (
	"fmt"

	"vitrine/internal/store/sqlx"
)

// below is the range of keys of each node of an order. Even the last node has a numeric end, so
// that only the range of an index is read.
const below = `SELECT channel_id, sort, level, first_key, n, n_private, COALESCE(lead(first_key) OVER (
	PARTITION BY channel_id, sort, level ORDER BY first_key) - 1, 9223372036854775807) AS last FROM order_nodes`

// Checks recompute every node of one order. They report channel ids.
func Checks(o Order) []sqlx.Check {
	key, at := o.Column(), fmt.Sprint(int16(o))
	// Count by item_private, like the indexes.
	inLeaf := func(private string) string {
		return `(SELECT count(*) FROM connections k WHERE k.channel_id = r.channel_id AND k.item_private = ` + private + `
			AND k.` + key + ` BETWEEN r.first_key AND r.last)`
	}
	inNode := ` FROM order_nodes k WHERE k.channel_id = r.channel_id AND k.sort = r.sort AND k.level = r.level - 1
		AND k.first_key BETWEEN r.first_key AND r.last`
	node := func(what, column, actual, level string) sqlx.Check {
		return sqlx.Check{What: "order_nodes." + what + " by " + key, Query: `SELECT channel_id, stored, actual FROM (
			SELECT r.channel_id, r.` + column + ` AS stored, (SELECT ` + actual + `) AS actual FROM (` + below + `) AS r
			WHERE r.sort = ` + at + ` AND r.level ` + level + `) AS d WHERE stored <> actual`}
	}
	return []sqlx.Check{
		node("n of a leaf", "n", inLeaf("FALSE")+" + "+inLeaf("TRUE"), "= 0"),
		node("n_private of a leaf", "n_private", inLeaf("TRUE"), "= 0"),
		node("n", "n", "CAST(COALESCE(sum(k.n), 0) AS BIGINT)"+inNode, "> 0"),
		node("n_private", "n_private", "CAST(COALESCE(sum(k.n_private), 0) AS BIGINT)"+inNode, "> 0"),
		{What: "order_nodes without a child at their first key by " + key, Query: `SELECT o.channel_id, o.level, o.level - 1
			FROM order_nodes o WHERE o.sort = ` + at + ` AND o.level > 0 AND NOT EXISTS (
			SELECT 1 FROM order_nodes k WHERE k.channel_id = o.channel_id AND k.sort = o.sort
			AND k.level = o.level - 1 AND k.first_key = o.first_key)`},
		{What: "order_nodes: channel without an order by " + key, Query: `SELECT ch.id, ch.blocks_count + ch.channels_count, 0
			FROM channels ch WHERE ch.blocks_count + ch.channels_count > 0 AND NOT EXISTS (
			SELECT 1 FROM order_nodes o WHERE o.channel_id = ch.id AND o.sort = ` + at + ` AND o.level = 0)`},
		{What: "order_nodes: level that begins late by " + key, Query: `SELECT channel_id, level, 0 FROM order_nodes
			WHERE sort = ` + at + ` GROUP BY channel_id, level HAVING min(first_key) > -9223372036854775807 - 1`},
	}
}
