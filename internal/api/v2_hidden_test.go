package api_test

import (
	"slices"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// Version 2 shows and counts the same items of every list as version 3.
func TestV2ShowsWhatVersion3Shows(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		bobs := w.Channel("bob", "Bob's secret", "private")
		w.connect("Channel", w.secret, w.closed)
		w.connect("Block", w.block, w.secret)
		w.connect("Channel", w.spare, w.secret)
		for _, channel := range []int64{w.closed, w.secret} {
			w.Do("ada", "POST", at("/v2/channels/%d/follow", channel), nil).Want(200)
		}
		w.Do("ada", "POST", "/v2/users/bob/follow", nil).Want(200)
		w.Collaborate("ada", w.secret, "cy")
		counts := map[string]int64{}
		for _, as := range []string{"", "bob", "cy", "ada", "ada/read"} {
			for _, list := range []struct{ v2, name, v3 string }{
				{at("/v2/channels/%d/contents?per=100", w.closed), "contents", at("/v3/channels/%d/contents?per=100&sort=position_asc", w.closed)},
				{at("/v2/channels/%d?per=100", w.closed), "contents", at("/v3/channels/%d/contents?per=100&sort=position_asc", w.closed)},
				{at("/v2/channels/%d/thumb", w.closed), "contents", at("/v3/channels/%d/contents?per=9&sort=position_asc", w.closed)},
				{at("/v2/channels/%d/connections?per=100", w.spare), "channels", at("/v3/channels/%d/connections?per=100", w.spare)},
				{at("/v2/blocks/%d/channels?per=100", w.block), "channels", at("/v3/blocks/%d/connections?per=100", w.block)},
				{at("/v2/blocks/%d", w.block), "connections", at("/v3/blocks/%d/connections?per=100", w.block)},
				{"/v2/users/ada/following?per=100", "following", "/v3/users/ada/following?per=100"},
				{"/v2/users/bob/followers?per=100", "users", "/v3/users/bob/followers?per=100"},
				{"/v2/users/ada/channels?per=100", "channels", "/v3/users/ada/contents?type=Channel&per=100&sort=updated_at_desc"},
			} {
				old, now := w.Get(as, "%s", list.v2), w.Get(as, "%s", list.v3)
				got, want := old.Ints(list.name, "id"), now.Ints("data", "id")
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Errorf("%q: %s shows %v, version 3 %v", as, list.v2, got, want)
				}
				if length, ok := old.Lookup("length"); ok && !strings.Contains(list.v2, "/thumb") {
					if total := now.Get("meta.total_count"); length != total {
						t.Errorf("%q: %s counts %v, version 3 %v", as, list.v2, length, total)
					}
				}
				counts[as] += int64(len(got))
			}
			// No list of version 2, except personal ones, reveals titles that are hidden from its reader.
			sees := map[string]bool{"Secret": as == "ada" || as == "ada/read" || as == "cy", "Bob's secret": as == "bob", "Hidden": as == "ada" || as == "ada/read" || as == "cy"}
			for _, path := range []string{"/v2/channels?per=100", "/v2/search?q=&per=100", "/v2/search?q=secret&per=100", "/v2/search/channels?q=secret", "/v2/search/blocks?q=hidden",
				"/v2/users/ada/channels?per=100", "/v2/users/bob/channels", "/v2/users/ada/following", at("/v2/channels/%d/channels", w.closed), at("/v2/channels/%d/channels", w.open),
				at("/v2/blocks/%d", w.block), at("/v2/blocks/%d/channels", w.block), at("/v2/channels/%d/thumb", w.closed), "/v2/feed/global?per=100",
				"/v2/users/ada/feed?per=100", "/v2/users/bob/feed?per=100", "/v2/users/ada/network?per=100", at("/v2/channels/%d/feed?per=100", w.closed),
				at("/v2/channels/%d/connections", w.spare)} {
				shown := shownTitles(w.Rig, as, path)
				for title, may := range sees {
					if shown[title] && !may {
						t.Errorf("%q: %s tells of %q", as, path, title)
					}
				}
			}
		}
		if counts[""] >= counts["ada"] || counts["bob"] >= counts["ada"] {
			t.Errorf("nothing is hidden: %v", counts)
		}
		if !shownTitles(w.Rig, "ada", "/v2/users/ada/channels?per=100")["Secret"] || !shownTitles(w.Rig, "bob", "/v2/search?q=secret")["Bob's secret"] {
			t.Error("owners do not see what is theirs")
		}
		for _, as := range []string{"", "ada", "cy"} {
			w.Do(as, "GET", at("/v2/channels/%d", bobs), nil).Want(404)
		}
	})
}

// shownTitles reports for each hidden title whether the response contains it.
func shownTitles(r *apptest.Rig, as, path string) map[string]bool {
	r.T.Helper()
	body := string(r.Get(as, "%s", path).Body)
	return map[string]bool{"Secret": strings.Contains(body, `"title":"Secret"`), "Bob's secret": strings.Contains(body, `"title":"Bob's secret"`),
		"Hidden": strings.Contains(body, `"content":"Hidden"`)}
}
