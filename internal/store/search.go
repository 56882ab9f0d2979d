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

// SearchQuery asks for a page of documents that the viewer may see.
type SearchQuery struct {
	domain.Search
	Viewer domain.UserID
	Words  words.Query // what Query says
}

// Search lists what the viewer may see of what is asked for (behaviour.md section 11).
// Without words, a page costs a walk of an index up to it, and what the viewer sees of
// private things. With words, newest first, it costs a walk of what matches up to the page,
// and what has the words in its title; in other orders a look at everything that matches. A
// filter that few things pass is read first, and then all that passes it.
func (v *Snapshot) Search(ctx context.Context, q SearchQuery) (l domain.List[domain.Subject], err error) {
	s := search{SearchQuery: q, d: v.d, limits: v.search}
	if some, err := v.begin(ctx, &s); err != nil || !some {
		return l, err
	}
	if s.few != "" {
		return v.searchFew(ctx, s)
	}
	counted, err := v.countFound(ctx, s)
	l.Total = min(counted, countedUpTo)
	if err != nil || q.Page.Offset() >= l.Total && l.Total < countedUpTo {
		return l, err
	}
	if counted <= s.limits.Shuffled {
		s.shuffle()
	}
	bound := v.findRecent
	if q.Words.Everything {
		bound = v.pageBoundary
	}
	if err := bound(ctx, &s); err != nil {
		return l, err
	}
	text := s.page()
	rows, err := v.q.Query(ctx, text, s.args...)
	l.Items, err = collect(ctx, rows, err, func(row scanner) (domain.Subject, error) { return scanFound(row) })
	if err != nil {
		return l, err
	}
	// One more than the page was asked for: it tells of the next.
	if n := q.Page.Offset() + int64(len(l.Items)); len(l.Items) > 0 {
		l.Total = max(l.Total, n)
	}
	l.Items = l.Items[:min(int64(len(l.Items)), q.Page.Per)]
	return l, nil
}

// begin readies a search for its statements. It reports whether there can be anything to
// find.
func (v *Snapshot) begin(ctx context.Context, s *search) (some bool, err error) {
	if !s.Words.Everything && len(s.Words.Terms) == 0 {
		return false, nil // a query of punctuation
	}
	s.arg(s.Viewer)
	if s.ahead, err = v.isSettling(ctx); err != nil {
		return false, err
	}
	if s.Words, err = v.expandPrefix(ctx, s.Words); err != nil {
		return false, err
	}
	return v.measure(ctx, s)
}

// searchFew lists what passes a filter that few things pass, counted exactly.
func (v *Snapshot) searchFew(ctx context.Context, s search) (l domain.List[domain.Subject], err error) {
	whole := s
	whole.shuffle()
	text := whole.whole()
	rows, err := v.q.Query(ctx, text, whole.args...)
	l.Items, err = collect(ctx, rows, err, func(row scanner) (domain.Subject, error) { return scanFound(row, &l.Total) })
	if err == nil && len(l.Items) == 0 && s.Page.Number > 1 {
		l.Total, err = v.countFound(ctx, s)
		l.Total = min(l.Total, countedUpTo)
	}
	return l, err
}

// countFound counts what a search finds, up to one more than the bound.
func (v *Snapshot) countFound(ctx context.Context, s search) (int64, error) {
	if s.enough {
		return countedUpTo + 1, nil
	}
	if s.Words.Everything && s.few == "" { // the order does not matter here
		switch {
		case s.Channel != 0:
			s.few = inChannel
		case s.Scope == domain.SearchFollowing:
			s.few = string(s.Scope)
		}
	}
	return v.countSets(ctx, s, s.sets(false))
}

// scanFound reads what a document is of.
func scanFound(row scanner, more ...any) (f domain.Subject, err error) {
	var kind string
	err = row.Scan(append([]any{&kind, &f.ID}, more...)...)
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
	d      dialect
	limits SearchLimits
	args   []any

	private string // binds the private channels that the viewer may see, if there are any
	many    bool   // there are too many to be bound
	seen    int64  // how many blocks are in them
	recent  int64  // the number from which on only a few documents are closed

	few    string // the name of the filter that is read first, if there is one
	least  int64  // how many documents are counted of it, where it is measured
	enough bool   // there are more than are counted
	beyond string // a condition that the closed documents meet that can be on the page, if these are few
	items  int64  // how many things are in the channel asked for, but private ones
	secret bool   // the channel asked for is private
	ahead  bool   // something is pending: what is open is not what documents say
	within bool   // one channel is read anyhow, and the items in it once

	shuffled string // what the order by chance goes by where it is one of the seed's own
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

// countSets counts what is in sets, up to one more than the bound.
func (v *Snapshot) countSets(ctx context.Context, s search, sets []set) (n int64, err error) {
	parts := make([]string, len(sets))
	for i, a := range sets {
		parts[i] = "SELECT 1 AS one" + a.text()
	}
	// One limit for all, so that what comes later is not even read.
	query := "SELECT count(*) FROM (" + strings.Join(parts, " UNION ALL ") + limit(s.arg(countedUpTo+1)) + ") AS counted"
	err = v.q.QueryRow(ctx, s.with(query), s.args...).Scan(&n)
	return n, err
}
