package api_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"vitrine/internal/apptest"
)

// TestItemConnections: the channels of an item for different viewers, filtered by the creator of the connections, in both
// orders.
func TestItemConnections(t *testing.T) {
	t.Parallel()
	made := []struct{ by, owner, visibility string }{ // in this order, each in its own channel
		{"ada", "ada", "public"}, {"ben", "ada", "public"}, {"ada", "ada", "private"},
		{"ben", "ben", "closed"}, {"ben", "ben", "private"}, {"cleo", "ben", "public"},
	}
	tests := []struct {
		as, filter string
		want       []int // indexes of made
	}{
		{"", "", []int{0, 1, 3, 5}}, {"", "ALL", []int{0, 1, 3, 5}}, {"", "OWN", nil}, {"", "EXCLUDE_OWN", []int{0, 1, 3, 5}},
		{"ada", "", []int{0, 1, 2, 3, 5}}, {"ada", "ALL", []int{0, 1, 2, 3, 5}}, {"ada", "OWN", []int{0, 2}},
		{"ada", "EXCLUDE_OWN", []int{1, 3, 5}}, {"ada/read", "OWN", []int{0, 2}},
		{"ben", "ALL", []int{0, 1, 3, 4, 5}}, {"ben", "OWN", []int{1, 3, 4}}, {"ben", "EXCLUDE_OWN", []int{0, 5}},
		{"cleo", "OWN", []int{5}}, {"cleo", "EXCLUDE_OWN", []int{0, 1, 3}},
		{"dora", "OWN", nil}, {"dora", "EXCLUDE_OWN", []int{0, 1, 3, 5}},
	}
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		block := r.Block("ada", "Text", r.Channel("zoe", "For all", "public"))
		item := r.Channel("ada", "Item", "public")
		home := r.Get("", "/v3/blocks/%d/connections", block).Ints("data", "id")
		channels := make([]int64, len(made))
		for i, m := range made {
			r.Clock.Advance(time.Second)
			channels[i] = r.Channel(m.owner, fmt.Sprint("Channel ", i), m.visibility)
			r.Connect(m.by, "Block", block, channels[i])
			r.Connect(m.by, "Channel", item, channels[i])
		}
		for _, connection := range r.Get("zoe", "/v3/channels/%d/contents", home[0]).Ints("data", "connection.id") {
			r.Do("zoe", "DELETE", fmt.Sprint("/v3/connections/", connection), nil).Want(204)
		}
		check := func(path, as string, want []int64) {
			t.Helper()
			for order, newestFirst := range map[string]bool{"": true, "sort=created_at_desc&": true, "sort=created_at_asc&": false} {
				want := slices.Clone(want)
				if newestFirst {
					slices.Reverse(want)
				}
				res := r.Get(as, "%s%s", path, order)
				if got := res.Ints("data", "id"); !slices.Equal(got, want) || res.Int("meta.total_count") != int64(len(want)) {
					t.Errorf("%s%s as %q: %v of %v, want %v", path, order, as, got, res.Get("meta.total_count"), want)
				}
			}
		}
		for _, test := range tests {
			want := []int64{}
			for _, i := range test.want {
				want = append(want, channels[i])
			}
			path := fmt.Sprintf("/v3/blocks/%d/connections?", block)
			if test.filter != "" {
				path += "filter=" + test.filter + "&"
			}
			check(path, test.as, want)
			if test.filter == "ALL" {
				check(fmt.Sprintf("/v3/channels/%d/connections?", item), test.as, want)
			}
		}
	})
}

// TestItemConnectionsAfterwards: the list reflects removals, deletions and changes of visibility.
func TestItemConnectionsAfterwards(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		a, b, c := r.Channel("ada", "A", "public"), r.Channel("ada", "B", "public"), r.Channel("ada", "C", "public")
		item := r.Channel("ada", "Item", "public")
		var connections []int64
		for _, in := range []int64{a, b, c} {
			connections = append(connections, r.Connect("ada", "Channel", item, in))
		}
		steps := []struct {
			method, path, body string
			want               []int64 // for a stranger
		}{
			{"PUT", fmt.Sprint("/v3/channels/", b), `{"visibility":"private"}`, []int64{a, c}},
			{"PUT", fmt.Sprint("/v3/channels/", b), `{"visibility":"closed"}`, []int64{a, b, c}},
			{"DELETE", fmt.Sprint("/v3/connections/", connections[0]), ``, []int64{b, c}},
			{"DELETE", fmt.Sprint("/v3/channels/", b), ``, []int64{c}},
			{"DELETE", fmt.Sprint("/v3/channels/", c), ``, []int64{}},
		}
		for _, step := range steps {
			if res := r.Do("ada", step.method, step.path, step.body); res.Status/100 != 2 {
				t.Fatalf("%s %s: status %d: %s", step.method, step.path, res.Status, res.Body)
			}
			got := r.Get("ben", "/v3/channels/%d/connections?sort=created_at_asc", item).Ints("data", "id")
			if !slices.Equal(got, step.want) {
				t.Errorf("after %s %s %s: in %v, want %v", step.method, step.path, step.body, got, step.want)
			}
		}
	})
}
