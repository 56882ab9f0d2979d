package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"vitrine/internal/apptest"
)

// The URL that a user saved stays. The canonical URL of the page is only used to find the block.
func TestSavedAddress(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		page := func(canonical string) http.HandlerFunc {
			return apptest.Serve("text/html", []byte(`<title>x</title><link rel="canonical" href="`+canonical+`">`))
		}
		moved := func(status int, to string) http.HandlerFunc {
			return func(w http.ResponseWriter, req *http.Request) { http.Redirect(w, req, to, status) }
		}
		for path, handler := range map[string]http.HandlerFunc{
			"app": page("/app"), "text": page("/text"), "paged": page("/paged"), "amp/a": page("/a"), "og": apptest.Serve("text/html",
				[]byte(`<title>x</title><meta property="og:url" content="https://www.example.com/better?id=7">`)),
			"lazy": page("/"), "stolen": page("https://example.org/x"), "item": page("/item?id=7"),
			"secret": moved(302, "/login"), "login": page("/login"), "old": moved(301, "/new"), "new": page("/new"), "dead": moved(301, "/"), "{$}": page("/"),
			"soft": apptest.Serve("text/html", []byte(`<meta http-equiv="refresh" content="0;url=/new">`)), "away": moved(301, "http://other.test/new"),
		} {
			r.Web("example.com/"+path, handler)
		}
		r.Web("other.test/new", page("/new"))
		finds := func(address string) []int64 {
			t.Helper()
			return r.Get("ada", "/v3/search?query=%s", url.QueryEscape(address)).Ints("data", "id")
		}
		const site = "http://example.com/"
		for _, c := range []struct{ saved, also, not string }{
			{"app#/board/17", "", site + "app"},
			{"app#/board/18", "", site + "app#/board/17"},
			{"app#!/inbox", "", site + "app"},
			{"text#section-3", site + "text", ""},
			{"text#:~:text=some%20words", site + "text#section-3", ""},
			{"paged?p=2", "", site + "paged"},
			{"paged?p=3", "", site + "paged?p=2"},
			{"amp/a", site + "a", ""},
			{"amp/a?utm_source=x", site + "amp/a", ""},
			{"og", site + "better?id=7", ""},
			{"lazy", "", site},
			{"stolen", "", "https://example.org/x"},
			{"item?id=7", "", site + "item"},
			{"item?id=8", "", site + "item?id=7"},
			{"secret", "", site + "login"},
			{"old", site + "new", ""},
			{"soft", "", site + "new"},
			{"dead", "", site},
			{"away", "", "http://other.test/new"},
		} {
			saved := site + c.saved
			got := processed(r, saved, nil)
			id := got.Int("id")
			holds(t, got, map[string]any{"type": "Link", "state": "available", "source.url": saved})
			for _, address := range []string{saved, c.also} {
				if address != "" && !slices.Contains(finds(address), id) {
					t.Errorf("%s does not find %s", address, saved)
				}
			}
			if c.not != "" && slices.Contains(finds(c.not), id) {
				t.Errorf("%s finds %s", c.not, saved)
			}
		}
		// An edit keeps the canonical URL.
		id := processed(r, site+"amp/a", nil).Int("id")
		r.Do("ada", "PUT", fmt.Sprintf("/v3/blocks/%d", id), `{"title":"Mine"}`).Want(http.StatusOK)
		if !slices.Contains(finds(site+"a"), id) {
			t.Error("after an edit the block is not found by its canonical address")
		}
		// An author's source is not replaced.
		named := processed(r, site+"amp/a", map[string]any{"original_source_url": "https://example.org/mine"})
		holds(t, named, map[string]any{"source.url": "https://example.org/mine"})
		if !slices.Contains(finds("https://example.org/mine"), named.Int("id")) {
			t.Error("the block is not found by the source that its author named")
		}
	})
}
