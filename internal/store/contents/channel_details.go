package contents

import (
	"cmp"
	"context"
	"slices"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/sqlx"
)

// ChannelDetails contains what lists show of a channel beyond its row.
type ChannelDetails struct {
	AddedAt   time.Time // when the newest item visible to the viewer was connected; zero if no item is visible
	Followers int64
	Private   int64 // number of private channels in it that the viewer may see
}

// ChannelDetails reads the facts of channels that the viewer may see. The cost does not depend on
// the size of the channels: it examines at most nearPrivate of the private channels in each.
func (r NearbyReads) ChannelDetails(ctx context.Context, viewer domain.UserID, channels []domain.ChannelID) (map[domain.ChannelID]ChannelDetails, error) {
	if len(channels) == 0 {
		return nil, nil
	}
	newest := `(SELECT c.created_at FROM connections c WHERE c.channel_id = here.id AND c.item_private = FALSE ORDER BY c.created_at DESC LIMIT 1)`
	private := `(SELECT near.created_at FROM (SELECT c.created_at, c.item_id FROM connections c WHERE c.channel_id = here.id
			AND c.item_private = TRUE ORDER BY c.created_at DESC LIMIT ` + nearPrivateText + `) AS near
		JOIN channels ch ON ch.id = near.item_id WHERE ` + access.VisibleChannel + ` ORDER BY near.created_at DESC LIMIT 1)`
	seen := `(SELECT count(*) FROM (SELECT c.item_id FROM connections c WHERE c.channel_id = here.id
			AND c.item_private = TRUE ORDER BY c.created_at DESC LIMIT ` + nearPrivateText + `) AS near
		JOIN channels ch ON ch.id = near.item_id WHERE ` + access.VisibleChannel + `)`
	if viewer == 0 {
		private, seen = "0", "0"
	}
	rows, err := r.db.Query(ctx, `SELECT here.id, COALESCE(`+newest+`, 0), COALESCE(`+private+`, 0),
			COALESCE((SELECT s.followers FROM feed_sources s WHERE s.source_type = 'Channel' AND s.source_id = here.id), 0), `+seen+`
		FROM `+r.visible(viewer), viewer, sqlx.IDs(r.db.Dialect, channels))
	found := make(map[domain.ChannelID]ChannelDetails, len(channels))
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (f ChannelDetails, err error) {
		var id domain.ChannelID
		var open, private int64
		if err = row.Scan(&id, &open, &private, &f.Followers, &f.Private); err != nil {
			return f, err
		}
		if at := max(open, private); at > 0 {
			f.AddedAt = sqlx.Time(at)
		}
		found[id] = f
		return f, nil
	})
	return found, err
}

// visible selects as `here` those of the channels $2 that the viewer may see.
func (r NearbyReads) visible(viewer domain.UserID) string {
	return `(SELECT ch.id FROM channels ch WHERE ` + r.db.In("ch.id", "$2") + ` AND ` + access.For(viewer, access.VisibleChannel, access.GuestChannel) + `) AS here`
}

// Ends returns, for each channel that the viewer may see, the connections of the n highest or
// lowest items visible to them, beginning at that end. It examines at most nearPrivate of the
// private channels in each.
func (r NearbyReads) Ends(ctx context.Context, viewer domain.UserID, channels []domain.ChannelID, n int, highest bool) (map[domain.ChannelID][]domain.ConnectionID, error) {
	if len(channels) == 0 {
		return nil, nil
	}
	order := ` ORDER BY s.position_key ` + sqlx.Direction(highest)
	query := `SELECT here.id, c.id, c.position_key FROM ` + r.visible(viewer) +
		r.db.JoinSome("connections", "c", "id", `s.channel_id = here.id AND s.item_private = FALSE`+order+sqlx.Limit("$3"))
	if viewer != 0 {
		query += ` UNION ALL SELECT here.id, c.id, c.position_key FROM ` + r.visible(viewer) +
			r.db.JoinSome("connections", "c", "id", `s.channel_id = here.id AND s.item_private = TRUE`+order+` LIMIT `+nearPrivateText) +
			` JOIN channels ch ON ch.id = c.item_id WHERE ` + access.VisibleChannel
	}
	type end struct {
		id  domain.ConnectionID
		key int64
	}
	ends := make(map[domain.ChannelID][]end, len(channels))
	rows, err := r.db.Query(ctx, query, viewer, sqlx.IDs(r.db.Dialect, channels), n)
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (e end, err error) {
		var c domain.ChannelID
		err = row.Scan(&c, &e.id, &e.key)
		ends[c] = append(ends[c], e)
		return e, err
	})
	found := make(map[domain.ChannelID][]domain.ConnectionID, len(ends))
	for c, all := range ends {
		slices.SortFunc(all, func(a, b end) int {
			if highest {
				a, b = b, a
			}
			return cmp.Compare(a.key, b.key)
		})
		for _, e := range all[:min(len(all), n)] {
			found[c] = append(found[c], e.id)
		}
	}
	return found, err
}
