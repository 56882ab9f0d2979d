package api_test

import (
	"bytes"
	"fmt"
	"image"
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// Pictures of people and groups come from URLs and uploads, and can be removed.
func TestAvatars(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Web("example.com/a.png", apptest.Serve("image/png", apptest.PNG(t, 64, 48)))
		r.Web("example.com/page", apptest.Serve("text/html", []byte("<title>x</title>")))
		r.Web("example.com/gone", http.NotFound)
		group := r.Do("ada", "POST", "/v3/groups", map[string]any{"name": "Guild",
			"avatar_url": sent(r, "ada", "a.png", "image/png", string(apptest.PNG(t, 30, 20)))}).Want(201).Int("id")
		for _, who := range []struct{ method, path, read string }{
			{"PATCH", "/ext/v1/me", fmt.Sprint("/v3/users/", r.Person("ada").ID)},
			{"PUT", fmt.Sprint("/v3/groups/", group), fmt.Sprint("/v3/groups/", group)},
		} {
			wish := func(value any) *apptest.Response {
				t.Helper()
				return r.Do("ada", who.method, who.path, map[string]any{"avatar_url": value})
			}
			shown := func() string {
				t.Helper()
				r.WorkJobs()
				s, _ := r.Get("ada", "%s", who.read).Get("avatar").(string)
				return s
			}
			wish("https://example.com/a.png").Want(200)
			first := shown()
			if got := download(r, first).Want(200); got.Header.Get("Content-Type") != "image/jpeg" {
				t.Errorf("the picture is %v", got.Header)
			}
			before := r.Get("eve", "%s", who.read).Header.Get("ETag")
			for _, useless := range []string{"https://example.com/page", "https://example.com/gone", sent(r, "ada", "a.txt", "text/plain", "no picture")} {
				wish(useless).Want(200)
				if now := shown(); now != first {
					t.Errorf("%s changes the picture to %s", useless, now)
				}
			}
			if who.method == "PUT" && r.Get("eve", "%s", who.read).Header.Get("ETag") == "" {
				t.Error("no tag")
			}
			for _, bad := range []any{"ftp://example.com/a.png", "x", 7, sent(r, "eve", "a.png", "image/png", "x"),
				"https://s3.amazonaws.com/arena_images-temp/nothing", "https://example.com/" + strings.Repeat("x", 5000)} {
				if got := wish(bad); got.Status != 400 || !strings.Contains(string(got.Body), "avatar_url") {
					t.Errorf("%v: %d %s", bad, got.Status, got.Body)
				}
			}
			wish(sent(r, "ada", "b.png", "image/png", string(apptest.PNG(t, 20, 20)))).Want(200)
			second := shown()
			if second == first || before == r.Get("eve", "%s", who.read).Header.Get("ETag") {
				t.Error("the picture of an upload does not show")
			}
			download(r, second).Want(200)
			download(r, first).Want(404)
			for _, none := range []any{nil, ""} {
				wish(sent(r, "ada", "c.png", "image/png", string(apptest.PNG(t, 20, 20)))).Want(200)
				third := shown()
				download(r, third).Want(200)
				wish(none).Want(200)
				if now := shown(); now != "" {
					t.Errorf("%v: the picture stays %s", none, now)
				}
				download(r, third).Want(404)
			}
		}
	})
}

// The later choice wins, regardless of the order of the fetches. A deleted group's picture is removed.
func TestAvatarsLate(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		var during func()
		picture := apptest.Serve("image/png", apptest.PNG(t, 64, 48))
		r.Web("example.com/slow.png", func(w http.ResponseWriter, req *http.Request) { during(); picture(w, req) })
		r.Web("example.com/fast.png", apptest.Serve("image/png", apptest.PNG(t, 8, 8)))
		r.Person("ada")
		me := func(value any) { r.Do("ada", "PATCH", "/ext/v1/me", map[string]any{"avatar_url": value}).Want(200) }
		during = func() { me("https://example.com/fast.png") }
		me("https://example.com/slow.png")
		r.WorkJobs()
		got := r.Get("ada", "/v3/users/ada").Str("avatar")
		if c, _, err := image.DecodeConfig(bytes.NewReader(download(r, got).Want(200).Body)); err != nil || c.Width != 8 {
			t.Errorf("the picture is %d wide (%v)", c.Width, err)
		}
		during = func() { me(nil) }
		me("https://example.com/slow.png")
		r.WorkJobs()
		if got := r.Get("ada", "/v3/users/ada").Get("avatar"); got != nil {
			t.Errorf("the picture that was taken back is %v", got)
		}
		group := r.Do("ada", "POST", "/v3/groups", `{"name":"Guild","avatar_url":"https://example.com/slow.png"}`).Want(201).Int("id")
		during = func() { r.Do("ada", "DELETE", fmt.Sprint("/v3/groups/", group), nil).Want(204) }
		r.WorkJobs()
		if n := rows(r, "files"); n != 0 {
			t.Errorf("%d files are left", n)
		}
		group = r.Do("ada", "POST", "/v3/groups", `{"name":"Guild","avatar_url":"https://example.com/fast.png"}`).Want(201).Int("id")
		r.WorkJobs()
		src := r.Get("ada", "/v3/groups/%d", group).Str("avatar")
		r.Do("ada", "DELETE", fmt.Sprint("/v3/groups/", group), nil).Want(204)
		download(r, src).Want(404)
	})
}
