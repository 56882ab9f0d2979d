package store

import (
	"context"
	"fmt"
	"strings"

	"vitrine/internal/domain"
)

// scan says which connections of a channel scanContents walks: those of open items,
// and those of private ones that the viewer may see, if there are any. They are
// conditions apart, each met by an index.
type scan struct {
	where []string
	args  []any
}

func (v *Snapshot) scanOf(q ContentsQuery, private []keyed) scan {
	open, by := "channel_id = $1 AND item_private = FALSE", ""
	s := scan{args: []any{q.Channel.ID}}
	if q.By != 0 {
		// NOT, because SQLite would prefer an index on item_private to that on the user.
		open, by = "channel_id = $1 AND user_id = $2 AND NOT item_private", " AND user_id = $2"
		s.args = append(s.args, q.By)
	}
	s.where = []string{open}
	if len(private) > 0 {
		ids := make([]domain.ConnectionID, len(private))
		for i, k := range private {
			ids[i] = k.id
		}
		s.args = append(s.args, list(v.d, ids))
		s.where = append(s.where, v.d.in("id", fmt.Sprint("$", len(s.args)))+by)
	}
	return s
}

// count is how many connections the scan has.
func (v *Snapshot) count(ctx context.Context, s scan) (n int64, err error) {
	counts := make([]string, len(s.where))
	for i, where := range s.where {
		counts[i] = "(SELECT count(*) FROM connections WHERE " + where + ")"
	}
	err = v.q.QueryRow(ctx, "SELECT "+strings.Join(counts, " + "), s.args...).Scan(&n)
	return n, err
}

// scanContents finds the page by walking an index up to the offset.
func (v *Snapshot) scanContents(ctx context.Context, q ContentsQuery, private []keyed) (l domain.List[domain.Connection], err error) {
	s := v.scanOf(q, private)
	l.Total = q.Channel.Contents() - q.Channel.PrivateItems + int64(len(private))
	if q.By != 0 {
		if l.Total, err = v.count(ctx, s); err != nil {
			return l, err
		}
	}
	if q.Page.Offset() >= l.Total {
		return l, nil
	}
	found, err := v.walk(ctx, q, s)
	if err != nil {
		return l, err
	}
	if l.Items, err = v.connectionsInOrder(ctx, found); err != nil {
		return l, err
	}
	return l, v.place(ctx, l.Items)
}

// walk gives the connections of the page in order.
func (v *Snapshot) walk(ctx context.Context, q ContentsQuery, s scan) ([]domain.ConnectionID, error) {
	key := map[domain.ContentKey]string{domain.ByPosition: "position_key", domain.ByConnected: "created_at",
		domain.ByUpdated: "item_updated_at"}[q.Sort.Key]
	_, dir := direction(q.Sort.Desc)
	order := fmt.Sprintf(" ORDER BY %s %s, id %s", key, dir, dir)
	part := func(where string) string { return "SELECT id, " + key + " FROM connections WHERE " + where + order }
	query, args := part(s.where[0]), append(s.args, q.Page.Per, q.Page.Offset())
	if len(s.where) > 1 {
		args = append(args, q.Page.Offset()+q.Page.Per)
		most := limit(fmt.Sprint("$", len(args)))
		query = "SELECT id, " + key + " FROM (SELECT * FROM (" + part(s.where[0]) + most + ") AS open UNION ALL SELECT * FROM (" +
			part(s.where[1]) + most + ") AS private) AS visible" + order
	}
	n := len(s.args)
	rows, err := v.q.Query(ctx, fmt.Sprintf("%s%s OFFSET $%d", query, limit(fmt.Sprint("$", n+1)), n+2), args...)
	page, err := collect(ctx, rows, err, scanKeyed)
	ids := make([]domain.ConnectionID, len(page))
	for i, k := range page {
		ids[i] = k.id
	}
	return ids, err
}
