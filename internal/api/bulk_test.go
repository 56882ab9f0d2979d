package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/domain"
)

type operation = map[string]any

func post(path string, body map[string]any) operation {
	return operation{"method": "POST", "path": path, "body": body}
}

func bulk(all ...operation) map[string]any { return map[string]any{"operations": all} }

func allOrNone(all ...operation) map[string]any {
	return map[string]any{"operations": all, "atomic": true}
}

func statusesOf(res *apptest.Response) (all []int64) { return res.Ints("results", "status") }

// TestBulk: operations run in their order, use earlier results, and have the effects of single requests.
func TestBulk(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		f := followChanges(r, "ada")
		for _, together := range []bool{false, true} {
			body := bulk(
				post("/v3/channels", operation{"title": "Notes"}),
				post("/v3/blocks", operation{"value": "$5.99", "title": "$$0.id", "channel_ids": []any{"$0.id"}}),
				post("/v3/blocks", operation{"value": "second", "channel_ids": []any{"$0.slug"}}),
				post("/v3/blocks/$1.id/comments", operation{"body": "Well"}),
				post("/v3/connections", operation{"connectable_type": "Block", "connectable_id": "$1.id", "channel_ids": []any{"$0.id"}}),
				post("/v3/connections/$4.data.0.id/move", operation{"movement": "move_to_top"}),
				operation{"method": "PUT", "path": "/v3/channels/$0.id", "body": operation{"description": "All"}},
				operation{"method": "DELETE", "path": "/ext/v1/blocks/$2.id"},
			)
			body["atomic"] = together
			res := r.Do("ada", "POST", "/ext/v1/bulk", body).Want(200)
			if got := fmt.Sprint(statusesOf(res)); got != "[201 201 201 201 201 200 200 204]" || !res.Bool("committed") {
				t.Fatalf("atomic %v: %s", together, res.Body)
			}
			channel, block := res.Int("results.0.body.id"), res.Int("results.1.body.id")
			shown := r.Get("ada", "/v3/channels/%d", channel)
			if shown.Int("counts.contents") != 1 || shown.Str("description.plain") != "All" {
				t.Errorf("atomic %v: %s", together, shown.Body)
			}
			if b := r.Get("ada", "/v3/blocks/%d", block); b.Str("content.plain") != "$5.99" || b.Str("title") != "$0.id" || b.Int("comment_count") != 1 {
				t.Errorf("atomic %v: %s", together, b.Body)
			}
			if n := r.Get("ada", "/ext/v1/search?query=Notes&type=Channel").Int("meta.total_count"); n == 0 {
				t.Errorf("atomic %v: the channel cannot be found", together)
			}
			var got []string
			for len(got) < 8 {
				got = append(got, f.next("&wait=5")...)
			}
			if text := strings.Join(got, "; "); !strings.Contains(text, at("created Channel %d", channel)) || !strings.Contains(text, at("created Block %d", block)) {
				t.Errorf("atomic %v: changes are %s", together, text)
			}
		}
	})
}

// TestBulkFailures: without atomic the others take effect, with it none does.
func TestBulkFailures(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		bens := r.Channel("ben", "Ben's", "closed")
		all := []operation{
			post("/v3/channels", operation{"title": "Made"}),
			operation{"method": "PUT", "path": fmt.Sprintf("/v3/channels/%d", bens), "body": operation{"title": "Mine"}},
			post("/v3/blocks", operation{"value": "on ben's", "channel_ids": []any{"$1.id"}}),
			post("/v3/channels", operation{"title": ""}),
			post("/v3/groups", operation{"name": "No part"}),
			post("/v3/nothing", operation{}),
			post("http://example.org/", operation{}),
			post("/v3/blocks/$9.id/comments", operation{"body": "x"}),
			post("/v3/blocks/$0.nothing/comments", operation{"body": "x"}),
			post("/v3/channels", operation{"title": "Free"}),
		}
		res := r.Do("ada", "POST", "/ext/v1/bulk", bulk(all...)).Want(200)
		if got := fmt.Sprint(statusesOf(res)); got != "[201 403 424 400 422 404 400 422 422 201]" {
			t.Errorf("%s: %s", got, res.Body)
		}
		if !strings.Contains(res.Str("results.3.body.details.message"), "title") {
			t.Errorf("%s", res.Body)
		}
		before := r.Get("ada", "/v3/users/ada/contents").Int("meta.total_count")
		res = r.Do("ada", "POST", "/ext/v1/bulk", allOrNone(all[0], all[9], all[1], all[0])).Want(200)
		if got := fmt.Sprint(statusesOf(res)); got != "[424 424 403 424]" || res.Bool("committed") {
			t.Errorf("%s: %s", got, res.Body)
		}
		if n := r.Get("ada", "/v3/users/ada/contents").Int("meta.total_count"); n != before {
			t.Errorf("a failed bulk made %d things", n-before)
		}
		for name, bad := range map[string]any{"empty": bulk(), "none": operation{}, "many": bulk(make([]operation, domain.MaxBulk+1)...),
			"method": bulk(operation{"method": "GET", "path": "/v3/me"}), "path": bulk(operation{"method": "POST"}), "atomic": operation{"atomic": "x", "operations": []any{all[0]}}} {
			if res := r.Do("ada", "POST", "/ext/v1/bulk", bad); res.Status != 400 {
				t.Errorf("%s: %d %s", name, res.Status, res.Body)
			}
		}
		r.Do("", "POST", "/ext/v1/bulk", bulk(all[0])).Want(401)
		long := r.Do("ada", "POST", "/ext/v1/bulk", bulk(post("/v3/channels", operation{"title": "Long", "description": strings.Repeat("x", 1001)}),
			post("/v3/channels", operation{"title": "$0.description.plain"}))).Want(200)
		if got := fmt.Sprint(statusesOf(long)); got != "[201 422]" {
			t.Errorf("%s: %s", got, long.Body)
		}
		key := []string{"Idempotency-Key", "once"}
		first := r.Do("ada", "POST", "/ext/v1/bulk", allOrNone(all[0]), key...).Want(200)
		again := r.Do("ada", "POST", "/ext/v1/bulk", allOrNone(all[0]), key...).Want(200)
		if first.Int("results.0.body.id") != again.Int("results.0.body.id") {
			t.Errorf("the key does not make the request repeatable: %s", again.Body)
		}
	})
}

// TestBulkIsCounted: each operation counts as a request, and none is carried out if the limit does not allow all.
func TestBulkIsCounted(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, func(c *config.Config) {
		c.RateLimits = map[string]int{"guest": 5, "free": 5, "premium": 5, "supporter": 5}
	})
	make3 := bulk(post("/v3/channels", operation{"title": "1"}), post("/v3/channels", operation{"title": "2"}), post("/v3/channels", operation{"title": "3"}))
	r.Do("ada", "POST", "/ext/v1/bulk", make3).Want(200)
	r.Do("ada", "POST", "/ext/v1/bulk", make3).Want(429)
	if n := r.Get("ada", "/v3/users/ada/contents").Int("meta.total_count"); n != 3 {
		t.Errorf("%d channels were created, want 3", n)
	}
}

// TestIfMatch: a write with the tag of another state changes nothing, and one of several with the same tag wins.
func TestIfMatch(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel := r.Channel("ada", "Channel", "closed")
		block := r.Block("ada", "moss", channel)
		connection := r.Get("ada", "/v3/channels/%d/contents", channel).Int("data.0.connection.id")
		comment := r.Do("ada", "POST", fmt.Sprintf("/v3/blocks/%d/comments", block), operation{"body": "Well"}).Want(201).Int("id")
		group := r.Group("Team", "ada")
		for i, c := range []struct {
			read, method, write string
			body                func(n int) any
		}{
			{at("/ext/v1/blocks/%d", block), "PUT", at("/v3/blocks/%d", block), func(n int) any { return operation{"title": fmt.Sprint("T ", n)} }},
			{at("/ext/v1/channels/%d", channel), "PUT", at("/v3/channels/%d", channel), func(n int) any { return operation{"title": fmt.Sprint("T ", n)} }},
			{at("/ext/v1/connections/%d", connection), "PUT", at("/v3/connections/%d", connection), func(n int) any { return operation{"metadata": operation{"n": n}} }},
			{at("/ext/v1/comments/%d", comment), "PATCH", at("/ext/v1/comments/%d", comment), func(n int) any { return operation{"body": fmt.Sprint("Text ", n)} }},
			{at("/ext/v1/groups/%d", int64(group)), "PUT", at("/v3/groups/%d", int64(group)), func(n int) any { return operation{"name": fmt.Sprint("Name ", n)} }},
			{"/ext/v1/users/ada", "PATCH", "/ext/v1/me", func(n int) any { return operation{"bio": fmt.Sprint("Bio ", n)} }},
		} {
			tag := r.Get("ada", "%s", c.read).Header.Get("ETag")
			if strings.HasPrefix(tag, "W/") || len(tag) < 4 {
				t.Fatalf("%s has the tag %s", c.read, tag)
			}
			r.Do("ada", "GET", c.read, nil, "If-None-Match", tag).Want(304)
			for _, bad := range []string{`"0123456789abcdef"`, "W/" + tag, "nonsense", `""`} {
				r.Do("ada", c.method, c.write, c.body(0), "If-Match", bad).Want(412)
			}
			if now := r.Get("ada", "%s", c.read).Header.Get("ETag"); now != tag {
				t.Errorf("%d: a refused write changed something", i)
			}
			r.Do("ada", c.method, c.write, c.body(1), "If-Match", `"0123456789abcdef", `+tag).Want(200)
			r.Do("ada", c.method, c.write, c.body(2), "If-Match", tag).Want(412)
			r.Do("ada", c.method, c.write, c.body(3), "If-Match", "*").Want(200)
			r.Do("ada", c.method, c.write, c.body(4)).Want(200)
			some := r.Get("ada", "%s?fields=id", c.read).Header.Get("ETag")
			var won atomic.Int64
			var writers sync.WaitGroup
			for n := range 4 {
				writers.Go(func() {
					switch res := r.Do("ada", c.method, c.write, c.body(10+n), "If-Match", some); res.Status {
					case http.StatusOK:
						won.Add(1)
					case http.StatusPreconditionFailed:
					default:
						t.Errorf("%s: %d %s", c.write, res.Status, res.Body)
					}
				})
			}
			writers.Wait()
			if won.Load() != 1 {
				t.Errorf("%s: %d writers won", c.write, won.Load())
			}
		}
		tag := r.Get("ada", "/ext/v1/blocks/%d", block).Header.Get("ETag")
		res := r.Do("ada", "POST", "/ext/v1/bulk", bulk(
			operation{"method": "PUT", "path": at("/v3/blocks/%d", block), "body": operation{"title": "a"}, "if_match": tag},
			operation{"method": "DELETE", "path": at("/ext/v1/blocks/%d", block), "if_match": tag})).Want(200)
		if got := fmt.Sprint(statusesOf(res)); got != "[200 412]" {
			t.Errorf("%s: %s", got, res.Body)
		}
		r.Do("ben", "DELETE", at("/ext/v1/blocks/%d", block), nil, "If-Match", "*").Want(403)
		r.Do("ada", "DELETE", "/ext/v1/blocks/999999", nil, "If-Match", "*").Want(404)
		r.Do("ada", "DELETE", at("/ext/v1/blocks/%d", block), nil, "If-Match", r.Get("ada", "/ext/v1/blocks/%d", block).Header.Get("ETag")).Want(204)
	})
}
