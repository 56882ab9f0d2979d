package store

import (
	"context"

	"vitrine/internal/domain"
)

// AddDocuments makes documents for the blocks that have none, the oldest first, to be
// found by their words once IndexPending has come to them, and counts what groups have.
// It is for blocks that were written past CreateBlock.
func (tx *Tx) AddDocuments(ctx context.Context) error {
	const missing = ` FROM blocks WHERE NOT EXISTS (
		SELECT 1 FROM search_documents d WHERE d.kind = 'Block' AND d.item_id = blocks.id)`
	err := tx.recountMany(ctx, domain.TypeUser, `SELECT user_id, type, id % 8, count(CASE WHEN open_count > 0 THEN 1 END),
		count(CASE WHEN open_count = 0 THEN 1 END)`+missing+` GROUP BY user_id, type, id % 8`)
	if err != nil {
		return err
	}
	err = tx.exec(ctx, `INSERT INTO search_documents (kind, item_id, type, author_id, open, links, random_key,
			created_at, updated_at)
		SELECT 'Block', id, type, user_id, open_count > 0, open_count, `+tx.d.random()+`, created_at, updated_at`+missing+` ORDER BY created_at, id`)
	if err != nil {
		return err
	}
	return tx.refillGroups(ctx)
}

// recountLinks counts anew in how many channels the channels in a channel are.
func (tx *Tx) recountLinks(ctx context.Context, id domain.ChannelID) error {
	return tx.exec(ctx, `UPDATE search_documents SET links = (`+openParents+`search_documents.item_id)
		WHERE kind = 'Channel' AND item_id IN (SELECT item_id FROM connections WHERE channel_id = $1 AND item_type = 'Channel')`, id)
}

// openParents counts the channels, public and closed, that a channel is in, or is counted
// in until what is pending is done.
const openParents = `SELECT count(*) FROM connections c CROSS JOIN channels ch
	LEFT JOIN pending_transitions pt ON ` + isPending + `
	WHERE ch.id = c.channel_id AND ` + openApplied + ` > 0 AND c.item_type = 'Channel' AND c.item_id = `

// IndexPending writes the words of at most n documents that have none yet, and tells
// how many it found: those that were there before there was search, or came by a load.
func (tx *Tx) IndexPending(ctx context.Context, n int) (int, error) {
	rows, err := tx.q.Query(ctx, `SELECT kind, item_id FROM search_documents WHERE digest IS NULL ORDER BY seq LIMIT $1`+
		tx.d.lock("search_documents"), n)
	all, err := collect(ctx, rows, err, func(row scanner) (s domain.Subject, err error) {
		err = row.Scan(&s.Type, &s.ID)
		return s, err
	})
	if err != nil {
		return 0, err
	}
	for _, s := range all {
		if err := tx.index(ctx, s.Type, s.ID); err != nil {
			return 0, err
		}
	}
	return len(all), nil
}
