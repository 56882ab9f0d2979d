package contents

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/sqlx"
)

// nearPrivate is how many private channels next to an item are checked for visibility. A neighbour
// behind more invisible ones is skipped.
const nearPrivate = 200

// Place returns the connection of an item to a channel and its key, NotFound if it is not there.
func (r NearbyReads) Place(ctx context.Context, channel domain.ChannelID, item domain.ItemRef) (id domain.ConnectionID, key int64, err error) {
	err = r.db.QueryRow(ctx, `SELECT id, position_key FROM connections WHERE channel_id = $1 AND item_type = $2 AND item_id = $3`,
		channel, item.Type, item.ID).Scan(&id, &key)
	return id, key, sqlx.Found(err)
}

// Neighbours returns the connections next to a key in a channel whose items the viewer may see:
// above is nearer to the top. A result is 0 if the channel has no such connection on that side. The
// cost depends neither on the key nor on the size of the channel.
func (r NearbyReads) Neighbours(ctx context.Context, viewer domain.UserID, channel domain.ChannelID, key int64) (above, below domain.ConnectionID, err error) {
	side := func(compare, order string) string {
		open := `SELECT * FROM (SELECT c.id, c.position_key AS k FROM connections c WHERE c.channel_id = $2 AND c.item_private = FALSE
			AND c.position_key ` + compare + ` $3 ORDER BY c.position_key ` + order + ` LIMIT 1) AS open_side`
		private := `SELECT * FROM (SELECT near.id, near.position_key AS k FROM (SELECT c.id, c.position_key, c.item_id FROM connections c
				WHERE c.channel_id = $2 AND c.item_private = TRUE AND c.position_key ` + compare + ` $3
				ORDER BY c.position_key ` + order + ` LIMIT ` + nearPrivateText + `) AS near
			JOIN channels ch ON ch.id = near.item_id WHERE ` + access.For(viewer, access.VisibleChannel, access.GuestChannel) + `
			ORDER BY near.position_key ` + order + ` LIMIT 1) AS private_side`
		return `COALESCE((SELECT id FROM (` + open + ` UNION ALL ` + private + `) AS both_sides ORDER BY k ` + order + ` LIMIT 1), 0)`
	}
	err = r.db.QueryRow(ctx, "SELECT "+side(">", "ASC")+", "+side("<", "DESC"), viewer, channel, key).Scan(&above, &below)
	return above, below, err
}
