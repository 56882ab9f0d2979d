package store

import (
	"context"
	"database/sql"
	"errors"

	"vitrine/internal/domain"
)

// refillGroup counts anew, for the group that owns a channel, what is in that channel,
// which was loaded. It has the group's other channels for itself.
func (tx *Tx) refillGroup(ctx context.Context, id domain.ChannelID) error {
	var group int64
	err := tx.q.QueryRow(ctx, `SELECT owner_id FROM channels WHERE id = $1 AND owner_type = 'Group'`, id).Scan(&group)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	const inGroup = `(SELECT count(*) FROM connections p JOIN channels ch ON ch.id = p.channel_id
		WHERE p.item_type = 'Block' AND p.item_id = d.item_id AND ch.owner_type = 'Group' AND ch.owner_id = $1
			AND ch.state = 'available' AND ch.visibility `
	err = tx.exec(ctx, `INSERT INTO group_items (group_id, kind, item_id, type, open_n, private_n, open, created_at, updated_at)
		SELECT CAST($1 AS BIGINT), kind, item_id, type, open_n, private_n, open_n > 0, created_at, updated_at FROM (
			SELECT d.kind, d.item_id, d.type, `+inGroup+`<> 'private') AS open_n, `+inGroup+`= 'private') AS private_n, d.created_at, d.updated_at
			FROM connections c JOIN search_documents d ON d.kind = c.item_type AND d.item_id = c.item_id
			WHERE c.channel_id = $2 AND c.item_type = 'Block') AS loaded WHERE TRUE
		ON CONFLICT (group_id, kind, item_id) DO UPDATE SET open_n = excluded.open_n, private_n = excluded.private_n, open = excluded.open`,
		group, id)
	if err != nil {
		return err
	}
	return tx.refillCounts(ctx, domain.PrincipalRef{Type: domain.TypeGroup, ID: group})
}

// refillCounts counts anew what a group has.
func (tx *Tx) refillCounts(ctx context.Context, group domain.PrincipalRef) error {
	if err := tx.writeCounts(ctx); err != nil {
		return err
	}
	if err := tx.exec(ctx, `DELETE FROM content_counts WHERE owner_type = 'Group' AND owner_id = $1`, group.ID); err != nil {
		return err
	}
	return tx.exec(ctx, `INSERT INTO content_counts (owner_type, owner_id, type, part, open, hidden)
		SELECT 'Group', group_id, type, item_id % 8, count(CASE WHEN open THEN 1 END), count(CASE WHEN NOT open THEN 1 END)
		FROM group_items WHERE group_id = $1 GROUP BY group_id, type, item_id % 8`, group.ID)
}
