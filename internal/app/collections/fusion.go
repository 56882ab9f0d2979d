package collections

import (
	"cmp"
	"context"
	"slices"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/vectors"
	"vitrine/internal/words"
)

// maxFusedOffset is the position after which a merged list ends. Reading a page behind the merged results costs reading
// everything before it.
const maxFusedOffset = 20_000

// exploreMeant is explore that merges the results by meaning into those by words, if the query is not to be taken
// literally. byWords is the number of the latter. If there are no vectors, or the endpoint does not answer in time, the
// results are those by words.
func (a *Finder) exploreMeant(ctx context.Context, actor domain.Actor, in domain.Search, query words.Query, seed *int64) (l domain.List[domain.Entity], byWords int64, err error) {
	x, at := a.queryVector(ctx, in, query)
	if x == nil {
		l, err = a.explore(ctx, actor, in, query, seed)
		return l, l.Total, err
	}
	l, err = a.find(ctx, actor, func(ctx context.Context, v *store.Snapshot) (l domain.List[domain.Subject], err error) {
		q, some, err := searchQuery(ctx, v, actor, in, query)
		if !some || err != nil {
			return l, err
		}
		l, byWords, err = a.Meaning.fused(ctx, v, x, at, q)
		return l, err
	})
	return l, byWords, err
}

// queryVector returns the vectors of blocks and that of a query, or nil if the search is to be by words only.
func (a *Finder) queryVector(ctx context.Context, in domain.Search, query words.Query) (*vectors.Index, vectors.Vector) {
	if a.Meaning == nil || in.Sort.Key != domain.SearchByScore || len(in.Types) > 0 && !slices.ContainsFunc(in.Types, isBlock) {
		return nil, nil
	}
	text := textOf(query)
	if text == "" {
		return nil, nil
	}
	x := a.Meaning.follow(ctx, a.Store)
	if x == nil || x.Len() == 0 {
		return nil, nil
	}
	at, ok := a.Meaning.vectorOf(ctx, beginning(text, maxText), x.Dimension(), a.Now())
	if !ok {
		return nil, nil
	}
	return x, at
}

func isBlock(kind string) bool { return slices.Contains(domain.BlockTypes, kind) }

// fused lists a page of merged results. The list begins with the first results by words and by meaning, in the order of
// their merged ranks. Those by words that are not among them follow. So no page repeats or omits anything.
func (m *Meaning) fused(ctx context.Context, v *store.Snapshot, x *vectors.Index, at vectors.Vector, q store.SearchQuery) (l domain.List[domain.Subject], byWords int64, err error) {
	page := q.Page
	q.Page = domain.Page{Number: 1, Per: fused}
	first, err := v.Search(ctx, q)
	if err != nil {
		return l, 0, err
	}
	near, err := m.find(ctx, v, x, at, q, fused)
	if err != nil {
		return l, 0, err
	}
	near = alikeEnough(near)
	merged := mergedRanks(first.Items, near)
	more, err := unmatched(ctx, v, q, first, near)
	if err != nil {
		return l, 0, err
	}
	l.Total = first.Total + more
	skip, end := page.Offset(), page.Offset()+page.Per
	if skip >= l.Total || end > maxFusedOffset {
		return l, first.Total, nil
	}
	all := merged
	if end > int64(len(merged)) && first.Total > fused {
		q.Page.Per = end + fused // some of the merged results are repeated
		rest, err := v.Search(ctx, q)
		if err != nil {
			return l, 0, err
		}
		listed := make(map[domain.Subject]bool, len(merged))
		for _, s := range merged {
			listed[s] = true
		}
		all = append(all, slices.DeleteFunc(rest.Items, func(s domain.Subject) bool { return listed[s] })...)
	}
	l.Items = all[min(skip, int64(len(all))):min(end, int64(len(all)))]
	return l, first.Total, nil
}

// unmatched returns how many results by meaning are not among those by words.
func unmatched(ctx context.Context, v *store.Snapshot, q store.SearchQuery, first domain.List[domain.Subject], near []meant) (n int64, err error) {
	var others []domain.BlockID
	for _, found := range near {
		if !slices.Contains(first.Items, found.subject()) {
			others = append(others, found.block)
		}
	}
	if first.Total <= int64(len(first.Items)) {
		return int64(len(others)), nil
	}
	matched, err := among(ctx, v, q, others)
	return int64(len(others) - len(matched)), err
}

func (m meant) subject() domain.Subject {
	return domain.Subject{Type: domain.SubjectBlock, ID: int64(m.block)}
}

// rankOffset reduces the difference between the first ranks in reciprocal rank fusion.
const rankOffset = 60

// mergedRanks merges two lists by the sums of 1 / (60 + rank).
func mergedRanks(byWords []domain.Subject, byMeaning []meant) []domain.Subject {
	scores, all := map[domain.Subject]float64{}, slices.Clone(byWords)
	for i, s := range byWords {
		scores[s] += 1 / float64(rankOffset+1+i)
	}
	for i, found := range byMeaning {
		s := found.subject()
		if _, ok := scores[s]; !ok {
			all = append(all, s)
		}
		scores[s] += 1 / float64(rankOffset+1+i)
	}
	slices.SortStableFunc(all, func(a, b domain.Subject) int { return cmp.Compare(scores[b], scores[a]) })
	return all
}
