package api_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"vitrine/internal/apptest"
)

// Targets have the same form for creating a block and for connecting an item. ways contains both requests, each returning
// the new connections by channel.
var ways = map[string]func(r *apptest.Rig, as string, targets map[string]any) *apptest.Response{
	"createBlock": func(r *apptest.Rig, as string, targets map[string]any) *apptest.Response {
		body := map[string]any{"value": "New"}
		maps.Copy(body, targets)
		if at, ok := body["position"]; ok {
			delete(body, "position")
			body["insert_at"] = at
		}
		return r.Do(as, "POST", "/v3/blocks", body)
	},
	"createConnection": func(r *apptest.Rig, as string, targets map[string]any) *apptest.Response {
		item := r.Block("zoe", "To connect", r.Channel("zoe", "Home", "closed"))
		body := map[string]any{"connectable_type": "Block", "connectable_id": item}
		maps.Copy(body, targets)
		return r.Do(as, "POST", "/v3/connections", body)
	},
}

// TestTargets: ids and slugs, current and former; each channel counts once.
func TestTargets(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		a, b, c := r.Channel("ada", "A one", "public"), r.Channel("ada", "B two", "closed"), r.Channel("ada", "C three", "private")
		r.Do("ada", "PUT", "/v3/channels/a-one", `{"title":"Renamed"}`).Want(200)
		id := func(n int64) map[string]any { return map[string]any{"id": n} }
		for way, do := range ways {
			for _, test := range []struct {
				targets map[string]any
				in      []int64
			}{
				{map[string]any{"channel_ids": []any{a}}, []int64{a}},
				{map[string]any{"channel_ids": []any{"b-two", c}}, []int64{b, c}},
				{map[string]any{"channel_ids": []any{a, fmt.Sprint(b)}}, []int64{a, b}},
				{map[string]any{"channel_ids": []any{a, "a-one", "renamed", a, b}}, []int64{a, b}},
				{map[string]any{"channels": []any{id(c), id(a)}}, []int64{a, c}},
				{map[string]any{"channels": []any{id(b), map[string]any{"id": "b-two", "position": 1}}}, []int64{b}},
			} {
				before := contentCounts(r, a, b, c)
				do(r, "ada", test.targets).Want(201)
				for i, channel := range []int64{a, b, c} {
					want := before[i]
					if slices.Contains(test.in, channel) {
						want++
					}
					if got := contentCounts(r, a, b, c)[i]; got != want {
						t.Errorf("%s %v: channel %d holds %d, want %d", way, test.targets, i, got, want)
					}
				}
			}
		}
	})
}

func contentCounts(r *apptest.Rig, channels ...int64) []int64 {
	r.T.Helper()
	counts := make([]int64, len(channels))
	for i, id := range channels {
		counts[i] = r.Get("ada", "/v3/channels/%d", id).Int("counts.contents")
	}
	return counts
}

// TestTargetsAreCheckedFirst: if one channel is missing or hidden (404) or may not be changed (403), nothing happens in
// the others.
func TestTargetsAreCheckedFirst(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		own, closed := r.Channel("ben", "Own", "private"), r.Channel("ada", "Closed", "closed")
		hidden, gone := r.Channel("ada", "Hidden", "private"), r.Channel("ada", "Gone", "public")
		open := r.Channel("ada", "Open", "public")
		r.Do("ada", "DELETE", fmt.Sprint("/v3/channels/", gone), nil).Want(204)
		for way, do := range ways {
			for _, test := range []struct {
				bad    []any
				status int
			}{
				{[]any{closed}, 403}, {[]any{"closed"}, 403},
				{[]any{hidden}, 404}, {[]any{"hidden"}, 404}, {[]any{gone}, 404}, {[]any{"gone"}, 404},
				{[]any{99999}, 404}, {[]any{"no-such"}, 404}, {[]any{"99999999999999999999"}, 404}, {[]any{"ben"}, 404},
				{[]any{closed, hidden}, 404}, {[]any{"no-such", closed}, 404},
			} {
				for _, targets := range [][]any{append([]any{own, open}, test.bad...), append(slices.Clone(test.bad), own, open)} {
					each := make([]any, len(targets))
					for i, id := range targets {
						each[i] = map[string]any{"id": id}
					}
					for _, body := range []map[string]any{{"channel_ids": targets}, {"channels": each}} {
						if res := do(r, "ben", body); res.Status != test.status {
							t.Errorf("%s in %v: status %d, want %d: %s", way, body, res.Status, test.status, res.Body)
						}
					}
				}
			}
		}
		for as, channels := range map[string][]int64{"ben": {own, open}, "ada": {closed, hidden}} {
			for _, id := range channels {
				if n := r.Get(as, "/v3/channels/%d", id).Int("counts.contents"); n != 0 {
					t.Errorf("channel %d got %d items", id, n)
				}
			}
		}
	})
}

// TestTargetsEachItsOwn: a position for all, or a position and metadata for each.
func TestTargetsEachItsOwn(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		targets  map[string]any
		position [2]int64 // in two channels of three items
		metadata [2]any
	}{
		"at the top":       {map[string]any{"channel_ids": []any{"a", "b"}}, [2]int64{4, 4}, [2]any{nil, nil}},
		"one for all":      {map[string]any{"channel_ids": []any{"a", "b"}, "position": 2}, [2]int64{2, 2}, [2]any{nil, nil}},
		"above the top":    {map[string]any{"channel_ids": []any{"a", "b"}, "position": 99}, [2]int64{4, 4}, [2]any{nil, nil}},
		"each its own":     {map[string]any{"channels": []any{map[string]any{"id": "b", "position": 1}, map[string]any{"id": "a", "position": 3}}}, [2]int64{3, 1}, [2]any{nil, nil}},
		"some their own":   {map[string]any{"channels": []any{map[string]any{"id": "a"}, map[string]any{"id": "b", "position": 4}}}, [2]int64{4, 4}, [2]any{nil, nil}},
		"metadata of one":  {map[string]any{"channels": []any{map[string]any{"id": "a", "metadata": map[string]any{"k": "v"}}, map[string]any{"id": "b"}}}, [2]int64{4, 4}, [2]any{"map[k:v]", nil}},
		"metadata of each": {map[string]any{"channels": []any{map[string]any{"id": "a", "metadata": map[string]any{"k": 1}}, map[string]any{"id": "b", "metadata": map[string]any{"k": false}}}}, [2]int64{4, 4}, [2]any{"map[k:1]", "map[k:false]"}},
		"the first of two": {map[string]any{"channels": []any{map[string]any{"id": "a", "position": 1}, map[string]any{"id": "a", "position": 2}, map[string]any{"id": "b", "position": 2}}}, [2]int64{1, 2}, [2]any{nil, nil}},
	}
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channels := []int64{r.Channel("ada", "A", "closed"), r.Channel("ada", "B", "private")}
		for _, value := range []string{"one", "two", "three"} {
			r.Block("ada", value, channels...)
		}
		for way, do := range ways {
			for name, test := range tests {
				do(r, "ada", test.targets).Want(201)
				for i, channel := range channels {
					newest := r.Get("ada", "/v3/channels/%d/contents?sort=created_at_desc&per=1", channel)
					position, metadata := newest.Int("data.0.connection.position"), newest.Get("data.0.connection.metadata")
					if position != test.position[i] || fmt.Sprint(metadata) != fmt.Sprint(test.metadata[i]) {
						t.Errorf("%s, %s: at %d with %v, want %d with %v", way, name, position, metadata, test.position[i], test.metadata[i])
					}
					if by := newest.Str("data.0.connection.connected_by.slug"); by != "ada" {
						t.Errorf("%s, %s: connected by %s", way, name, by)
					}
					r.Do("ada", "DELETE", fmt.Sprint("/v3/connections/", newest.Int("data.0.connection.id")), nil).Want(204)
				}
			}
		}
	})
}

// TestTwentyTargets tests the maximum number of targets.
func TestTwentyTargets(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ids := make([]int64, 20)
		for i := range ids {
			ids[i] = r.Channel("ada", fmt.Sprint("Channel ", i), "closed")
		}
		block := r.Block("ada", "Everywhere", ids...)
		if in := r.Get("ada", "/v3/blocks/%d/connections", block).Ints("data", "id"); len(in) != 20 {
			t.Errorf("it is in %v", in)
		}
		made := r.Do("ada", "POST", "/v3/connections", map[string]any{"connectable_type": "Channel",
			"connectable_id": r.Channel("ada", "Item", "closed"), "channel_ids": ids}).Want(201)
		if n := made.Len("data"); n != 20 {
			t.Errorf("%d connections", n)
		}
		for i, id := range ids { // in the order of the request
			want := fmt.Sprintf("%s/v3/channels/%d", apptest.Base, id)
			if got := made.Str(fmt.Sprintf("data.%d._links.channel.href", i)); got != want {
				t.Errorf("connection %d is in %s, want %s", i, got, want)
			}
		}
	})
}
