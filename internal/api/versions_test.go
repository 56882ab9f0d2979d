package api_test

import (
	"fmt"
	"testing"
	"time"

	"vitrine/internal/apptest"
)

// Versions and feeds are for the people who may edit the block or channel.
func TestVersions(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel := r.Channel("ada", "Moss", "public")
		block := r.Block("ada", "green", channel)
		of := fmt.Sprintf("/ext/v1/blocks/%d/versions", block)
		if got := r.Do("ada", "GET", of, nil); got.Len("data") != 1 || got.Int("data.0.number") != 1 || got.Str("data.0.user.name") != "Ada" {
			t.Errorf("a new block has the versions %s", got.Body)
		}
		r.Do("ada", "PUT", fmt.Sprintf("/v3/blocks/%d", block), map[string]any{"content": "wet", "title": "Moss"}).Want(200)
		r.Clock.Advance(time.Hour)
		r.Do("ada", "PUT", fmt.Sprintf("/v2/blocks/%d", block), map[string]any{"content": "dry"}).Want(204)
		got := r.Do("ada", "GET", of, nil)
		if got.Len("data") != 3 || got.Int("data.0.number") != 3 || !got.Bool("data.0.current") || got.Bool("data.1.current") {
			t.Errorf("versions %s", got.Body)
		}
		for number, content := range map[int]string{1: "green", 2: "wet", 3: "dry"} {
			if one := r.Do("ada", "GET", fmt.Sprint(of, "/", number), nil); one.Str("content") != content || one.Bool("current") != (number == 3) {
				t.Errorf("version %d is %s", number, one.Body)
			}
		}
		r.Do("ada", "GET", of+"/4", nil).Want(404)
		r.Do("ada", "GET", of+"/0", nil).Want(404)
		r.Do("ada", "GET", "/ext/v1/blocks/99999/versions", nil).Want(404)

		r.Do("ada", "PUT", "/v3/channels/moss", map[string]any{"title": "Green moss"}).Want(200)
		of2 := "/ext/v1/channels/green-moss/versions"
		if got := r.Do("ada", "GET", of2, nil); got.Len("data") != 2 || r.Do("ada", "GET", of2+"/1", nil).Str("title") != "Moss" {
			t.Errorf("versions %s", got.Body)
		}

		group := r.Do("ada", "POST", "/v3/groups", map[string]any{"name": "Makers"}).Want(201).Int("id")
		r.Do("ada", "PUT", fmt.Sprint("/v3/groups/", group), map[string]any{"description": "We *make*"}).Want(200)
		of3 := fmt.Sprintf("/ext/v1/groups/%d/versions", group)
		if got := r.Do("ada", "GET", of3, nil); got.Len("data") != 2 || r.Do("ada", "GET", of3+"/2", nil).Str("description") != "We *make*" {
			t.Errorf("versions %s", got.Body)
		}
		r.Do("ada", "PATCH", "/ext/v1/me", map[string]any{"name": "Ada L."}).Want(200)
		if got := r.Do("ada", "GET", "/ext/v1/me/versions", nil); got.Len("data") != 2 || r.Do("ada", "GET", "/ext/v1/me/versions/1", nil).Str("title") != "Ada" {
			t.Errorf("versions %s", got.Body)
		}
		for path, status := range map[string]int{"/ext/v1/me/versions/3": 404, "/ext/v1/me/versions/x": 400, of3 + "/9": 404, "/ext/v1/groups/none/versions": 404} {
			r.Do("ada", "GET", path, nil).Want(status)
		}
		r.Do("", "GET", "/ext/v1/me/versions", nil).Want(401)
		for _, path := range []string{of, of + "/1", of2, of2 + "/1", of3, of3 + "/1", "/ext/v1/channels/green-moss/feeds"} {
			r.Do("bob", "GET", path, nil).Want(403)
			r.Do("", "GET", path, nil).Want(401)
		}
	})
}

func TestChannelFeeds(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Web("moss.example.com/feed", apptest.Serve("application/rss+xml", []byte(`<rss><channel><title>Moss</title></channel></rss>`)))
		r.Web("moss.example.com/page", apptest.Serve("text/html", []byte("<!doctype html><title>x</title>")))
		r.Channel("ada", "Moss", "public")
		const feeds = "/ext/v1/channels/moss/feeds"
		if got := r.Get("ada", feeds); got.Len("data") != 0 {
			t.Errorf("a new channel has the feeds %s", got.Body)
		}
		added := r.Do("ada", "POST", feeds, map[string]any{"url": "https://moss.example.com/feed#x", "title": "Green"}).Want(201)
		if added.Str("url") != "https://moss.example.com/feed" || added.Str("state") != "waiting" || added.Str("title") != "Green" || added.Str("user.name") != "Ada" {
			t.Errorf("added %s", added.Body)
		}
		r.Do("ada", "POST", feeds, map[string]any{"url": "https://moss.example.com/feed"}).Want(400)
		r.Do("ada", "POST", feeds, map[string]any{"url": "ftp://moss.example.com/"}).Want(400)
		r.Do("ada", "POST", feeds, map[string]any{}).Want(400)
		r.Do("bob", "POST", feeds, map[string]any{"url": "https://moss.example.com/feed"}).Want(403)
		r.Do("ada", "POST", feeds, map[string]any{"url": "https://moss.example.com/page"}).Want(201)
		r.WorkJobs()
		got := r.Get("ada", feeds)
		if got.Len("data") != 2 || got.Str("data.0.state") != "ok" || got.Str("data.0.title") != "Moss" || got.Str("data.1.state") != "failing" ||
			got.Str("data.1.problem") == "" || got.Int("data.1.failures") != 1 {
			t.Errorf("feeds %s", got.Body)
		}
		one := fmt.Sprint(feeds, "/", added.Int("id"))
		r.Do("bob", "DELETE", one, nil).Want(403)
		r.Channel("bob", "Stones", "public")
		r.Do("bob", "DELETE", fmt.Sprint("/ext/v1/channels/stones/feeds/", added.Int("id")), nil).Want(404)
		r.Do("ada", "DELETE", one, nil).Want(204)
		r.Do("ada", "DELETE", one, nil).Want(404)
		if got := r.Get("ada", feeds); got.Len("data") != 1 {
			t.Errorf("feeds %s", got.Body)
		}
	})
}
