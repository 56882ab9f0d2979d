package api_test

import (
	"fmt"
	"slices"
	"testing"

	"vitrine/internal/apptest"
)

// TestConnectionOfAHiddenChannel: a connection is 404, even for the owner of the containing channel, while its item is
// hidden.
func TestConnectionOfAHiddenChannel(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		open, hidden := r.Channel("ada", "Open", "public"), r.Channel("ben", "Hidden", "private")
		at := fmt.Sprint("/v3/connections/", r.Connect("ben", "Channel", hidden, open))
		r.Block("ada", "Above", open)
		tests := []struct {
			visibility string
			want       map[string]string // GET, PUT, move
		}{
			{"private", map[string]string{"": "[404 401 401]", "ada": "[404 404 404]", "ada/read": "[404 403 403]", "zoe": "[404 404 404]", "ben": "[200 403 403]"}},
			{"closed", map[string]string{"": "[200 401 401]", "ada": "[200 200 200]", "ada/read": "[200 403 403]", "zoe": "[200 403 403]", "ben": "[200 403 403]"}},
		}
		for _, test := range tests {
			r.Do("ben", "PUT", fmt.Sprint("/v3/channels/", hidden), map[string]any{"visibility": test.visibility}).Want(200)
			for as, want := range test.want {
				got := []int{r.Do(as, "GET", at, nil).Status, r.Do(as, "PUT", at, `{"metadata":{"a":"b"}}`).Status,
					r.Do(as, "POST", at+"/move", `{"movement":"move_down"}`).Status}
				if fmt.Sprint(got) != want {
					t.Errorf("%s, as %q: %v, want %s", test.visibility, as, got, want)
				}
			}
		}
		r.Do("ben", "PUT", fmt.Sprint("/v3/channels/", hidden), `{"visibility":"private"}`).Want(200)
		r.Do("ada", "DELETE", at, nil).Want(404)
		r.Do("ben", "DELETE", at, nil).Want(204)
	})
}

// TestHiddenChannelFollowsItsOwner: contents change with the permission to see an item, not only with the item.
func TestHiddenChannelFollowsItsOwner(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		firm := r.Group("Firm", "ben", "cleo")
		open, hidden := r.Channel("ada", "Open", "public"), r.Channel("ben", "Hidden", "private")
		r.Connect("ben", "Channel", hidden, open)
		at, collaborators := fmt.Sprint("/v3/channels/", hidden), fmt.Sprintf("/ext/v1/channels/%d/collaborators", hidden)
		steps := []struct {
			method, path string
			body         any
			seenBy       []string // some of ada, ben, cleo
		}{
			{"GET", at, nil, []string{"ben"}},
			{"POST", collaborators, map[string]any{"group_id": firm}, []string{"ben", "cleo"}},
			{"DELETE", fmt.Sprintf("%s/Group/%d", collaborators, firm), nil, []string{"ben"}},
			{"PUT", at, map[string]any{"owner": map[string]any{"type": "Group", "id": firm}}, []string{"ben", "cleo"}},
			{"POST", collaborators, map[string]any{"user_id": r.Person("ada").ID}, []string{"ada", "ben", "cleo"}},
			{"PUT", at, map[string]any{"owner": map[string]any{"id": r.Person("ben").ID}}, []string{"ada", "ben"}},
			{"PUT", at, map[string]any{"visibility": "closed"}, []string{"ada", "ben", "cleo"}},
			{"PUT", at, map[string]any{"visibility": "private"}, []string{"ada", "ben"}},
			{"DELETE", at, nil, nil},
		}
		for i, step := range steps {
			if res := r.Do("ben", step.method, step.path, step.body); res.Status/100 != 2 {
				t.Fatalf("step %d: status %d: %s", i, res.Status, res.Body)
			}
			for _, who := range []string{"ada", "ben", "cleo"} {
				res := r.Get(who, "/v3/channels/%d/contents", open)
				if sees := res.Int("meta.total_count") == 1; sees != slices.Contains(step.seenBy, who) || sees != (res.Len("data") == 1) {
					t.Errorf("step %d: %s gets %s", i, who, res.Body)
				}
			}
		}
	})
}
