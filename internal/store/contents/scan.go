package contents

import (
	"context"
	"fmt"
	"slices"

	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/counters"
	"vitrine/internal/store/sqlx"
)

// indexScan is a scan of an index to a page: past some connections, in one direction. It begins at the
// nearer end of the list, so the result may have to be reversed.
type indexScan struct {
	desc       bool
	skip, take int64
	turned     bool
}

// scanTo returns the scan that reaches the page in a list of the given length.
func scanTo(q Query, total int64) indexScan {
	before := q.Page.Offset()
	w := indexScan{desc: q.Sort.Desc, skip: before, take: min(q.Page.Per, total-before)}
	if after := total - before - w.take; after < before {
		w.desc, w.skip, w.turned = !w.desc, after, true
	}
	return w
}

// walked runs the query of a scan and returns its connections as a page.
func (v Lists) walked(ctx context.Context, q Query, w indexScan, total int64, query string, args ...any) (l domain.List[domain.Connection], err error) {
	l.Total = total
	rows, err := v.db.Query(ctx, query, args...)
	found, err := sqlx.Collect(ctx, rows, err, sqlx.ScanID[domain.ConnectionID])
	if err != nil {
		return l, err
	}
	if w.turned {
		slices.Reverse(found)
	}
	l.Items, err = v.inOrder(ctx, q, found)
	return l, err
}

// scanContents finds a page of the connections by one of several users, or of a channel with so
// many private items that the visible ones are not listed. It reads open and private items
// separately, so that an index serves each condition.
func (v Lists) scanContents(ctx context.Context, q Query, total int64, private privateItems) (domain.List[domain.Connection], error) {
	w := scanTo(q, total)
	key := sortOf(q.Sort).Column()
	_, dir := direction(w.desc)
	order := " ORDER BY k " + dir
	s := sqlx.Args{q.Viewer}
	columns := "SELECT c.id AS id, c." + key + " AS k FROM connections c "
	where := "WHERE c.channel_id = " + s.Add(q.Channel.ID)
	open := " AND c.item_private = FALSE"
	if q.By != 0 {
		where += " AND c.user_id = " + s.Add(q.By)
		open = " AND NOT c.item_private" // SQLite would prefer an index on item_private to the one on the user
	}
	query := columns + where + open + order
	if private.n > 0 {
		limit := sqlx.Limit(s.Add(w.skip + w.take))
		var hidden string
		if private.listed {
			hidden = columns + "WHERE " + v.db.In("c.id", s.Add(sqlx.IDs(v.db.Dialect, idsOf(private.all))))
		} else {
			hidden = columns + "CROSS JOIN channels ch " + where + " AND c.item_type = 'Channel' AND c.item_private = TRUE AND ch.id = c.item_id AND " + access.VisibleChannel
		}
		query = "SELECT id, k FROM (SELECT * FROM (" + query + limit + ") AS open UNION ALL SELECT * FROM (" +
			hidden + order + limit + ") AS private) AS visible" + order
	}
	return v.walked(ctx, q, w, total, "SELECT id FROM ("+query+sqlx.Limit(s.Add(w.take))+" OFFSET "+s.Add(w.skip)+
		") AS paged WHERE CAST($1 AS BIGINT) IS NOT NULL", s...)
}

// updatedContents finds a page by the items' times of change. For blocks, connections have an
// index on that time and counts by it. For channels, only their own rows have it: adding to a
// channel must not cost a write for each channel that contains it. So the query reads all channels
// in this one. At least `passed` blocks come before the page, and the counts skip most of them;
// only the rest is sorted together with the channels.
func (v Lists) updatedContents(ctx context.Context, q Query, total, private int64) (domain.List[domain.Connection], error) {
	w := scanTo(q, total)
	compare, dir := direction(w.desc)
	order := fmt.Sprintf(" ORDER BY k %s, id %s", dir, dir)
	channels := q.Channel.Channels - q.Channel.PrivateItems + private
	passed := max(0, w.skip-channels) // blocks that come before the page in any case
	ahead := w.skip - passed
	s := sqlx.Args{q.Viewer}
	where := "c.channel_id = " + s.Add(q.Channel.ID)
	blocks := " AND c.item_type = 'Block'"
	if q.By != 0 {
		where += " AND c.user_id = " + s.Add(q.By)
		blocks = " AND " + v.db.NoIndex("c.item_type") + " = 'Block'" // avoid the index of all blocks
	} else {
		start, rest, err := counters.NewReads(v.db).StartTime(ctx, q.Channel.ID, w.desc, passed)
		if err != nil {
			return domain.List[domain.Connection]{}, err
		}
		passed = rest
		blocks += " AND c.item_updated_at " + compare + " " + s.Add(start)
	}
	blocks = "SELECT c.id AS id, c.item_updated_at AS k FROM connections c WHERE " + where + blocks + order +
		sqlx.Limit(s.Add(ahead+w.take)) + " OFFSET " + s.Add(passed)
	if channels == 0 {
		return v.walked(ctx, q, w, total, "SELECT id FROM ("+blocks+") AS paged WHERE CAST($1 AS BIGINT) IS NOT NULL", s...)
	}
	query := fmt.Sprintf(`SELECT id FROM (SELECT * FROM (%s) AS part
			UNION ALL SELECT c.id AS id, ch.updated_at AS k FROM connections c CROSS JOIN channels ch
				WHERE %s AND c.item_type = 'Channel' AND ch.id = c.item_id AND %s%s%s OFFSET %s) AS paged`,
		blocks, where, access.For(q.Viewer, access.VisibleChannel, access.GuestChannel), order, sqlx.Limit(s.Add(w.take)), s.Add(ahead))
	return v.walked(ctx, q, w, total, query, s...)
}

func idsOf(all []keyed) []domain.ConnectionID {
	ids := make([]domain.ConnectionID, len(all))
	for i, k := range all {
		ids[i] = k.id
	}
	return ids
}
