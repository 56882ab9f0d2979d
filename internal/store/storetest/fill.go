package storetest

import (
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Fill adds n new blocks at the top of a channel that is not private. They were changed within a
// month after Now, in a different order. It bypasses the store to save time and rebuilds the
// orders of the channel. Nobody else may create blocks at the same time.
func Fill(t testing.TB, s *store.Store, db *database.DB, by domain.UserID, channel domain.ChannelID, n int64) {
	t.Helper()
	err := db.Transact(t.Context(), func(tx *database.Tx) error {
		var last, top, at int64
		err := tx.QueryRow(t.Context(), `SELECT COALESCE((SELECT max(id) FROM blocks), 0), last_connected_at,
			COALESCE((SELECT max(position_key) FROM connections WHERE channel_id = $1), 0) FROM channels WHERE id = $1`,
			channel).Scan(&last, &at, &top)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(t.Context(), `WITH RECURSIVE g (i) AS (
				SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM g WHERE i < $1)
			INSERT INTO blocks (user_id, type, state, content_markdown, content_html, content_plain,
				open_count, created_at, updated_at)
			SELECT $2, 'Text', 'available', 'x', '<p>x</p>', 'x', 1, $3, $3 + i * 7919 % 43200 * 60000000 FROM g`, n, by, Now.UnixMicro()); err != nil {
			return err
		}
		if _, err := tx.Exec(t.Context(), `INSERT INTO connections (channel_id, item_type, item_id, item_updated_at,
				user_id, position_key, created_at, updated_at)
			SELECT CAST($1 AS BIGINT), 'Block', id, updated_at, user_id, $3 + 4294967296 * (id - $2), $4 + id - $2, $4 + id - $2
			FROM blocks WHERE id > $2`, channel, last, top, at); err != nil {
			return err
		}
		_, err = tx.Exec(t.Context(), `UPDATE channels SET blocks_count = blocks_count + $2,
			last_connected_at = last_connected_at + $2, updated_at = CASE WHEN updated_at >= last_connected_at + $2
				THEN updated_at ELSE last_connected_at + $2 END WHERE id = $1`, channel, n)
		if err != nil {
			return err
		}
		_, err = tx.Exec(t.Context(), `UPDATE search_documents SET updated_at = (SELECT updated_at FROM channels WHERE id = $1)
			WHERE kind = 'Channel' AND item_id = $1`, channel)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	In(t, s, func(tx *store.Tx) error {
		if err := tx.Documents().AddDocuments(t.Context()); err != nil {
			return err
		}
		return tx.Bulk().Rebuild(t.Context(), channel)
	})
}
