package store_test

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/words"
)

// searches runs every kind of search once, except those that read all matches anyway.
func (st stage) searches(r *recorder, page int64) {
	st.searchAll(r, page)
	for _, limits := range []store.SearchLimits{{Private: 10_000}, {}} { // as with many of everything
		r.s = r.s.WithSearchLimits(limits)
		st.searchAll(r, page)
	}
}

func (st stage) searchAll(r *recorder, page int64) {
	for key := domain.SearchByScore; key <= domain.SearchByChance; key++ {
		for _, q := range []domain.Search{
			{Query: ""}, {Author: st.ada}, {Types: []string{"Image"}}, {Query: "nothing such"},
			{Query: "https://example.org/x"}, {Scope: domain.SearchMine, Query: "nothing"}, {Scope: domain.SearchFollowing},
			{Query: "x"}, {Query: "x", Types: []string{"Channel"}}, {Query: "x", Channel: st.channel}, {Channel: st.channel},
			{Query: "x", Scope: domain.SearchFollowing}, {Query: "x", Author: st.bob},
		} {
			q.Sort, q.Page = domain.SearchSort{Key: key, Desc: true}, domain.Page{Number: page, Per: 24}
			for _, viewer := range []domain.UserID{0, st.ada, st.bob} {
				r.read(func(ctx context.Context, v *store.Snapshot) error {
					_, err := v.Search(ctx, store.SearchQuery{Search: q, Viewer: viewer, Words: words.Parse(q.Query)})
					return err
				})
			}
		}
	}
}
