package store

import (
	"context"
	"database/sql"
	"errors"
)

// findRecent finds from which number on few documents are closed. The first pages of what
// has words mostly end there.
func (v *Snapshot) findRecent(ctx context.Context, s *search) error {
	if _, dir := s.key(); s.private == "" || dir == "ASC" || s.limits.OnPage == 0 || s.ahead {
		return nil
	}
	n, err := scanInt64(v.q.QueryRow(ctx, "SELECT seq FROM search_closed ORDER BY seq DESC LIMIT 1 OFFSET $1", s.limits.OnPage))
	if errors.Is(err, sql.ErrNoRows) {
		n, err = 1, nil
	}
	s.recent = n
	return err
}

// pageBoundary finds which closed documents can be on a page of everything: those that come
// before the last open one on it. Mostly there are few, and to look at each costs less
// than to read and sort all that the viewer sees in private. Kinds are the one filter for
// which this is done: where few things pass one, that is read first.
func (v *Snapshot) pageBoundary(ctx context.Context, s *search) error {
	if s.Viewer == 0 || s.shuffled != "" || s.ahead || s.filtered() > min(1, len(s.Types)) {
		return nil
	}
	key, dir := s.key()
	open, first := s.half("d.open = TRUE")
	var last any
	err := v.q.QueryRow(ctx, "SELECT "+key+first.text()+" ORDER BY "+open.order(first, key, dir)+
		limit("1")+" OFFSET "+open.arg(s.Page.Offset()+s.Page.Per), open.args...).Scan(&last)
	if errors.Is(err, sql.ErrNoRows) { // the page has room
		return nil
	}
	if err != nil {
		return err
	}
	before := key + map[string]string{"ASC": " <= ", "DESC": " >= "}[dir]
	closed, first := s.half("d.open = FALSE")
	first = first.and(before + closed.arg(last))
	n, err := scanInt64(v.q.QueryRow(ctx, "SELECT count(*) FROM (SELECT 1 AS one"+first.text()+
		limit(closed.arg(s.limits.OnPage+1))+") AS counted", closed.args...))
	if err == nil && n <= s.limits.OnPage {
		s.beyond = before + s.arg(last)
	}
	return err
}

// half is the first half of an order (see split) of what meets a condition and is of the
// kinds that are asked for.
func (s *search) half(where string) (search, set) {
	alone := search{SearchQuery: s.SearchQuery, d: s.d}
	a := set{from: allDocuments, where: []string{where}, ranged: true}
	for _, f := range alone.given() {
		a = a.and(f.where...)
	}
	first := alone.split(a, true)[0]
	return alone, first
}
