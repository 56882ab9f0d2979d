package api_test

import (
	"fmt"
	"testing"
	"time"

	"vitrine/internal/apptest"
)

// TestConnect: the fields of a new connection.
func TestConnect(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel, item := r.Channel("ada", "Channel", "public"), r.Channel("ben", "Item", "closed")
		block := r.Block("ada", "First", channel)
		for kind, id := range map[string]int64{"Block": r.Block("ben", "Ben's", item), "Channel": item} {
			made := r.Do("cleo", "POST", "/v3/connections", map[string]any{"connectable_type": kind, "connectable_id": id,
				"channels": []any{map[string]any{"id": "channel", "position": 1, "metadata": map[string]any{"k": "v"}}}}).Want(201)
			for field, want := range map[string]any{"data.0.position": 1, "data.0.pinned": false, "data.0.metadata.k": "v",
				"data.0.connected_by.slug": "cleo", "data.0.can.remove": true} {
				if got := made.Get(field); fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s: %s is %v, want %v", kind, field, got, want)
				}
			}
			for as, remove := range map[string]bool{"": false, "ada": true, "ben": false, "cleo": true, "cleo/read": false} {
				if got := r.Get(as, "/v3/connections/%d", made.Int("data.0.id")).Bool("can.remove"); got != remove {
					t.Errorf("%s: as %q can.remove is %t", kind, as, got)
				}
			}
		}
		if got := r.Get("", "/v3/channels/channel/contents").Int("data.0.id"); got != block {
			t.Errorf("what was there first is not at the top, but %d", got)
		}
		counts := fmt.Sprint(r.Get("", "/v3/channels/channel").Get("counts"))
		if counts != "map[blocks:2 channels:1 collaborators:0 contents:3]" {
			t.Errorf("the channel counts %s", counts)
		}
	})
}

// TestConnectAgain: an item in a channel keeps its connection, regardless of who connects it again, where and with which
// fields.
func TestConnectAgain(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel, other := r.Channel("ada", "Channel", "public"), r.Channel("ada", "Other", "public")
		item := r.Channel("ada", "Item", "closed")
		block := r.Block("ada", "Block", other)
		for kind, id := range map[string]int64{"Block": block, "Channel": item} {
			first := r.Do("ada", "POST", "/v3/connections", map[string]any{"connectable_type": kind, "connectable_id": id,
				"channels": []any{map[string]any{"id": channel, "position": 1, "metadata": map[string]any{"k": "v"}}}}).Want(201).Int("data.0.id")
			r.Block("ada", "Above", channel)
			before := r.Get("ben", "/v3/channels/%d/contents", channel)
			whole, connection := r.Get("ben", "/v3/channels/%d", channel), r.Get("ben", "/v3/connections/%d", first)
			r.Clock.Advance(time.Hour)
			for _, targets := range []map[string]any{
				{"channel_ids": []any{channel}}, {"channel_ids": []any{channel, "channel"}, "position": 2},
				{"channels": []any{map[string]any{"id": channel, "position": 1, "metadata": map[string]any{"k": "w", "l": 1}}}},
			} {
				for _, as := range []string{"ada", "ben"} {
					targets["connectable_type"], targets["connectable_id"] = kind, id
					again := r.Do(as, "POST", "/v3/connections", targets).Want(201)
					if again.Len("data") != 1 || again.Int("data.0.id") != first {
						t.Errorf("%s, %v: %s", kind, targets, again.Body)
					}
				}
			}
			for was, now := range map[*apptest.Response]*apptest.Response{
				before: r.Get("ben", "/v3/channels/%d/contents", channel), whole: r.Get("ben", "/v3/channels/%d", channel),
				connection: r.Get("ben", "/v3/connections/%d", first),
			} {
				if string(was.Body) != string(now.Body) {
					t.Errorf("%s:\n%s became\n%s", kind, was.Body, now.Body)
				}
			}
		}
		// To a new channel and to one that already contains it: one connection is new.
		third := r.Channel("ada", "Third", "closed")
		res := r.Do("ada", "POST", "/v3/connections", map[string]any{"connectable_type": "Block", "connectable_id": block,
			"channel_ids": []any{third, other}}).Want(201)
		if res.Len("data") != 2 || contentCounts(r, third)[0] != 1 || contentCounts(r, other)[0] != 1 {
			t.Errorf("to two: %s", res.Body)
		}
	})
}

// TestConnectAfterRemoval creates a new connection.
func TestConnectAfterRemoval(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel, item := r.Channel("ada", "Channel", "closed"), r.Channel("ada", "Item", "closed")
		first := r.Connect("ada", "Channel", item, channel)
		r.Do("ada", "DELETE", fmt.Sprint("/v3/connections/", first), nil).Want(204)
		if second := r.Connect("ada", "Channel", item, channel); second == first {
			t.Errorf("connection %d came back", first)
		}
		r.Do("ada", "GET", fmt.Sprint("/v3/connections/", first), nil).Want(404)
	})
}

// TestCycles: two channels may contain each other, but a channel cannot contain itself.
func TestCycles(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		a, b, c := r.Channel("ada", "A", "closed"), r.Channel("ada", "B", "private"), r.Channel("ada", "C", "public")
		for _, pair := range [][2]int64{{a, b}, {b, c}, {c, a}, {b, a}} {
			r.Connect("ada", "Channel", pair[0], pair[1])
		}
		for _, targets := range []map[string]any{{"channel_ids": []any{a}}, {"channel_ids": []any{"a"}}, {"channel_ids": []any{b, a}},
			{"channels": []any{map[string]any{"id": c}, map[string]any{"id": "a"}}}} {
			targets["connectable_type"], targets["connectable_id"] = "Channel", a
			if res := r.Do("ada", "POST", "/v3/connections", targets); res.Status != 422 {
				t.Errorf("%v: status %d: %s", targets, res.Status, res.Body)
			}
		}
		if counts := fmt.Sprint(contentCounts(r, a, b, c)); counts != "[2 1 1]" {
			t.Errorf("they hold %s", counts)
		}
		r.Do("ada", "PUT", fmt.Sprint("/v3/channels/", a), `{"visibility":"private"}`).Want(200)
		r.Do("ada", "DELETE", fmt.Sprint("/v3/channels/", b), nil).Want(204)
		if counts := fmt.Sprint(contentCounts(r, a, c)); counts != "[1 0]" {
			t.Errorf("without B they hold %s", counts)
		}
	})
}

// TestConnectRefused: missing items, and items of another type.
func TestConnectRefused(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel := r.Channel("ada", "Channel", "public")
		hidden := r.Channel("ben", "Hidden", "private")
		block := r.Block("ben", "Hidden", hidden)
		for _, test := range []struct {
			kind   string
			id     int64
			status int
		}{
			{"Block", block, 404}, {"Channel", hidden, 404}, {"Block", 9999, 404}, {"Channel", 9999, 404},
			{"Block", 0, 400}, {"User", 1, 400}, {"block", block, 400}, {"Text", block, 400},
		} {
			res := r.Do("ada", "POST", "/v3/connections", map[string]any{"connectable_type": test.kind,
				"connectable_id": test.id, "channel_ids": []int64{channel}})
			if res.Status != test.status {
				t.Errorf("%s %d: status %d, want %d: %s", test.kind, test.id, res.Status, test.status, res.Body)
			}
		}
		if n := contentCounts(r, channel)[0]; n != 0 {
			t.Errorf("the channel got %d items", n)
		}
	})
}
