package api_test

import (
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// version2 returns the path of version 2 that corresponds to one of version 3.
func version2(path string) string {
	path = "/v2/" + strings.TrimPrefix(path, "/v3/")
	if strings.HasPrefix(path, "/v2/blocks/") {
		path = strings.Replace(path, "/connections", "/channels", 1)
	}
	return path
}

// A page of a channel takes the statements of version 3 for the channel and its contents, and three more for nested
// things that are shown in full. No list takes more statements for more rows.
func TestV2Statements(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		few, many := newAudience(r, 6), newAudience(r, 100)
		count := func(as, path string) int {
			t.Helper()
			return len(r.Statements(func() { r.Do(as, "GET", path, nil).Want(http.StatusOK) }))
		}
		for _, as := range []string{"", "ada"} {
			token := 0
			if as != "" {
				token = 1 // which each request of version 3 looks up
			}
			for i, path := range few.paths {
				if !strings.HasPrefix(path, "/v3/") {
					continue
				}
				n, m := count(as, version2(path)), count(as, version2(many.paths[i]))
				if m > n {
					t.Errorf("%q: %s takes %d statements, with more rows %d", as, version2(path), n, m)
				}
			}
			channel, _, _ := strings.Cut(few.paths[0], "/contents")
			longer, _, _ := strings.Cut(many.paths[0], "/contents")
			v3 := count(as, channel) + count(as, channel+"/contents?per=100") - token
			for _, page := range []string{channel, longer} {
				page = version2(page) + "?per=100"
				if n := count(as, page); n > v3+3 {
					t.Errorf("%q: %s takes %d statements, version 3 %d", as, page, n, v3)
				}
			}
			for _, list := range []string{"/v2/users/ada/channels?per=", "/v2/channels?per=", "/v2/search?q=other&per=", "/v2/search/channels?q=other&per=",
				"/v2/users/ada/feed?per=", "/v2/feed/global?per="} {
				if n, m := count(as, list+"6"), count(as, list+"100"); m > n+1 { // all kinds of things
					t.Errorf("%q: %s takes %d statements for 6 rows, %d for 100", as, list, n, m)
				}
			}
		}
	})
}
