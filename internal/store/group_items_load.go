package store

import "context"

// refillGroups counts anew what all groups have, once the documents of what was loaded
// are there.
func (tx *Tx) refillGroups(ctx context.Context) error {
	if err := tx.writeCounts(ctx); err != nil {
		return err
	}
	for _, statement := range []string{
		`DELETE FROM group_items`,
		`DELETE FROM content_counts WHERE owner_type = 'Group'`,
		`INSERT INTO group_items (group_id, kind, item_id, type, open_n, private_n, open, created_at, updated_at)
		SELECT owned.group_id, owned.kind, owned.item_id, d.type, owned.open_n, owned.private_n, owned.open_n > 0, d.created_at, d.updated_at FROM (
			SELECT group_id, kind, item_id, CAST(sum(open_n) AS BIGINT) AS open_n, CAST(sum(1 - open_n) AS BIGINT) AS private_n FROM (
				SELECT ch.owner_id AS group_id, c.item_type AS kind, c.item_id AS item_id,
					CASE WHEN ch.visibility = 'private' THEN 0 ELSE 1 END AS open_n
				FROM channels ch JOIN connections c ON c.channel_id = ch.id AND c.item_type = 'Block'
				WHERE ch.owner_type = 'Group' AND ch.state = 'available'
				UNION ALL SELECT owner_id, 'Channel', id, CASE WHEN visibility = 'private' THEN 0 ELSE 1 END
				FROM channels WHERE owner_type = 'Group' AND state = 'available') AS places
			GROUP BY group_id, kind, item_id) AS owned
		JOIN search_documents d ON d.kind = owned.kind AND d.item_id = owned.item_id`,
		`INSERT INTO content_counts (owner_type, owner_id, type, part, open, hidden)
		SELECT 'Group', group_id, type, item_id % 8, count(CASE WHEN open THEN 1 END), count(CASE WHEN NOT open THEN 1 END)
		FROM group_items GROUP BY group_id, type, item_id % 8`,
	} {
		if err := tx.exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}
