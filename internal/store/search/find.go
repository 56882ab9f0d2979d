package search

import (
	"context"
	"errors"
	"slices"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
	"vitrine/internal/words"
)

// Search lists the results of a query that the viewer may see (behaviour.md section 11). Without words, a page costs
// reading an index up to it, and the viewer's private things. With words, newest first, it costs reading the matches up
// to the page, and those in titles; in other orders it costs reading all matches. A filter that few things pass is read
// first, and then everything that passes it. By score, results with the words themselves come before those with other
// forms of them, which are not listed if the former are too many to be counted.
func (f Finder) Search(ctx context.Context, q Query) (l domain.List[domain.Subject], err error) {
	if len(q.Words.Terms) == 0 && !q.Words.Everything {
		return l, nil // a query of punctuation
	}
	if q.Sort.Key == domain.SearchByValue {
		return f.byValue(ctx, q)
	}
	if q.Sort.Key != domain.SearchByScore || !q.Words.HasForms() {
		return f.search(ctx, q)
	}
	exact, others := q, q
	exact.Words, others.Words.Inexact = q.Words.Exact(), true
	if _, isKnown := f.Known.find(exact); !isKnown && f.triesRare(q) {
		few := q
		if !engineOf(f.Dialect).quick(q.Words) {
			if few.Words, err = f.expandPrefix(ctx, q.Words); err != nil {
				return l, err
			}
		}
		if l, all, _, err := f.rareMatches(ctx, few); all || err != nil {
			return l, err
		}
	}
	if l, err = f.search(ctx, exact); err != nil || l.Total >= f.Limits.counted() {
		return l, err
	}
	others.before = l.Total
	more, err := f.search(ctx, others)
	l.Items = append(l.Items, more.Items[:min(int(q.Page.Per)-len(l.Items), len(more.Items))]...)
	l.Total = min(l.Total+more.Total, max(f.Limits.counted(), q.Page.Offset()+int64(len(l.Items))+1))
	return l, err
}

// search is Search without distinguishing the forms of words.
func (f Finder) search(ctx context.Context, q Query) (l domain.List[domain.Subject], err error) {
	known, isKnown := f.Known.find(q)
	few, opened := !isKnown && f.triesRare(q), int64(-1)
	if few && engineOf(f.Dialect).quick(q.Words) {
		var all bool
		if l, all, opened, err = f.rareMatches(ctx, q); all || err != nil {
			return l, err
		}
		few = false
	}
	if q.Words, err = f.expandPrefix(ctx, q.Words); err != nil {
		return l, err
	}
	if few {
		var all bool
		if l, all, opened, err = f.rareMatches(ctx, q); all || err != nil {
			return l, err
		}
	}
	stats, some, err := f.gather(ctx, q)
	if err != nil || !some {
		return l, err
	}
	if l, found := f.Known.page(q, stats); found {
		return l, nil
	}
	before := stats
	if !stats.pending {
		stats.opened = opened
	}
	if isKnown {
		known.use(q, &stats)
		if err := f.titled(ctx, q, known, &stats); err != nil {
			return l, err
		}
	}
	if l, err = f.planned(ctx, q, stats); err == nil {
		f.Known.keepPage(q, before, l)
	}
	return l, err
}

// NewResults lists the newest results of others, up to the page's size, among the documents with the numbers of q.New. It
// reads only these documents, or only their words.
func (f Finder) NewResults(ctx context.Context, q Query) (l domain.List[domain.Subject], err error) {
	q, stats, some, err := f.prepared(ctx, q)
	if err != nil || !some {
		return l, err
	}
	return f.pageAndTotal(ctx, q, stats, choose(q, stats))
}

// prepared expands the last word of a query and collects its statistics. some is false if it finds nothing.
func (f Finder) prepared(ctx context.Context, q Query) (_ Query, stats statistics, some bool, err error) {
	if len(q.Words.Terms) == 0 && !q.Words.Everything {
		return q, stats, false, nil
	}
	if q.Words, err = f.expandPrefix(ctx, q.Words); err != nil {
		return q, stats, false, err
	}
	stats, some, err = f.gather(ctx, q)
	return q, stats, some, err
}

// sameName is the maximum number of closed things of a name that Named examines.
const sameName = 1_000

// Named returns the id of the thing of a kind that has a name and that the viewer sees, or 0. If several channels have the
// name, it prefers the viewer's own, then the oldest. It reads the viewer's channels separately, because strangers may have
// many private channels of that name.
func (f Finder) Named(ctx context.Context, viewer domain.UserID, kind domain.SubjectType, name string) (id int64, err error) {
	key := words.Key(name)
	if key == "" || len(key) >= words.LongestKey {
		return 0, nil
	}
	visible := touchViewer
	if kind == domain.SubjectChannel {
		visible = channelSeen("d")
	}
	const named = "SELECT d.item_id FROM search_documents d WHERE d.name_key = $2 AND d.type = $3 AND "
	first := " AND " + visible + " ORDER BY d.item_id LIMIT 1"
	err = f.QueryRow(ctx, "SELECT item_id FROM (SELECT 0 AS part, item_id FROM ("+named+"d.author_id = $1 AND d.kind = 'Channel'"+first+") AS own"+
		" UNION ALL SELECT 1, item_id FROM ("+named+"d.open = TRUE"+first+") AS everyones"+
		" UNION ALL SELECT 1, item_id FROM (SELECT d.item_id FROM ("+named+"d.open = FALSE ORDER BY d.item_id"+sqlx.Limit("$4")+") AS d WHERE "+visible+") AS closed"+
		") AS found ORDER BY part, item_id LIMIT 1", viewer, key, kind, sameName).Scan(&id)
	if errors.Is(err, database.ErrNoRows) {
		return 0, nil
	}
	return id, err
}

// planned lists the results with the plan that fits the statistics.
func (f Finder) planned(ctx context.Context, q Query, stats statistics) (l domain.List[domain.Subject], err error) {
	limit := f.Limits.counted()
	if err := f.measure(ctx, q, &stats); err != nil {
		return l, err
	}
	p := choose(q, stats)
	if p.goal == pageAndTotal {
		if l, err = f.pageAndTotal(ctx, q, stats, p); err == nil && len(l.Items) == 0 && q.offset() > 0 {
			err = f.count(ctx, q, &stats, chooseCount(q, stats))
			l.Total = min(stats.counted, limit)
		}
		if total := l.Total; err == nil && q.Channel != 0 && len(l.Items) > 0 { // the statement has returned the total
			if p.driver == noFilter && total > stats.limits.AtOnce {
				total = -1
			}
			f.Known.learn(q, stats, l.Total-(stats.channel.items-stats.channel.open), total)
		}
		if err != nil || p.driver != noFilter || l.Total <= stats.limits.AtOnce && stats.counted <= stats.limits.AtOnce {
			return l, err
		}
		if l.Total > limit {
			stats.counted = l.Total
		}
	}
	switch {
	case stats.counted >= 0:
	case manyFound(q, stats):
		stats.counted = limit + 1
	default:
		if err := f.count(ctx, q, &stats, chooseCount(q, stats)); err != nil {
			return l, err
		}
		if q.Channel == 0 {
			f.Known.learn(q, stats, stats.open, -1)
		}
	}
	l.Total = min(stats.counted, limit)
	if q.offset() >= l.Total && l.Total < limit {
		return l, nil
	}
	if wantsEdge(q, stats) {
		if stats.edge, err = f.measureEdge(ctx, q, stats); err != nil {
			return l, err
		}
	}
	s := render(f.Dialect, q, stats, choose(q, stats))
	rows, err := f.Query(ctx, s.text, s.args...)
	l.Items, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (domain.Subject, error) { return scanFound(row) })
	if err == nil && stats.nearest() && int64(len(l.Items)) < min(q.Page.Per+1, l.Total-q.offset()) {
		f.Known.tooFar(q)
		f.Known = nil
		return f.search(ctx, q)
	}
	l.Items, l.Total = cut(q, l.Items, l.Total)
	return l, err
}

// maxTitled is the maximum number of matches in titles that are remembered.
const maxTitled = 250

// PlaceOf returns the place of a thing that a search has found.
func (f Finder) PlaceOf(ctx context.Context, found domain.Subject) (p Place, err error) {
	err = f.QueryRow(ctx, "SELECT seq, created_at, item_id, type FROM search_documents WHERE kind = $1 AND item_id = $2", found.Type, found.ID).
		Scan(&p.Number, &p.Created, &p.Item, &p.Type)
	return p, sqlx.Found(err)
}

// titled lists the matches in titles, if the engine is slow to find them and they are few.
func (f Finder) titled(ctx context.Context, q Query, b bound, stats *statistics) error {
	if !stats.known || stats.byRow || q.Channel != 0 || q.Sort.Key != domain.SearchByScore {
		return nil
	}
	t := b.titled
	if t == nil || t.removals != stats.removals || t.upTo > stats.documents || stats.documents-t.upTo > stats.limits.Nearest {
		e := engineOf(f.Dialect)
		rows, err := f.Query(ctx, "SELECT w.rowid FROM search_words w WHERE "+e.matches("$1", q.titlePlace())+" ORDER BY w.rowid DESC LIMIT $2",
			e.query(q.Words, q.titlePlace()), maxTitled+1)
		seqs, err := sqlx.Collect(ctx, rows, err, sqlx.ScanInt64)
		if err != nil {
			return err
		}
		t = &titled{seqs: seqs, upTo: stats.documents, removals: stats.removals}
		if t.many = len(seqs) > maxTitled; t.many {
			t.seqs = nil
		}
		f.Known.keepTitled(q, t)
	}
	if !t.many {
		stats.titled = t
	}
	return nil
}

// InChannel lists the connections of a channel, from the top, whose items match the query and are visible to the viewer.
// The caller has checked that the channel is. Totals are like those of Search.
func (f Finder) InChannel(ctx context.Context, q Query) (l domain.List[domain.ConnectionID], err error) {
	q.Sort = domain.SearchSort{Key: domain.SearchByCreated} // any order except the score, which takes more parts
	q, stats, some, err := f.prepared(ctx, q)
	if err != nil || !some {
		return l, err
	}
	err = f.count(ctx, q, &stats, chooseInChannel(q, stats, countOnly))
	l.Total = min(stats.counted, f.Limits.counted())
	if err != nil || q.Page.Offset() >= l.Total && l.Total < f.Limits.counted() {
		return l, err
	}
	s := render(f.Dialect, q, stats, chooseInChannel(q, stats, somePage))
	rows, err := f.Query(ctx, s.text, s.args...)
	l.Items, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (id domain.ConnectionID, err error) {
		err = row.Scan(&id)
		return id, err
	})
	l.Items, l.Total = cut(q, l.Items, l.Total)
	return l, err
}

// cut removes the extra result that shows whether there is a next page, and raises the total to at least the results
// seen.
func cut[T any](q Query, found []T, total int64) ([]T, int64) {
	n := int64(len(found))
	if n > 0 {
		total = max(total, q.offset()+n)
	}
	return found[:min(n, q.Page.Per)], total
}

// count counts the results of a plan, up to one more than the limit. Open ones that were counted before are not counted
// again.
func (f Finder) count(ctx context.Context, q Query, stats *statistics, p plan) error {
	if stats.opened >= 0 {
		p.parts = slices.DeleteFunc(slices.Clone(p.parts), func(a part) bool { return a.show == showOpen })
		stats.counted, stats.open, stats.within = stats.opened, stats.opened, stats.documents
		if stats.opened > f.Limits.counted() || len(p.parts) == 0 {
			return nil
		}
		var closed int64
		s := render(f.Dialect, q, *stats, p)
		err := f.QueryRow(ctx, s.text, s.args...).Scan(&closed)
		stats.counted = min(stats.opened+closed, f.Limits.countTo())
		return err
	}
	s := render(f.Dialect, q, *stats, p)
	var span int64
	into := []any{&stats.counted}
	if countsOpen(q, *stats) {
		into = append(into, &stats.open, &span)
	}
	err := f.QueryRow(ctx, s.text, s.args...).Scan(into...)
	if stats.open > 0 {
		stats.within = span
	}
	return err
}

// countsOpen reports whether a count also returns how many results are known to be open, and among how many documents
// they are.
func countsOpen(q Query, stats statistics) bool {
	_, bounded := keyOf(q)
	return stats.opened < 0 && (bounded && q.Channel == 0 || stats.byRow && q.Sort.Key == domain.SearchByChance)
}

// pageAndTotal lists what passes a filter that few things pass, with an exact total.
func (f Finder) pageAndTotal(ctx context.Context, q Query, stats statistics, p plan) (l domain.List[domain.Subject], err error) {
	s := render(f.Dialect, q, stats, p)
	rows, err := f.Query(ctx, s.text, s.args...)
	l.Items, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (domain.Subject, error) { return scanFound(row, &l.Total) })
	return l, err
}

// scanFound reads the subject of a document.
func scanFound(row sqlx.Row, more ...any) (found domain.Subject, err error) {
	var typ string
	err = row.Scan(append([]any{&typ, &found.ID}, more...)...)
	found.Type = subjectType(typ)
	return found, err
}

// subjectType returns the subject's type for a document's type, which for a block is that of the block.
func subjectType(typ string) domain.SubjectType {
	switch t := domain.SubjectType(typ); t {
	case domain.SubjectChannel, domain.SubjectUser, domain.SubjectGroup:
		return t
	}
	return domain.SubjectBlock
}
