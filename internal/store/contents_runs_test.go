package store_test

import (
	"math/rand/v2"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// hide adds n new private channels of a user at the top of the shelf, bypassing the store.
func (h *shelf) hide(owner domain.UserID, n int64) {
	h.t.Helper()
	err := h.db.Transact(h.t.Context(), func(tx *database.Tx) error {
		var last, top, at int64
		err := tx.QueryRow(h.t.Context(), `SELECT (SELECT max(id) FROM channels), last_connected_at,
			COALESCE((SELECT max(position_key) FROM connections WHERE channel_id = $1), 0) FROM channels WHERE id = $1`,
			h.channel).Scan(&last, &at, &top)
		if err != nil {
			return err
		}
		for _, s := range []struct {
			query string
			args  []any
		}{
			{`WITH RECURSIVE g (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM g WHERE i < $1)
				INSERT INTO channels (slug, title, visibility, owner_type, owner_id, user_id, created_at, updated_at)
				SELECT 'hidden-' || ($4 + i), 'x', 'private', 'User', $2, $2, $3, $3 + i % 7 FROM g`,
				[]any{n, owner, storetest.Now.UnixMicro(), last}},
			{`INSERT INTO slugs (kind, slug, target_id, created_at) SELECT 'Channel', slug, id, 1 FROM channels WHERE id > $1`, []any{last}},
			{`INSERT INTO connections (channel_id, item_type, item_id, item_private, item_updated_at, user_id, position_key, created_at, updated_at)
				SELECT CAST($1 AS BIGINT), 'Channel', id, TRUE, 0, owner_id, $3 + 1000 * (id - $2), $4 + id - $2, $4 + id - $2
				FROM channels WHERE id > $2`, []any{h.channel, last, top, at}},
			{`INSERT INTO search_documents (kind, item_id, type, author_id, open, links, random_key, created_at, updated_at)
				SELECT 'Channel', id, 'Channel', user_id, FALSE, 1, id, created_at, updated_at FROM channels WHERE id > $1`, []any{last}},
			{`INSERT INTO content_counts (owner_type, owner_id, type, part, open, hidden)
				SELECT 'User', user_id, 'Channel', id % 8, 0, count(*) FROM channels WHERE id > $1 GROUP BY user_id, id % 8
				ON CONFLICT (owner_type, owner_id, type, part) DO UPDATE SET hidden = content_counts.hidden + excluded.hidden`, []any{last}},
			{`UPDATE channels SET channels_count = channels_count + $2, private_count = private_count + $2,
				last_connected_at = last_connected_at + $2, updated_at = CASE WHEN updated_at >= last_connected_at + $2
				THEN updated_at ELSE last_connected_at + $2 END WHERE id = $1`, []any{h.channel, n}},
			{`UPDATE search_documents SET updated_at = (SELECT updated_at FROM channels WHERE id = $1)
				WHERE kind = 'Channel' AND item_id = $1`, []any{h.channel}},
			{`UPDATE users SET private_channels = private_channels + $2 WHERE id = $1`, []any{owner, n}},
		} {
			if _, err := tx.Exec(h.t.Context(), s.query, s.args...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// Pages are full, and nothing is repeated or skipped, even if runs of hidden items are longer than
// several leaves.
func TestLongRunsOfHiddenItems(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		h := newShelf(t, s, db)
		ada, bob, cem := h.users[0], h.users[1], h.users[2]
		h.hide(bob, 200)
		storetest.Fill(t, s, db, ada, h.channel, 130)
		h.hide(cem, 150)
		h.hide(bob, 150)
		storetest.Fill(t, s, db, cem, h.channel, 3)
		h.hide(cem, 450)
		storetest.Fill(t, s, db, ada, h.channel, 40)
		h.hide(bob, 100)
		storetest.In(t, s, func(tx *store.Tx) error { return tx.Bulk().Rebuild(t.Context(), h.channel) })
		r := rand.New(rand.NewPCG(13, 14))
		h.compare(r, 30, 60, 100)

		// The same after breaking up the runs and opening some of the hidden channels.
		n := int64(len(h.entries()))
		storetest.In(t, s, func(tx *store.Tx) error {
			all := h.entries()
			for range 40 {
				if err := h.shuffle(tx, r, all[r.IntN(len(all))], n); err != nil {
					return err
				}
			}
			return nil
		})
		h.compare(r, 100)
	})
}

// shuffle moves a connection to another position, or makes its channel open.
func (h *shelf) shuffle(tx *store.Tx, r *rand.Rand, e entry, n int64) error {
	if e.private && r.IntN(2) == 0 {
		was, err := tx.Channels().Channel(h.t.Context(), e.owner, domain.Ref{ID: e.item.ID})
		if err != nil {
			return err
		}
		c := was
		c.Visibility = domain.Closed
		return tx.Channels().UpdateChannel(h.t.Context(), was, c, storetest.Later)
	}
	at, err := tx.Contents().Positions(h.t.Context(), e.id)
	if err != nil {
		return err
	}
	return moveTo(h.t.Context(), tx, e.id, at[e.id], r.Int64N(n)+1, n)
}
