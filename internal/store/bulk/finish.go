package bulk

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store/ranked"
)

// FinishLoad counts the items of a channel and rebuilds its orders. The channel's time of change
// becomes that of its last connection if that is later.
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
	tx.deltas.ChannelTouched(id, domain.TypeGroup) // a channel of a user has no row in group_items, so the type does no harm
	if err := tx.documents.RecountLinks(ctx, id); err != nil {
		return err
	}
	return tx.Rebuild(ctx, id)
}

// Rebuild recomputes the orders of a channel and its counts of connections, after a bulk load or
// as a repair.
func (tx Writes) Rebuild(ctx context.Context, channel domain.ChannelID) error {
	if err := ranked.Of(tx.db, channel).Rebuild(ctx); err != nil {
		return err
	}
	return tx.deltas.RecountConnections(ctx, channel)
}
