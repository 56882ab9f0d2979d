package store

import (
	"context"
	"fmt"
	"strings"

	"vitrine/internal/domain"
)

// SearchChannel lists the connections of a channel, from the top, whose items the viewer
// may see and that are what is asked for. The channel itself must be known to be seen.
// Totals are as those of Search.
func (v *Snapshot) SearchChannel(ctx context.Context, q SearchQuery) (l domain.List[domain.Connection], err error) {
	q.Sort = domain.SearchSort{Key: domain.SearchByCreated} // any order but the score, which takes more sets
	s := search{SearchQuery: q, d: v.d, limits: v.search, within: true}
	if some, err := v.begin(ctx, &s); err != nil || !some {
		return l, err
	}
	at := s.arg(q.Channel)
	if s.few != inChannel || q.Words.Everything {
		s.Channel, s.few = 0, "" // joined below
	}
	sets := s.sets(false)
	for i, a := range sets {
		a = a.documented()
		sets[i] = a.and("c.channel_id = "+at, "c.item_type = d.kind", "c.item_id = d.item_id")
		sets[i].from = a.from + " CROSS JOIN connections c"
		if q.Words.Everything {
			sets[i].from = "connections c CROSS JOIN " + a.from
		}
	}
	counted, err := v.countSets(ctx, s, sets)
	l.Total = min(counted, countedUpTo)
	if err != nil || q.Page.Offset() >= l.Total && l.Total < countedUpTo {
		return l, err
	}
	var parts []string
	for _, a := range sets {
		parts = append(parts, "SELECT c.id AS id, c.position_key AS k"+a.text())
	}
	rows, err := v.q.Query(ctx, s.with(fmt.Sprintf("SELECT id FROM (%s) AS found ORDER BY k DESC%s OFFSET %s",
		strings.Join(parts, " UNION ALL "), limit(s.arg(q.Page.Per+1)), s.arg(q.Page.Offset()))), s.args...)
	ids, err := collect(ctx, rows, err, func(row scanner) (id domain.ConnectionID, err error) {
		err = row.Scan(&id)
		return id, err
	})
	if err != nil {
		return l, err
	}
	if len(ids) > 0 {
		l.Total = max(l.Total, q.Page.Offset()+int64(len(ids)))
	}
	if l.Items, err = v.connectionsInOrder(ctx, ids[:min(int64(len(ids)), q.Page.Per)]); err != nil {
		return l, err
	}
	return l, v.place(ctx, l.Items)
}
