package search

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
	"vitrine/internal/words"
)

// maxValue is how many bytes of a value decide its place.
const maxValue = 200

// valued is a result with a value of its metadata.
type valued struct {
	of     domain.Subject
	kind   int // 0 for numbers, 1 for texts
	number float64
	text   string
}

// byValue lists results in the order of a value of their metadata: numbers first, then texts. It finds them all, reads
// their values, and sorts them, so it returns Unprocessable if there are too many results.
func (f Finder) byValue(ctx context.Context, q Query) (l domain.List[domain.Subject], err error) {
	all, sort := q, q.Sort
	all.Sort, all.Page = domain.SearchSort{Key: domain.SearchByCreated, Desc: true}, domain.Page{Number: 1, Per: f.Limits.counted()}
	f.Known = nil // which remembers pages
	if l, err = f.search(ctx, all); err != nil {
		return l, err
	}
	if l.Total >= f.Limits.counted() {
		return l, domain.NewUnprocessable(fmt.Sprintf("sort: only fewer than %d results can be sorted by metadata", f.Limits.counted()))
	}
	found, err := f.values(ctx, l.Items, sort.Value)
	if err != nil {
		return l, err
	}
	slices.SortFunc(found, func(a, b valued) int {
		order := cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.number, b.number), strings.Compare(a.text, b.text),
			cmp.Compare(a.of.ID, b.of.ID), strings.Compare(string(a.of.Type), string(b.of.Type)))
		if sort.Desc {
			return -order
		}
		return order
	})
	l.Total, l.Items = int64(len(found)), nil
	start := min(q.Page.Offset(), l.Total)
	for _, v := range found[start:min(start+q.Page.Per, l.Total)] {
		l.Items = append(l.Items, v.of)
	}
	return l, nil
}

// values reads the values of a key of the blocks and channels among things.
func (f Finder) values(ctx context.Context, things []domain.Subject, key string) (all []valued, err error) {
	for _, from := range []struct {
		kind  domain.SubjectType
		table string
	}{{domain.SubjectBlock, "blocks"}, {domain.SubjectChannel, "channels"}} {
		var ids []int64
		for _, t := range things {
			if t.Type == from.kind {
				ids = append(ids, t.ID)
			}
		}
		if len(ids) == 0 {
			continue
		}
		rows, err := f.Query(ctx, "SELECT id, metadata FROM "+from.table+" WHERE metadata IS NOT NULL AND "+f.In("id", "$1"), sqlx.IDs(f.Dialect, ids))
		found, err := sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (v valued, err error) {
			var metadata domain.Metadata
			if err = row.Scan(&v.of.ID, &metadata); err == nil {
				v.of.Type = from.kind
				v.set(valueOf(metadata, key))
			}
			return v, err
		})
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// valueOf returns the value of a key without regard to case.
func valueOf(m domain.Metadata, key string) string {
	values := m.Values()
	if value, ok := values[key]; ok {
		return value
	}
	for _, other := range slices.Sorted(maps.Keys(values)) {
		if strings.EqualFold(other, key) {
			return values[other]
		}
	}
	return ""
}

// set sets the value that decides the place.
func (v *valued) set(value string) {
	number, is := words.Number(value)
	if v.number = number; is {
		return
	}
	text := words.Fold(value)
	v.kind, v.text = 1, strings.Clone(text[:min(len(text), maxValue)])
}
