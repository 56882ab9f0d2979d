package store_test

import (
	"cmp"
	"maps"
	"slices"
	"testing"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
	"vitrine/internal/store/storetest/relevance"
)

// leastGain and leastRecall are what the judged queries reach on average. A change that lowers them makes search worse.
const leastGain, leastRecall = 0.955, 0.955

// With every plan, searches find the relevant texts of the set, the most relevant first. No page skips or repeats a
// result.
func TestSearchRelevance(t *testing.T) {
	t.Parallel()
	texts, queries, err := relevance.Set()
	if err != nil {
		t.Fatal(err)
	}
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "Zoë")
		names := map[int64]string{}
		storetest.In(t, s, func(tx *store.Tx) error {
			for _, text := range texts {
				id, err := tx.Blocks().CreateBlock(t.Context(), domain.Block{Type: domain.TextBlock, State: domain.Available, Title: &text.Title,
					Author:  domain.Principal{PrincipalRef: domain.UserRef(ada)},
					Content: &domain.Text{Markdown: text.Content, HTML: "<p></p>", Plain: text.Content}}, storetest.Now)
				if err != nil {
					return err
				}
				names[int64(id)] = text.ID
			}
			return nil
		})
		for _, limits := range wordLimits() {
			var gains, recalls float64
			for _, q := range queries {
				s := s.WithSearchLimits(limits)
				if search(t, s, ada, domain.Search{Query: q.Query}).Total == 0 {
					q.Query = cmp.Or(correct(t, s, ada, domain.Search{Query: q.Query}).Query, q.Query)
				}
				whole := search(t, s, ada, domain.Search{Query: q.Query})
				var found []string
				var parts []domain.Subject
				for page := int64(1); page <= (whole.Total+1)/2+1; page++ { // small pages cross the boundaries between exact results and others
					l := search(t, s, ada, domain.Search{Query: q.Query, Page: domain.Page{Number: page, Per: 2}})
					if want := max(0, min(2, l.Total-(page-1)*2)); int64(len(l.Items)) != want {
						t.Errorf("%q, page %d: %d of %d results, want %d", q.Query, page, len(l.Items), l.Total, want)
					}
					for _, item := range l.Items {
						found = append(found, names[item.ID])
					}
					parts = append(parts, l.Items...)
				}
				if !slices.Equal(parts, whole.Items) || int64(len(parts)) != whole.Total {
					t.Errorf("%q: by pages %v, at once %v of %d", q.Query, parts, whole.Items, whole.Total)
				}
				gain, recall := relevance.Score(q, found)
				if recall < 1 || gain < 0.9 {
					t.Logf("%s: %q finds %q, want %v", q.Kind, q.Query, found, slices.Sorted(maps.Keys(q.Grades)))
				}
				gains, recalls = gains+gain, recalls+recall
			}
			n := float64(len(queries))
			t.Logf("few are %d: gain %.3f, recall %.3f", limits.Rare, gains/n, recalls/n)
			if gains/n < leastGain || recalls/n < leastRecall {
				t.Errorf("few are %d: gain %.3f, recall %.3f", limits.Rare, gains/n, recalls/n)
			}
		}
	})
}
