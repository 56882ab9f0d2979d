package contents

import (
	"context"
	"slices"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/ranked"
	"vitrine/internal/store/rowmap"
	"vitrine/internal/store/sqlx"
)

// Connection reads a connection by id, without its position and without checking access.
func (q Reads) Connection(ctx context.Context, id domain.ConnectionID) (domain.Connection, error) {
	c, err := rowmap.ScanConnection(q.db.QueryRow(database.Uninterruptible(ctx), "SELECT "+rowmap.ConnectionColumns+" FROM connections c "+rowmap.ConnectionMaker+
		" WHERE c.id = $1", id))
	return c, sqlx.Found(err)
}

// ConnectionsOf returns the connections of an item to some channels.
func (q Reads) ConnectionsOf(ctx context.Context, item domain.ItemRef, channels ...domain.ChannelID) (map[domain.ChannelID]domain.ConnectionID, error) {
	there := make(map[domain.ChannelID]domain.ConnectionID)
	rows, err := q.db.Query(ctx, `SELECT channel_id, id FROM connections WHERE item_type = $1 AND item_id = $2 AND `+
		q.db.In("channel_id", "$3"), item.Type, item.ID, sqlx.IDs(q.db.Dialect, channels))
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (id domain.ConnectionID, err error) {
		var channel domain.ChannelID
		err = row.Scan(&channel, &id)
		there[channel] = id
		return id, err
	})
	return there, err
}

// ConnectionOf returns the connection of an item to a channel, or 0 if the item is not in the
// channel.
func (q Reads) ConnectionOf(ctx context.Context, channel domain.ChannelID, item domain.ItemRef) (domain.ConnectionID, error) {
	there, err := q.ConnectionsOf(ctx, item, channel)
	return there[channel], err
}

// HeldByID returns those of the connections that are in a locked channel, with their keys.
func (q Reads) HeldByID(ctx context.Context, channel domain.ChannelID, ids []domain.ConnectionID) (map[domain.ConnectionID]ranked.Held, error) {
	found := make(map[domain.ConnectionID]ranked.Held, len(ids))
	for some := range slices.Chunk(ids, heldAtOnce) {
		rows, err := q.db.Query(ctx, `SELECT c.id, c.position_key, c.item_private FROM connections c
			WHERE c.channel_id = $1 AND `+q.db.In("c.id", "$2"), channel, sqlx.IDs(q.db.Dialect, some))
		_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (h ranked.Held, err error) {
			err = row.Scan(&h.ID, &h.PositionKey, &h.Private)
			found[h.ID] = h
			return h, err
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// ConnectionsInOrder reads connections with their positions, in the order of the ids.
func (v Lists) ConnectionsInOrder(ctx context.Context, ids []domain.ConnectionID) ([]domain.Connection, error) {
	return v.inOrder(ctx, Query{}, ids)
}

// inOrder is ConnectionsInOrder for a page of a query.
func (v Lists) inOrder(ctx context.Context, of Query, ids []domain.ConnectionID) ([]domain.Connection, error) {
	all, err := Reads{v.db}.inOrder(ctx, of, ids)
	if err != nil {
		return nil, err
	}
	return all, Reads{v.db}.place(ctx, all)
}

// CompleteConnections reads the full data of the connections in the list that have one of the ids,
// which are in the order of the list. It keeps their positions and the stamps of their blocks.
func (q Reads) CompleteConnections(ctx context.Context, conns []domain.Connection, ids []domain.ConnectionID) error {
	full, err := q.inOrder(ctx, Query{}, ids)
	if err != nil {
		return err
	}
	for i := range conns {
		if len(full) > 0 && conns[i].ID == full[0].ID {
			full[0].Position, full[0].Block = conns[i].Position, conns[i].Block
			conns[i], full = full[0], full[1:]
		}
	}
	return nil
}

// inOrder reads connections in the order of the ids, with the columns that the query needs.
func (q Reads) inOrder(ctx context.Context, of Query, ids []domain.ConnectionID) ([]domain.Connection, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := q.db.Query(database.Uninterruptible(ctx), of.selected()+" WHERE "+q.db.In("c.id", "$1"), sqlx.IDs(q.db.Dialect, ids))
	all, err := of.collect(ctx, rows, err, len(ids))
	if err != nil {
		return nil, err
	}
	place := make(map[domain.ConnectionID]int, len(ids))
	for i, id := range ids {
		place[id] = i
	}
	slices.SortFunc(all, func(a, b domain.Connection) int { return place[a.ID] - place[b.ID] })
	return all, nil
}

// Positions returns the positions of connections, 1..n within their channels.
func (q Reads) Positions(ctx context.Context, ids ...domain.ConnectionID) (map[domain.ConnectionID]int64, error) {
	return ranked.Positions(ctx, q.db, ids...)
}

// place sets the positions of connections.
func (q Reads) place(ctx context.Context, conns []domain.Connection) error {
	if len(conns) == 0 {
		return nil
	}
	ids := make([]domain.ConnectionID, len(conns))
	for i, c := range conns {
		ids[i] = c.ID
	}
	at, err := q.Positions(ctx, ids...)
	for i := range conns {
		conns[i].Position = at[conns[i].ID]
	}
	return err
}

// HeldBy returns those of the blocks, or of the channels that the viewer may see, that are in a
// channel, with their connections' keys.
func (q Reads) HeldBy(ctx context.Context, viewer domain.UserID, channel domain.ChannelID, kind domain.ItemType, ids []int64) (map[int64]ranked.Held, error) {
	found := make(map[int64]ranked.Held, len(ids))
	// Look up each item separately, and not by an index that only contains blocks. Otherwise
	// PostgreSQL would scan the whole channel.
	query := `SELECT c.item_id, c.id, c.position_key, c.item_private FROM ` + q.db.Rows("$3") +
		q.db.JoinSome("connections", "c", "id", `s.channel_id = $2
			AND s.item_type = (SELECT CAST('`+string(kind)+`' AS TEXT)) AND s.item_id = l.id`+q.db.Fence())
	if kind == domain.ItemChannel {
		query += ` JOIN channels ch ON ch.id = c.item_id WHERE ` + access.VisibleChannel
	} else {
		query += ` WHERE CAST($1 AS BIGINT) IS NOT NULL`
	}
	for some := range slices.Chunk(ids, heldAtOnce) {
		rows, err := q.db.Query(ctx, query, viewer, channel, sqlx.IDs(q.db.Dialect, some))
		_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (h ranked.Held, err error) {
			var item int64
			err = row.Scan(&item, &h.ID, &h.PositionKey, &h.Private)
			found[item] = h
			return h, err
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// heldAtOnce is how many items one statement looks up in a channel.
const heldAtOnce = 1_000
