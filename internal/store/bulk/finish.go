package bulk

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store/ranked"
)

// FinishLoad counts what is in a channel and builds its orders anew. The channel has
// changed when its last connection was made, if not later.
func (tx Writes) FinishLoad(ctx context.Context, id domain.ChannelID) error {
	err := tx.db.ExecOne(ctx, `UPDATE channels SET version = version + 1,
			updated_at = (SELECT COALESCE(max(c.created_at), channels.updated_at) FROM connections c
				WHERE c.channel_id = $1 AND c.created_at > channels.updated_at),
			(blocks_count, channels_count, private_count, last_connected_at) = (
				SELECT count(*) - count(CASE WHEN item_type = 'Channel' THEN 1 END),
					count(CASE WHEN item_type = 'Channel' THEN 1 END),
					count(CASE WHEN item_private THEN 1 END), COALESCE(max(created_at), 0)
				FROM connections WHERE channel_id = $1)
		WHERE id = $1`, id)
	if err != nil {
		return err
	}
	tx.deltas.ChannelTouched(id, domain.TypeGroup) // or of a user, who has no such row
	if err := tx.documents.RecountLinks(ctx, id); err != nil {
		return err
	}
	return tx.Rebuild(ctx, id)
}

// Rebuild makes the orders of a channel and its counts of connections anew from these:
// after a bulk load, or to repair.
func (tx Writes) Rebuild(ctx context.Context, channel domain.ChannelID) error {
	if err := ranked.Of(tx.db, channel).Rebuild(ctx); err != nil {
		return err
	}
	return tx.deltas.RecountConnections(ctx, channel)
}
