package api_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// v2Reads returns the paths of all reads, for ada.
func (w *world) v2Reads() []string {
	group := w.Get("ada", "/v3/groups/%d", w.Group("Crew", "ada")).Str("slug")
	return []string{
		"/v2/channels", "/v2/channels/closed", "/v2/channels/closed/thumb", "/v2/channels/closed/connections", "/v2/channels/closed/channels",
		"/v2/channels/closed/contents", "/v2/channels/closed/collaborators", "/v2/channels/closed/followers", "/v2/channels/closed/feed",
		at("/v2/blocks/%d", w.block), at("/v2/blocks/%d/channels", w.block), at("/v2/blocks/%d/comments", w.block),
		"/v2/users/ada", "/v2/users/ada/channels", "/v2/users/ada/following", "/v2/users/ada/followers", "/v2/users/ada/feed",
		"/v2/users/ada/network", "/v2/me", "/v2/accounts", "/v2/accounts/channels", "/v2/groups/" + group, "/v2/groups/" + group + "/channels",
		"/v2/search", "/v2/search/users", "/v2/search/channels", "/v2/search/blocks", "/v2/feed", "/v2/feed/global",
		"/v2/notifications", "/v2/notifications/unread_count",
	}
}

// Reads do not refuse excessive values either.
func TestV2TooMuchIsNotRefused(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		reads := w.v2Reads()
		if n := len(w.S.API.V2.Operations()); len(reads) < n/2 {
			t.Errorf("%d addresses for %d operations", len(reads), n)
		}
		for _, path := range reads {
			for _, query := range []string{
				"page=1000000000000000000&per=100", "page=9223372036854775807", "page=99999999999999999999", "per=-99999999999999999999",
				"sort=updated_at&direction=desc", "q=%ff%00", "q=" + strings.Repeat("x", 5_000), "q=" + strings.Repeat("a+", 3_000),
				"q=" + strings.Repeat("%E6%BC%A2", 3_000), "q=%22" + strings.Repeat("a+", 500), "q=a&q=b",
				"offset=1000000000000000000", "offset=99999999999999999999",
			} {
				res := w.Do("ada", "GET", path+"?"+query, nil)
				if res.Status != http.StatusOK {
					t.Errorf("%s?%.60s: %d %.300s", path, query, res.Status, res.Body)
				}
			}
		}
	})
}

// Excessive queries are cut, and an invalid page becomes the nearest valid one.
func TestV2QueriesAreCut(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.Block("ada", wordsOf(50), w.closed)
		found := func(q string) *apptest.Response {
			return w.Get("", "/v2/search/blocks?q=%s", url.QueryEscape(q))
		}
		for name, q := range map[string]string{"too many words": wordsOf(101) + " missing", "too long": wordsOf(2) + strings.Repeat(" ", 5_000) + "missing",
			"a term that is too long": strings.Repeat("word.", 500) + "missing"} {
			res := found(q)
			if term := res.Str("term"); len(term) >= len(q) || !strings.HasPrefix(q, term) || term == "" {
				t.Errorf("%s: looked for %q", name, term)
			}
			if res.Int("length") != 1 && name != "a term that is too long" {
				t.Errorf("%s: %s", name, res.Body)
			}
		}
		if res := found(wordsOf(3) + " missing"); res.Int("length") != 0 {
			t.Errorf("short: %s", res.Body)
		}
		for query, want := range map[string][3]int64{ // page, per, items
			"": {1, 20, 3}, "per=0": {1, 1, 1}, "per=-5": {1, 1, 1}, "per=2&page=2": {2, 2, 1}, "per=1000": {1, 100, 3}, "per=x": {1, 20, 3},
			"per=99999999999999999999": {1, 100, 3}, "page=0": {1, 20, 3}, "page=-1": {1, 20, 3}, "page=x": {1, 20, 3}, "page=2": {2, 20, 0},
			"page=1000000000000000000":  {1_000_000_000_000_000_000, 20, 0},
			"page=99999999999999999999": {9223372036854775807, 20, 0}, "page=-99999999999999999999": {1, 20, 3}, "per=2&per=1": {1, 2, 2},
			"per=%32&page=%zz": {1, 2, 2}, "per_page=1": {1, 20, 3},
		} {
			res := w.Get("", "/v2/channels/closed?%s", query)
			if got := [3]int64{res.Int("page"), res.Int("per"), int64(res.Len("contents"))}; got != want {
				t.Errorf("%q: page, per and items are %v, want %v", query, got, want)
			}
		}
		first := w.Get("", "/v2/channels/closed").Ints("contents", "id")
		for query, last := range map[string]bool{"direction=desc": true, "sort=position&direction=DESC": true, "sort=nonsense&direction=desc": true,
			"direction=down": false, "sort=nonsense": false, "direction=asc": false, "direction=asc&direction=desc": false} {
			got := w.Get("", "/v2/channels/closed?%s", query).Ints("contents", "id")
			if (got[0] == first[len(first)-1]) != last {
				t.Errorf("%q: %v", query, got)
			}
		}
	})
}
