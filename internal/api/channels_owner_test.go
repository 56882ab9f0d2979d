package api_test

import (
	"fmt"
	"testing"

	"vitrine/internal/apptest"
)

// TestChangeOfOwner: a private channel goes from a user to a group and to another member. Who may see it is checked after
// each step.
func TestChangeOfOwner(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		group := r.Group("Firm", "ada", "ben")
		channel := r.Channel("ada", "Wandering", "private")
		at := fmt.Sprint("/v3/channels/", channel)
		r.Collaborate("ada", channel, "cleo")
		steps := []struct {
			as, kind string
			to       int64
			owner    string
			seenBy   map[string]bool
			counts   map[string]int64 // private channels in counts.channels of /v3/me
		}{
			{"ada", "User", int64(r.Person("ada").ID), "ada", map[string]bool{"ada": true, "ben": false, "cleo": true},
				map[string]int64{"ada": 1, "ben": 0}},
			{"ada", "Group", int64(group), "firm", map[string]bool{"ada": true, "ben": true, "cleo": true},
				map[string]int64{"ada": 0, "ben": 0}},
			{"ben", "Group", int64(group), "firm", map[string]bool{"ada": true, "ben": true, "cleo": true},
				map[string]int64{"ada": 0, "ben": 0}},
			{"ben", "User", int64(r.Person("ben").ID), "ben", map[string]bool{"ada": false, "ben": true, "cleo": true},
				map[string]int64{"ada": 0, "ben": 1}},
		}
		for i, step := range steps {
			res := r.Do(step.as, "PUT", at, map[string]any{"owner": map[string]any{"type": step.kind, "id": step.to}}).Want(200)
			if res.Str("owner.slug") != step.owner || res.Str("owner.type") != step.kind {
				t.Errorf("step %d: the owner is %v", i, res.Get("owner"))
			}
			for who, sees := range step.seenBy {
				if got := r.Do(who, "GET", at, nil).Status == 200; got != sees {
					t.Errorf("step %d: %s sees it: %t", i, who, got)
				}
			}
			for who, n := range step.counts {
				if got := r.Get(who, "/v3/me").Int("counts.channels"); got != n {
					t.Errorf("step %d: %s counts %d channels", i, who, got)
				}
			}
		}
	})
}

// TestOwnerToAnyoneElse: a transfer to anyone else is refused for any current owner, and changes nothing.
func TestOwnerToAnyoneElse(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		firm, foreign := r.Group("Firm", "ada", "ben"), r.Group("Foreign", "cleo")
		own := r.Channel("ada", "Own", "closed")
		firms := r.Do("ada", "POST", "/v3/channels", map[string]any{"title": "Firm's",
			"owner": map[string]any{"type": "Group", "id": firm}}).Want(201).Int("id")
		r.Collaborate("ada", own, "cleo")
		for _, channel := range []int64{own, firms} {
			before := r.Get("ada", "/v3/channels/%d", channel).Get("owner")
			for _, to := range []map[string]any{
				{"id": r.Person("ben").ID}, {"id": r.Person("cleo").ID, "type": "User"}, {"id": foreign, "type": "Group"},
				{"id": 99}, {"id": 99, "type": "Group"},
			} {
				res := r.Do("ada", "PUT", fmt.Sprint("/v3/channels/", channel), map[string]any{"owner": to})
				if res.Status != 403 {
					t.Errorf("to %v: status %d: %s", to, res.Status, res.Body)
				}
			}
			if now := r.Get("ada", "/v3/channels/%d", channel).Get("owner"); fmt.Sprint(now) != fmt.Sprint(before) {
				t.Errorf("the owner %v became %v", before, now)
			}
		}
	})
}

// TestNewOwnerIsNoCollaborator: a group that becomes the owner is removed from the collaborators.
func TestNewOwnerIsNoCollaborator(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		group := r.Group("Firm", "ada", "ben")
		channel := r.Channel("ada", "Shared", "closed")
		r.Collaborate("ada", channel, "cleo")
		r.Do("ada", "POST", fmt.Sprintf("/ext/v1/channels/%d/collaborators", channel), map[string]any{"group_id": group}).Want(201)
		res := r.Do("ada", "PUT", fmt.Sprint("/v3/channels/", channel),
			map[string]any{"owner": map[string]any{"type": "Group", "id": group}}).Want(200)
		if res.Len("collaborators") != 1 || res.Str("collaborators.0.slug") != "cleo" || res.Int("counts.collaborators") != 1 {
			t.Errorf("collaborators: %v, counted %v", res.Get("collaborators"), res.Get("counts"))
		}
	})
}
