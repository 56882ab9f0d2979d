package store

import (
	"context"
	"fmt"
	"slices"

	"vitrine/internal/domain"
)

// walk is a way along an index to a page: past some connections, in one direction. It
// begins at the nearer end of the list, so that what it finds may have to be turned round.
type walk struct {
	desc       bool
	skip, take int64
	turned     bool
}

// walkTo gives the way to the page of a list of so many connections.
func walkTo(q ContentsQuery, total int64) walk {
	before := q.Page.Offset()
	w := walk{desc: q.Sort.Desc, skip: before, take: min(q.Page.Per, total-before)}
	if after := total - before - w.take; after < before {
		w.desc, w.skip, w.turned = !w.desc, after, true
	}
	return w
}

// walked gives the page that a statement found at the end of the way, as ids.
func (v *Snapshot) walked(ctx context.Context, w walk, total int64, query string, args ...any) (l domain.List[domain.Connection], err error) {
	l.Total = total
	rows, err := v.q.Query(ctx, query, args...)
	found, err := collect(ctx, rows, err, func(row scanner) (id domain.ConnectionID, err error) {
		err = row.Scan(&id)
		return id, err
	})
	if err != nil {
		return l, err
	}
	if w.turned {
		slices.Reverse(found)
	}
	if l.Items, err = v.connectionsInOrder(ctx, found); err != nil {
		return l, err
	}
	return l, v.place(ctx, l.Items)
}

// scanContents finds a page of what one of several connected, or of a channel with so many
// private items that those which the viewer sees are not listed: of open items, and of
// private ones. Those are conditions apart, each met by an index.
func (v *Snapshot) scanContents(ctx context.Context, q ContentsQuery, total int64, private privateItems) (domain.List[domain.Connection], error) {
	w := walkTo(q, total)
	key := sortOf(q.Sort).column()
	_, dir := direction(w.desc)
	order := " ORDER BY k " + dir
	s := statement{args: []any{q.Viewer}}
	columns := "SELECT c.id AS id, c." + key + " AS k FROM connections c "
	where := "WHERE c.channel_id = " + s.arg(q.Channel.ID)
	open := " AND c.item_private = FALSE"
	if q.By != 0 {
		where += " AND c.user_id = " + s.arg(q.By)
		open = " AND NOT c.item_private" // SQLite would prefer an index on item_private to that on the user
	}
	query := columns + where + open + order
	if private.n > 0 {
		most := limit(s.arg(w.skip + w.take))
		var hidden string
		if private.listed {
			hidden = columns + "WHERE " + v.d.in("c.id", s.arg(list(v.d, idsOf(private.all))))
		} else {
			hidden = columns + "CROSS JOIN channels ch " + where + " AND c.item_type = 'Channel' AND c.item_private = TRUE AND ch.id = c.item_id AND " + visibleChannel
		}
		query = "SELECT id, k FROM (SELECT * FROM (" + query + most + ") AS open UNION ALL SELECT * FROM (" +
			hidden + order + most + ") AS private) AS visible" + order
	}
	return v.walked(ctx, w, total, "SELECT id FROM ("+query+limit(s.arg(w.take))+" OFFSET "+s.arg(w.skip)+
		") AS paged WHERE CAST($1 AS BIGINT) IS NOT NULL", s.args...)
}

// updatedContents finds a page by the items' times of change. Blocks have theirs in an
// index of connections, and are counted by it. Channels have it in their own rows alone:
// what is added to one shall not cost a write for each channel that it is in, so all
// channels that are in this one are looked up. What is before a page is blocks but for so
// many: all others are passed by their counts, and only the rest has to be sorted together
// with the channels.
func (v *Snapshot) updatedContents(ctx context.Context, q ContentsQuery, total, private int64) (domain.List[domain.Connection], error) {
	w := walkTo(q, total)
	compare, dir := direction(w.desc)
	order := fmt.Sprintf(" ORDER BY k %s, id %s", dir, dir)
	channels := q.Channel.Channels - q.Channel.PrivateItems + private
	passed := max(0, w.skip-channels) // blocks that are before the page in any case
	ahead := w.skip - passed
	s := statement{args: []any{q.Viewer}}
	where := "c.channel_id = " + s.arg(q.Channel.ID)
	blocks := " AND c.item_type = 'Block'"
	if q.By != 0 {
		where += " AND c.user_id = " + s.arg(q.By)
		blocks = " AND " + v.d.noIndex("c.item_type") + " = 'Block'" // not the index of all blocks
	} else {
		start, rest, err := v.startTime(ctx, q.Channel.ID, w.desc, passed)
		if err != nil {
			return domain.List[domain.Connection]{}, err
		}
		passed = rest
		blocks += " AND c.item_updated_at " + compare + " " + s.arg(start)
	}
	blocks = "SELECT c.id AS id, c.item_updated_at AS k FROM connections c WHERE " + where + blocks + order +
		limit(s.arg(ahead+w.take)) + " OFFSET " + s.arg(passed)
	if channels == 0 {
		return v.walked(ctx, w, total, "SELECT id FROM ("+blocks+") AS paged WHERE CAST($1 AS BIGINT) IS NOT NULL", s.args...)
	}
	query := fmt.Sprintf(`SELECT id FROM (SELECT * FROM (%s) AS part
			UNION ALL SELECT c.id AS id, ch.updated_at AS k FROM connections c CROSS JOIN channels ch
				WHERE %s AND c.item_type = 'Channel' AND ch.id = c.item_id AND %s%s%s OFFSET %s) AS paged`,
		blocks, where, to(q.Viewer, visibleChannel, guestChannel), order, limit(s.arg(w.take)), s.arg(ahead))
	return v.walked(ctx, w, total, query, s.args...)
}

func idsOf(all []keyed) []domain.ConnectionID {
	ids := make([]domain.ConnectionID, len(all))
	for i, k := range all {
		ids[i] = k.id
	}
	return ids
}
