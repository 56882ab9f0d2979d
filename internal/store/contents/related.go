package contents

import (
	"context"
	"strconv"

	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/sqlx"
)

// Related examines the newest items of the channel and the latest connections of each. Private
// connections are ignored.
const (
	relatedItems  = 200
	relatedPlaces = 25
)

var nearPrivateText = strconv.Itoa(nearPrivate)

// Shared is a channel and the number of examined items that it shares with another.
type Shared struct {
	Channel domain.ChannelID
	Items   int64
}

// Related lists channels that the viewer may see and that share items with the given one, most
// first. It examines at most 5,000 connections.
func (r NearbyReads) Related(ctx context.Context, viewer domain.UserID, channel domain.ChannelID, limit int) ([]Shared, error) {
	rows, err := r.db.Query(ctx, `SELECT found.channel_id, found.n FROM (
			SELECT p.channel_id, count(*) AS n FROM (
				SELECT c.item_type, c.item_id FROM connections c WHERE c.channel_id = $2 AND c.item_private = FALSE
				ORDER BY c.created_at DESC LIMIT `+strconv.Itoa(relatedItems)+`) AS here`+
		r.db.JoinSome("connections", "p", "id", `s.item_type = here.item_type AND s.item_id = here.item_id
				ORDER BY s.created_at DESC, s.id DESC LIMIT `+strconv.Itoa(relatedPlaces))+`
			WHERE p.channel_id <> $2 GROUP BY p.channel_id) AS found
		JOIN channels ch ON ch.id = found.channel_id WHERE `+access.For(viewer, access.VisibleChannel, access.GuestChannel)+`
		ORDER BY found.n DESC, found.channel_id DESC`+sqlx.Limit("$3"), viewer, channel, limit)
	return sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (s Shared, err error) {
		err = row.Scan(&s.Channel, &s.Items)
		return s, err
	})
}

// RelatedPage is Related for a numbered page, with the number of related channels found.
func (r NearbyReads) RelatedPage(ctx context.Context, viewer domain.UserID, channel domain.ChannelID, page domain.Page) (l domain.List[Shared], err error) {
	all, err := r.Related(ctx, viewer, channel, relatedItems*relatedPlaces)
	l.Total = int64(len(all))
	from := min(page.Offset(), l.Total)
	l.Items = all[from:min(from+page.Per, l.Total)]
	return l, err
}

// A preview shows some of the newest items of a channel, and texts that are short enough for a
// tile.
const (
	previewItems = 24
	previewText  = 2_000
)

// Previewed returns for each channel that the viewer may see the newest blocks with an image or a
// short text, at most n each.
func (r NearbyReads) Previewed(ctx context.Context, viewer domain.UserID, channels []domain.ChannelID, n int) (map[domain.ChannelID][]domain.BlockID, error) {
	if len(channels) == 0 {
		return nil, nil
	}
	rows, err := r.db.Query(ctx, `SELECT ch.id, b.id FROM channels ch`+
		r.db.JoinSome("connections", "c", "id", `s.channel_id = ch.id AND s.item_private = FALSE
			ORDER BY s.created_at DESC LIMIT `+strconv.Itoa(previewItems))+`
		JOIN blocks b ON c.item_type = 'Block' AND b.id = c.item_id
		WHERE `+r.db.In("ch.id", "$2")+` AND `+access.For(viewer, access.VisibleChannel, access.GuestChannel)+`
			AND (b.image_id IS NOT NULL OR b.type = 'Text' AND length(b.content_markdown) <= `+strconv.Itoa(previewText)+`)
		ORDER BY ch.id, c.created_at DESC`, viewer, sqlx.IDs(r.db.Dialect, channels))
	found := make(map[domain.ChannelID][]domain.BlockID, len(channels))
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (b domain.BlockID, err error) {
		var c domain.ChannelID
		if err = row.Scan(&c, &b); err == nil && len(found[c]) < n {
			found[c] = append(found[c], b)
		}
		return b, err
	})
	return found, err
}
