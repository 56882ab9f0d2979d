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
