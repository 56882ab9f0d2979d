package store

import (
	"context"
	"fmt"
	"math"
	"slices"

	"vitrine/internal/domain"
)

// nearMost is how many connections a walk may pass before its start is looked up.
const nearMost = 100

// walk is a way along an index to a page: from a key, if the order is known there, past
// some connections, in one direction. It begins at the nearer end of the list, so that
// what it finds may have to be turned round.
type walk struct {
	desc       bool
	start      int64
	skip, take int64
	turned     bool
}

// walkTo gives the way to the page of a list of so many connections.
func (v *Snapshot) walkTo(ctx context.Context, q ContentsQuery, total int64, private []keyed) (w walk, err error) {
	before := q.Page.Offset()
	w = walk{desc: q.Sort.Desc, skip: before, take: min(q.Page.Per, total-before)}
	if after := total - before - w.take; after < before {
		w.desc, w.skip, w.turned = !w.desc, after, true
	}
	w.start = math.MinInt64
	if w.desc {
		w.start = math.MaxInt64
	}
	if q.By == 0 && w.skip > nearMost {
		w.start, w.skip, err = v.startTime(ctx, q.Channel.ID, w.desc, w.skip, seenOf(private, q.Channel))
	}
	return w, err
}

// scanContents finds the page by walking an index.
func (v *Snapshot) scanContents(ctx context.Context, q ContentsQuery, total int64, private []keyed) (l domain.List[domain.Connection], err error) {
	l.Total = total
	w, err := v.walkTo(ctx, q, total, private)
	if err != nil {
		return l, err
	}
	found, err := v.walk(ctx, q, w, private)
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

// walk gives the connections at the end of the way: of open items, and of the given
// private ones. Those are conditions apart, each met by an index.
func (v *Snapshot) walk(ctx context.Context, q ContentsQuery, w walk, private []keyed) ([]domain.ConnectionID, error) {
	key := contentColumns[q.Sort.Key]
	compare, dir := direction(w.desc)
	args := []any{q.Channel.ID, w.start, w.take, w.skip}
	open := "channel_id = $1 AND item_private = FALSE AND " + key + compare + " $2"
	if q.By != 0 {
		// NOT, because SQLite would prefer an index on item_private to that on the user.
		open = "channel_id = $1 AND user_id = $2 AND NOT item_private"
		args[1] = q.By
	}
	order := fmt.Sprintf(" ORDER BY %s %s, id %s", key, dir, dir)
	part := func(where string) string { return "SELECT id, " + key + " FROM connections WHERE " + where + order }
	query := part(open)
	if ids := w.passes(private); len(ids) > 0 {
		args = append(args, w.skip+w.take, list(v.d, ids))
		most := limit("$5")
		query = "SELECT id, " + key + " FROM (SELECT * FROM (" + query + most + ") AS open UNION ALL SELECT * FROM (" +
			part(v.d.in("id", "$6")) + most + ") AS private) AS visible" + order
	}
	rows, err := v.q.Query(ctx, query+limit("$3")+" OFFSET $4", args...)
	page, err := collect(ctx, rows, err, scanKeyed)
	return idsOf(page), err
}

// passes gives those of the connections that are on the way.
func (w walk) passes(all []keyed) []domain.ConnectionID {
	return idsOf(slices.DeleteFunc(slices.Clone(all), func(k keyed) bool {
		return k.key != w.start && k.key < w.start != w.desc
	}))
}

func idsOf(all []keyed) []domain.ConnectionID {
	ids := make([]domain.ConnectionID, len(all))
	for i, k := range all {
		ids[i] = k.id
	}
	return ids
}
