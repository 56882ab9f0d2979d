package ranked

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// Held is a connection and its key.
type Held struct {
	ID          domain.ConnectionID
	PositionKey int64
	Private     bool
}

// arrangedAtOnce is how many connections one statement updates.
const arrangedAtOnce = 1_000

// Arrange puts connections into the given order, lowest first, using the places that they hold
// together. It returns the moved ones. All other connections keep their places.
func (l List) Arrange(ctx context.Context, order []Held) (moved []domain.ConnectionID, err error) {
	places := slices.SortedFunc(slices.Values(order), func(a, b Held) int { return cmp.Compare(a.PositionKey, b.PositionKey) })
	var keys, turned []sqlx.Pair
	for i, h := range order {
		at := places[i]
		if h.PositionKey == at.PositionKey {
			continue
		}
		moved = append(moved, h.ID)
		keys = append(keys, sqlx.Pair{int64(h.ID), at.PositionKey})
		switch {
		case h.Private && !at.Private:
			turned = append(turned, sqlx.Pair{at.PositionKey, 1})
		case !h.Private && at.Private:
			turned = append(turned, sqlx.Pair{at.PositionKey, -1})
		}
	}
	for some := range slices.Chunk(keys, arrangedAtOnce) {
		err := l.db.Exec(ctx, `UPDATE connections SET position_key = l.value, version = version + 1
			FROM `+l.db.Pairs("$1")+` WHERE connections.id = l.id`, sqlx.Pairs(some))
		if err != nil {
			return nil, err
		}
	}
	return moved, l.by(ByPosition).addPrivateAll(ctx, turned)
}

// addPrivateAll is turn for many keys, each with the number to add.
func (o tree) addPrivateAll(ctx context.Context, turned []sqlx.Pair) error {
	if len(turned) == 0 {
		return nil
	}
	height, err := o.height(ctx)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(turned, arrangedAtOnce) {
		for level := range height {
			// Find the nodes first, each by its whole key, because SQLite would otherwise scan the level.
			err := o.db.Exec(ctx, fmt.Sprintf(`UPDATE order_nodes SET n_private = n_private + found.by_private FROM (
					SELECT CAST($1 AS BIGINT) AS channel, CAST($2 AS SMALLINT) AS sorted, node, CAST(sum(value) AS BIGINT) AS by_private FROM (
						SELECT l.value AS value, (SELECT max(o.first_key) FROM order_nodes o WHERE o.channel_id = $1 AND o.sort = $2
							AND o.level = %d AND o.first_key <= l.id) AS node FROM %s) AS part GROUP BY node) AS found
				WHERE channel_id = found.channel AND sort = found.sorted AND level = %d AND first_key = found.node`, level, o.db.Pairs("$3"), level),
				o.channel, o.sort, sqlx.Pairs(some))
			if err != nil {
				return err
			}
		}
	}
	return nil
}
