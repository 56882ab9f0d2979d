package contents

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/rowmap"
	"vitrine/internal/store/sqlx"
)

// BlocksFrom lists the blocks that the viewer may see and that came from the page with a key of words.Source: the
// viewer's own first, then the newest.
func (r NearbyReads) BlocksFrom(ctx context.Context, viewer domain.UserID, page int64, limit int) ([]domain.BlockID, error) {
	part := func(where string) string {
		return `SELECT b.id, CASE WHEN b.user_id = $1 THEN 1 ELSE 0 END AS own FROM search_documents d JOIN blocks b ON b.id = d.item_id
			WHERE d.kind = 'Block' AND ` + where + ` AND ` + access.VisibleBlock
	}
	rows, err := r.db.Query(ctx, "SELECT id FROM ("+part("d.source_key = $2 AND d.source_key <> 0")+
		" UNION ALL "+part("d.value_key = $2 AND d.value_key <> 0 AND d.source_key <> $2")+
		") AS found ORDER BY own DESC, id DESC"+sqlx.Limit("$3"), viewer, page, limit)
	return sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.BlockID])
}

// Holding is a channel that contains an item, with the viewer's role.
type Holding struct {
	domain.Channel
	Connector domain.UserID // the creator of the connection
}

// Holdings lists the channels that contain an item and that the viewer may see: first those to which the viewer
// connected it, then the last connected ones.
func (r NearbyReads) Holdings(ctx context.Context, viewer domain.UserID, item domain.ItemRef, limit int) ([]Holding, error) {
	rows, err := r.db.Query(ctx, "SELECT "+rowmap.ChannelColumns+", "+access.RoleOf+", c.user_id FROM connections c JOIN channels ch ON ch.id = c.channel_id "+
		rowmap.ChannelOwner+" WHERE c.item_type = $2 AND c.item_id = $3 AND "+access.VisibleChannel+
		" ORDER BY CASE WHEN c.user_id = $1 THEN 0 ELSE 1 END, c.created_at DESC, c.id DESC"+sqlx.Limit("$4"), viewer, item.Type, item.ID, limit)
	return sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (h Holding, err error) {
		var r rowmap.ChannelRow
		err = row.Scan(rowmap.Channels.Targets(&r, &r.Channel.Role, &h.Connector)...)
		h.Channel = r.Value()
		return h, err
	})
}
