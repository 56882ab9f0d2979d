package api_test

import (
	"fmt"
	"net/url"
	"slices"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

// TestSearchByMetadata: conditions and orders by metadata, for each viewer.
func TestSearchByMetadata(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Person("ben")
		if _, err := r.S.App.Accounts.SetTier(t.Context(), domain.Ref{Slug: "ben"}, domain.TierFree); err != nil {
			t.Fatal(err)
		}
		shelf, secret := r.Channel("ada", "Shelf", "closed"), r.Channel("ada", "Secret", "private")
		ids := map[string]int64{}
		block := func(name string, in int64, metadata map[string]any) {
			ids[name] = r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": "moss " + name, "channel_ids": []int64{in}, "metadata": metadata}).Want(201).Int("id")
		}
		block("a", shelf, map[string]any{"year": 1972, "author": "Kahn"})
		block("b", shelf, map[string]any{"year": "1970.5"})
		block("c", shelf, map[string]any{"Year": "about 1960"})
		block("d", shelf, map[string]any{"author": "kähn"})
		block("e", shelf, map[string]any{"year": -3})
		block("hidden", secret, map[string]any{"year": 1971})
		expect := func(as, query string, want ...string) {
			t.Helper()
			var all []string
			for _, name := range want {
				all = append(all, fmt.Sprint("Text ", ids[name]))
			}
			if got := typed(r.Get(as, "/ext/v1/search?type=Text&%s", query)); !slices.Equal(got, all) {
				t.Errorf("%s, %q: %v, want %v", as, query, got, all)
			}
		}
		for _, as := range []string{"", "ben"} {
			expect(as, "metadata.year=1972", "a")
			expect(as, "metadata.YEAR=1972.0", "a")
			expect(as, "metadata.year=1971")
			expect(as, "metadata="+url.QueryEscape("year>=1970")+"&sort=created_at_asc", "a", "b")
			expect(as, "metadata.year>1970&metadata.year<1972", "b")
			expect(as, "metadata.author=KAHN&sort=created_at_asc", "a", "d")
			expect(as, "metadata.author=kahn&metadata.year=1972&q=moss", "a")
			expect(as, "metadata.author=kahn&q=fern")
			expect(as, "metadata=author&q=-meta:year", "d")
			expect(as, "sort=metadata.year_asc", "e", "b", "a", "c")
			expect(as, "sort=metadata.year_desc&q=moss", "c", "a", "b", "e")
			expect(as, "sort=metadata.year_desc&per=2&page=2", "b", "e")
			expect(as, "sort=metadata.year_desc&per=2&page=3")
			expect(as, "sort=metadata.none_desc")
		}
		expect("ada", "sort=metadata.year_asc", "e", "b", "hidden", "a", "c")
		expect("ada", "metadata.year=1971", "hidden")
		if res := r.Get("", "/ext/v1/search?metadata.year=1972"); res.Int("data.0.metadata.year") != 1972 || res.Str("data.0.web_url") == "" || res.Int("meta.total_count") != 1 {
			t.Errorf("%s", res.Body)
		}
		for _, bad := range []string{"metadata=", "metadata.=1", "metadata=" + url.QueryEscape("year>x"), "metadata=a-b=1", "metadata.year=", "metadata.year=%00",
			"sort=metadata._asc", "sort=metadata.year", "sort=metadata.a-b_asc", "sort=random", "sort=none", "metadata=%ff", "type=None"} {
			r.Do("", "GET", "/ext/v1/search?"+bad, nil).Want(400)
		}
	})
}
