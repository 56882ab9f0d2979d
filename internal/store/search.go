package store

import (
	"context"
	"fmt"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/words"
)

// countedUpTo is how many found things are counted one by one. A list that is longer
// says at least so many.
const countedUpTo = 10_000

// SearchQuery asks for a page of documents that the viewer may see. Exact has all of
// them counted, however many there are.
type SearchQuery struct {
	domain.Search
	Viewer domain.UserID
	Words  words.Query // what Query says
	Exact  bool
}

// Search lists what the viewer may see of what is asked for (V3.md section 11). Without
// words, a page costs a walk of an index up to it, and what the viewer sees of private
// things. With words it costs a look at everything that matches.
func (v *Snapshot) Search(ctx context.Context, q SearchQuery) (l domain.List[domain.Subject], err error) {
	if !q.Words.Everything && len(q.Words.Terms) == 0 {
		return l, nil // a query of punctuation
	}
	s := search{SearchQuery: q, d: v.d, args: []any{q.Viewer}}
	if q.Channel != 0 {
		c, err := v.Channel(ctx, q.Viewer, domain.Ref{ID: int64(q.Channel)})
		if domain.KindOf(err) == domain.NotFound && err != nil {
			return l, nil
		}
		if err != nil {
			return l, err
		}
		s.large = c.Contents() > 20_000
	}
	counting := s
	sets := counting.sets(false)
	if l.Total, err = v.countSets(ctx, counting, sets); err != nil {
		return l, err
	}
	if q.Page.Offset() >= l.Total && l.Total < countedUpTo {
		return l, nil
	}
	text := s.page()
	rows, err := v.q.Query(ctx, text, s.args...)
	l.Items, err = collect(ctx, rows, err, scanFound)
	if err != nil || q.Exact {
		return l, err
	}
	// One more than the page was asked for: it tells of the next.
	if n := q.Page.Offset() + int64(len(l.Items)); len(l.Items) > 0 {
		l.Total = max(l.Total, n)
	}
	l.Items = l.Items[:min(int64(len(l.Items)), q.Page.Per)]
	return l, nil
}

// scanFound reads what a document is of.
func scanFound(row scanner) (f domain.Subject, err error) {
	var kind string
	err = row.Scan(&kind, &f.ID)
	f.Type = domain.SubjectType(kind)
	switch f.Type {
	case domain.SubjectChannel, domain.SubjectUser, domain.SubjectGroup:
	default:
		f.Type = domain.SubjectBlock
	}
	return f, err
}

// search builds the statements of one search. The viewer is $1.
type search struct {
	SearchQuery
	d     dialect
	args  []any
	large bool // the channel asked for has very many items

	within bool // one channel is read anyhow, and the items in it once
}

// arg binds a value and gives its placeholder.
func (s *search) arg(value any) string {
	s.args = append(s.args, value)
	return fmt.Sprint("$", len(s.args))
}

// in tests a column against values.
func (s *search) in(column string, values []string) string {
	marks := make([]string, len(values))
	for i, value := range values {
		marks[i] = s.arg(value)
	}
	return column + " IN (" + strings.Join(marks, ", ") + ")"
}

// set is documents that a statement reads together. Sets of one statement are disjoint,
// and those of a lower tier come first.
type set struct {
	from   string
	where  []string
	tier   string
	ranged bool // it is a range of an index that begins with `open`
}

func (a set) and(where ...string) set {
	a.where = append(append([]string(nil), a.where...), where...)
	return a
}

func (a set) text() string { return " FROM " + a.from + " WHERE " + strings.Join(a.where, " AND ") }

// countSets counts what is in sets: all of it if it is to be exact, else up to a bound.
func (v *Snapshot) countSets(ctx context.Context, s search, sets []set) (n int64, err error) {
	most := ""
	if !s.Exact {
		most = limit(s.arg(countedUpTo + 1))
	}
	counts := make([]string, len(sets))
	for i, a := range sets {
		counts[i] = "(SELECT count(*) FROM (SELECT 1 AS one" + a.text() + most + ") AS counted)"
	}
	err = v.q.QueryRow(ctx, "SELECT "+strings.Join(counts, " + "), s.args...).Scan(&n)
	if !s.Exact {
		n = min(n, countedUpTo)
	}
	return n, err
}

// page is the statement that gives the page.
func (s *search) page() string {
	key, dir := s.key()
	per := s.Page.Per
	if !s.Exact {
		per++
	}
	most := limit(s.arg(s.Page.Offset() + per))
	var parts []string
	for _, a := range s.sets(true) {
		k := key
		if k == "" { // the newest document first, which is the order of words
			k = "d.seq"
			if strings.HasPrefix(a.from, "search_words") {
				k = "w.rowid"
			}
		}
		parts = append(parts, fmt.Sprintf(`SELECT * FROM (SELECT %s AS tier, %s AS k, d.item_id AS item_id, d.type AS type%s
			ORDER BY %s%s) AS part`, a.tier, k, a.text(), s.order(a, k, dir), most))
	}
	return fmt.Sprintf("SELECT type, item_id FROM (%s) AS found ORDER BY tier, k %s, item_id %s, type %s%s OFFSET %s",
		strings.Join(parts, " UNION ALL "), dir, dir, dir, limit(s.arg(per)), s.arg(s.Page.Offset()))
}

// order is what a set is ordered by: first by tier where that is not the same for all.
func (s *search) order(a set, key, dir string) string {
	text := key + " " + dir
	if key != "d.seq" && key != "w.rowid" { // which are unique
		text += fmt.Sprintf(", d.item_id %s, d.type %s", dir, dir)
	}
	if strings.HasPrefix(a.tier, "CASE") {
		return a.tier + ", " + text
	}
	return text
}

// key is the column that orders, "" for the newest document, and its direction.
func (s *search) key() (column, dir string) {
	_, dir = direction(s.Sort.Desc)
	switch s.Sort.Key {
	case domain.SearchByUpdated:
		return "d.updated_at", dir
	case domain.SearchByName:
		return "d.name_key", dir
	case domain.SearchByConnections:
		return "d.links", dir
	case domain.SearchByChance:
		return "d.random_key", "ASC"
	case domain.SearchByScore:
		if !s.Words.Everything {
			return "", "DESC"
		}
		return "d.created_at", "DESC"
	}
	return "d.created_at", dir
}
