package search

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/sqlx"
)

// triesRare reports whether a search may first look for few matches: if it has words and covers everything.
func (f Finder) triesRare(q Query) bool {
	return f.Limits.Rare > 0 && q.Among == nil && !q.Words.Everything && q.Channel == 0 && q.Group == 0 && q.address() == 0 && engineOf(f.Dialect).mayBeRare(q.Words)
}

// rareMatches returns the page and its exact total with one statement, if the words occur fewer than Limits.Few times and
// nothing is pending. Otherwise all is false and the list must be found in another way. opened is then the number of
// open documents with the words, counted up to one more than the limit, or -1 if the statement does not return it. It
// looks up each closed document's visibility, so that the viewer's private channels need not be read first.
func (f Finder) rareMatches(ctx context.Context, q Query) (l domain.List[domain.Subject], all bool, opened int64, err error) {
	s := renderRare(f.Dialect, q, f.Limits)
	opened = -1
	rows, err := f.Query(ctx, s.text, s.args...)
	found, err := sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (found domain.Subject, err error) {
		var typ string
		var total int64
		if err = row.Scan(&typ, &found.ID, &total); typ == "" { // the first row
			if all = found.ID != 0; all {
				l.Total = total
			} else {
				opened = total
			}
			return found, err
		}
		found.Type = subjectType(typ)
		return found, err
	})
	for _, each := range found {
		if each.Type != "" {
			l.Items = append(l.Items, each)
		}
	}
	return l, all, opened, err
}

// countsAtOnce reports whether the statement for few matches also counts the open ones if there are many. It does so if
// the search would count these next, and they have been gathered already, which for a common word takes as long as
// counting.
func countsAtOnce(q Query, table string) bool {
	return table != "" && len(q.filters()) == 0 && q.Sort.Key != domain.SearchByChance // a search in random order counts more than that
}

// renderRare writes the statement of rareMatches. Its first row has no type and says whether all was read, and the total
// or what else is known. The page follows.
func renderRare(d sqlx.Dialect, q Query, limits Limits) statement {
	stats := statistics{limits: limits}
	p := plan{goal: pageAndTotal, private: privateUnlisted, skip: q.offset(), take: q.Page.Per, order: chooseOrder(q, stats, pageAndTotal)}
	r := renderer{Dialect: d, q: q, is: stats, plan: p, args: sqlx.Args{q.Viewer}}
	limit := r.args.Add(limits.Rare)
	table, some, rank := r.engine().some(&r, limit)
	many := "-1"
	if countsAtOnce(q, table) {
		many = "(SELECT count(*) FROM (SELECT 1 AS one FROM matched WHERE NOT (" + r.engine().closed("matched.seq") + ")" +
			sqlx.Limit(r.args.Add(limits.countTo())) + ") AS counted)"
	}
	if table != "" {
		table += ", "
	}
	places := "SELECT * FROM (" + some + ") AS part"
	s := scan{from: "(SELECT seq, min(tier) AS tier FROM places WHERE (SELECT whole FROM extent) GROUP BY seq) AS few CROSS JOIN search_documents d",
		seq: "d.seq", tier: "0"}.and("d.seq = few.seq")
	switch {
	case q.Sort.Key == domain.SearchByScore:
		if q.name() != "" {
			places += " UNION ALL SELECT * FROM (SELECT d.seq, " + tierNamed.String() + " FROM search_documents d WHERE d.open IN (TRUE, FALSE) AND d.name_key = " +
				r.args.Add(q.name()) + sqlx.Limit(limit) + ") AS part"
		}
		s.tier = r.named(rank)
	case p.order.by == columnName:
		s = r.ranked(part{half: eitherHalf}, s)
	}
	for _, f := range q.filters() {
		s = s.and(r.check(f)...)
	}
	shown := part{show: showVisible}
	if q.Viewer == 0 {
		shown.show = showOpen
	}
	s = s.and(r.shows(shown)...)
	return statement{"WITH " + table + "places (seq, tier) AS MATERIALIZED (" + places + "), " +
		"extent (whole) AS MATERIALIZED (SELECT count(*) < " + limit + " AND NOT " + access.Pending + " FROM places), " +
		"found (tier, k, item_id, type) AS MATERIALIZED (SELECT " + s.tier + ", " + r.key(s) + ", d.item_id, d.type" + s.text() + ") " +
		"SELECT '' AS type, CASE WHEN whole THEN 1 ELSE 0 END AS item_id, CASE WHEN whole THEN (SELECT count(*) FROM found) ELSE " + many + " END AS total FROM extent " +
		"UNION ALL SELECT * FROM (SELECT type, item_id, 0 FROM found ORDER BY tier, k " + r.dir() + ", item_id " + r.dir() + ", type " + r.dir() +
		sqlx.Limit(r.args.Add(p.take)) + " OFFSET " + r.args.Add(p.skip) + ") AS page", r.args}
}
