package store

import (
	"context"

	"vitrine/internal/domain"
)

// ItemChannelsQuery asks for a page of the channels that an item is in, by the
// time of connecting.
type ItemChannelsQuery struct {
	Viewer    domain.UserID
	Item      domain.ItemRef
	Ownership domain.Ownership
	Desc      bool
	Page      domain.Page
}

// ItemChannels lists the channels an item is in that the viewer may see.
func (v *Snapshot) ItemChannels(ctx context.Context, q ItemChannelsQuery) (l domain.List[domain.Channel], err error) {
	from := ` FROM connections c JOIN channels ch ON ch.id = c.channel_id`
	where := ` WHERE c.item_type = $2 AND c.item_id = $3 AND ` + visibleChannel
	switch q.Ownership {
	case domain.Own:
		where += " AND c.user_id = $1"
	case domain.ExcludeOwn:
		where += " AND c.user_id <> $1"
	}
	err = v.q.QueryRow(ctx, "SELECT count(*)"+from+where, q.Viewer, q.Item.Type, q.Item.ID).Scan(&l.Total)
	if err != nil || q.Page.Offset() >= l.Total {
		return l, err
	}
	_, dir := direction(q.Desc)
	rows, err := v.q.Query(ctx, "SELECT "+channelColumns+from+" "+channelOwner+where+
		" ORDER BY c.created_at "+dir+", c.id "+dir+limit("$4")+" OFFSET $5",
		q.Viewer, q.Item.Type, q.Item.ID, q.Page.Per, q.Page.Offset())
	l.Items, err = collect(ctx, rows, err, scanChannel)
	return l, err
}
