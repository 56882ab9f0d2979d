package contents

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/rowmap"
	"vitrine/internal/store/sqlx"
)

// ItemChannelsQuery selects a page of the channels that contain an item, by the time of
// connecting.
type ItemChannelsQuery struct {
	Viewer    domain.UserID
	Item      domain.ItemRef
	Ownership domain.Ownership
	Desc      bool
	Page      domain.Page
}

// ItemChannels lists the channels that contain an item and that the viewer may see.
func (v Lists) ItemChannels(ctx context.Context, q ItemChannelsQuery) (l domain.List[domain.Channel], err error) {
	from := ` FROM connections c JOIN channels ch ON ch.id = c.channel_id`
	where := ` WHERE c.item_type = $2 AND c.item_id = $3 AND ` + access.VisibleChannel
	switch q.Ownership {
	case domain.Own:
		where += " AND c.user_id = $1"
	case domain.ExcludeOwn:
		where += " AND c.user_id <> $1"
	}
	err = v.db.QueryRow(ctx, "SELECT count(*)"+from+where, q.Viewer, q.Item.Type, q.Item.ID).Scan(&l.Total)
	if err != nil || q.Page.Offset() >= l.Total {
		return l, err
	}
	dir := sqlx.Direction(q.Desc)
	rows, err := v.db.Query(ctx, "SELECT "+rowmap.ChannelColumns+from+" "+rowmap.ChannelOwner+where+
		" ORDER BY c.created_at "+dir+", c.id "+dir+sqlx.Limit("$4")+" OFFSET $5",
		q.Viewer, q.Item.Type, q.Item.ID, q.Page.Per, q.Page.Offset())
	l.Items, err = sqlx.Collect(ctx, rows, err, rowmap.ScanChannel)
	return l, err
}

// OldestChannels returns for each block the channel that has contained it for the longest, among
// those that the viewer may see. Blocks without such a channel are missing from the result.
func (v Lists) OldestChannels(ctx context.Context, viewer domain.UserID, blocks []domain.BlockID) (map[domain.BlockID]domain.ChannelID, error) {
	if len(blocks) == 0 {
		return nil, nil
	}
	type place struct {
		block   domain.BlockID
		channel *domain.ChannelID
	}
	rows, err := v.db.Query(ctx, `SELECT b.id, (SELECT ch.id FROM connections c JOIN channels ch ON ch.id = c.channel_id
			WHERE c.item_type = 'Block' AND c.item_id = b.id AND `+access.VisibleChannel+` ORDER BY c.created_at, c.id LIMIT 1)
		FROM blocks b WHERE `+v.db.In("b.id", "$2"), viewer, sqlx.IDs(v.db.Dialect, blocks))
	all, err := sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (p place, err error) {
		err = row.Scan(&p.block, &p.channel)
		return p, err
	})
	byBlock := make(map[domain.BlockID]domain.ChannelID, len(all))
	for _, p := range all {
		if p.channel != nil {
			byBlock[p.block] = *p.channel
		}
	}
	return byBlock, err
}
