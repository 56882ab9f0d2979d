package contents

import (
	"context"
	"strconv"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// A cover shows the first blocks of a channel, without those whose content is pending or failed, among so many items.
const coverItems = 24

// Covers returns, for each channel that the viewer may see, the blocks of its cover from the top. Who sees a channel sees
// its blocks, so covers contain no channels and are the same for all viewers. It takes one statement, whose time does not
// depend on the size of the channels.
func (r NearbyReads) Covers(ctx context.Context, viewer domain.UserID, channels []domain.ChannelID) (map[domain.ChannelID][]domain.CoverBlock, error) {
	if len(channels) == 0 {
		return nil, nil
	}
	rows, err := r.db.Query(ctx, `SELECT here.id, b.id, b.version, b.updated_at FROM `+r.visible(viewer)+
		r.db.JoinSome("connections", "c", "id", `s.channel_id = here.id AND s.item_private = FALSE AND s.item_type = 'Block'
			AND s.position_key >= (SELECT min(near.position_key) FROM (SELECT n.position_key FROM connections n
				WHERE n.channel_id = here.id AND n.item_private = FALSE ORDER BY n.position_key DESC LIMIT `+strconv.Itoa(coverItems)+`) AS near)
			AND EXISTS (SELECT 1 FROM blocks v WHERE v.id = s.item_id AND v.state = 'available'`+r.db.Fence()+`)
			ORDER BY s.position_key DESC LIMIT `+strconv.Itoa(domain.CoverBlocks))+`
		JOIN blocks b ON b.id = c.item_id ORDER BY here.id, c.position_key DESC`, viewer, sqlx.IDs(r.db.Dialect, channels))
	found := make(map[domain.ChannelID][]domain.CoverBlock, len(channels))
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (b domain.CoverBlock, err error) {
		var c, changed int64
		err = row.Scan(&c, (*int64)(&b.ID), &b.Version, &changed)
		b.UpdatedAt = sqlx.Time(changed)
		found[domain.ChannelID(c)] = append(found[domain.ChannelID(c)], b)
		return b, err
	})
	return found, err
}
