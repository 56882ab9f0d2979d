package store_test

import (
	"fmt"
	"slices"
	"testing"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
	"vitrine/internal/words"
)

// Blocks and channels are found by their metadata, and only by people who see them.
func TestSearchByMetadata(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "Ada"), storetest.User(t, s, "Bob")
		names := map[int64]string{}
		open, private := storetest.Channel(t, s, ada, "Open", domain.Public), storetest.Channel(t, s, ada, "Hidden", domain.Private)
		block := func(name string, in domain.ChannelID, metadata domain.Metadata) domain.BlockID {
			id := storetest.Block(t, s, ada, name)
			changeMetadata(t, s, ada, id, metadata)
			storetest.Connect(t, s, ada, in, domain.BlockRef(id), 1)
			names[int64(id)] = name
			return id
		}
		block("old", open, `{"tags":"Moss, tree fern","year":1970}`)
		changed := block("new", open, `{"tags":"moss","year":"1985","author":"Ada L."}`)
		block("secret", private, `{"tags":"moss, hidden","year":1990}`)
		storetest.Update(t, s, ada, open, func(c *domain.Channel) { c.Metadata = `{"tags":"gardens"}` })
		for _, step := range []struct {
			viewer domain.UserID
			want   map[string][]string
		}{
			{ada, map[string][]string{"tag:moss": {"secret", "new", "old"}, "tag:hidden": {"secret"}, "meta:year>1970": {"secret", "new"},
				"meta:year>=1970 meta:year<1986": {"new", "old"}, "meta:year!=1985": {"secret", "old"}, "tag:tree-fern": {"old"}, "tag:tree": nil,
				"secret tag:moss": {"secret"}, "secret -tag:moss": nil, `meta:author="ada l."`: {"new"}, "moss": nil, "1985": nil}},
			{bob, map[string][]string{"tag:moss": {"new", "old"}, "tag:hidden": nil, "meta:year>1970": {"new"}, "meta:year>0": {"new", "old"},
				"tag:moss meta:year<1971": {"old"}}},
			{0, map[string][]string{"tag:moss": {"new", "old"}, "tag:hidden": nil, "meta:year>1985": nil}},
		} {
			for query, want := range step.want {
				for _, limits := range append(wordLimits(), known) {
					var got []string
					l := search(t, s.WithSearchLimits(limits), step.viewer, domain.Search{Query: query})
					for _, found := range l.Items {
						got = append(got, names[found.ID])
					}
					if !slices.Equal(got, want) || l.Total != int64(len(want)) {
						t.Errorf("%d finds %v of %d with %q, want %v, few are %d", step.viewer, got, l.Total, query, want, limits.Rare)
					}
				}
			}
		}
		for _, viewer := range []domain.UserID{ada, bob, 0} {
			if l := search(t, s, viewer, domain.Search{Query: "tag:gardens"}); fmt.Sprint(l.Items) != fmt.Sprintf("[{%s %d}]", domain.SubjectChannel, open) {
				t.Errorf("%d finds %v", viewer, l)
			}
		}
		changeMetadata(t, s, ada, changed, `{"tags":"bog"}`)
		if l := search(t, s, bob, domain.Search{Query: "tag:moss"}); l.Total != 1 {
			t.Errorf("after the change: %+v", l)
		}
		if l := search(t, s, bob, domain.Search{Query: "tag:bog"}); l.Total != 1 {
			t.Errorf("after the change: %+v", l)
		}
	})
}

// changeMetadata changes the metadata of a block.
func changeMetadata(t *testing.T, s *store.Store, author domain.UserID, id domain.BlockID, metadata domain.Metadata) {
	t.Helper()
	storetest.In(t, s, func(tx *store.Tx) error {
		b, err := tx.Blocks().LockedBlock(t.Context(), author, id)
		if err != nil {
			return err
		}
		was := b
		b.Metadata = metadata
		return tx.Blocks().UpdateBlock(t.Context(), was, &b, storetest.Now)
	})
}

// Results in the order of a value are those that everyone else finds, numbers first, page by page, and too many are refused.
func TestSearchSortedByValue(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "Ada")
		open, private := storetest.Channel(t, s, ada, "Open", domain.Public), storetest.Channel(t, s, ada, "Hidden", domain.Private)
		names := map[int64]string{}
		for i, value := range []string{`"pear"`, `10`, `"9"`, `true`, `-2.5`, `"Äpfel"`, `"apple"`, `10.0`} {
			in := open
			if i == 2 {
				in = private
			}
			id := storetest.Block(t, s, ada, "one")
			changeMetadata(t, s, ada, id, domain.Metadata(`{"n":`+value+`}`))
			storetest.Connect(t, s, ada, in, domain.BlockRef(id), 1)
			names[int64(id)] = value
		}
		find := func(viewer domain.UserID, desc bool, page domain.Page, limits store.SearchLimits) (got []string, total int64, err error) {
			q := store.SearchQuery{Viewer: viewer, Words: words.Parse("meta:n"),
				Search: domain.Search{Page: page, Sort: domain.SearchSort{Key: domain.SearchByValue, Desc: desc, Value: "N"}}}
			err = s.WithSearchLimits(limits).InSnapshot(t.Context(), func(v *store.Snapshot) error {
				l, err := v.Search(t.Context(), q)
				for got = nil; len(got) < len(l.Items); {
					got = append(got, names[l.Items[len(got)].ID])
				}
				total = l.Total
				return err
			})
			return got, total, err
		}
		want := []string{"-2.5", "10", "10.0", `"Äpfel"`, `"apple"`, `"pear"`, "true"}
		for _, limits := range wordLimits() {
			for _, desc := range []bool{false, true} {
				for _, viewer := range []domain.UserID{0, ada} {
					want := slices.Clone(want)
					if viewer == ada {
						want = slices.Insert(want, 1, `"9"`)
					}
					if desc {
						slices.Reverse(want)
					}
					for n := range int64(4) {
						got, total, err := find(viewer, desc, domain.Page{Number: n + 1, Per: 3}, limits)
						first := min(int(n)*3, len(want))
						if err != nil || !slices.Equal(got, want[first:min(first+3, len(want))]) || total != int64(len(want)) {
							t.Errorf("%d, desc %t, page %d: %v of %d, %v", viewer, desc, n+1, got, total, err)
						}
					}
				}
			}
		}
		few := store.DefaultSearchLimits
		few.Counted = 7
		if _, _, err := find(0, false, domain.Page{Number: 1, Per: 3}, few); domain.KindOf(err) != domain.Unprocessable {
			t.Error(err)
		}
	})
}
