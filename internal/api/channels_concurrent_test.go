package api_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// TestSameTitleAtOnce: channels that get the same title concurrently get different slugs, and one of them the plain one.
func TestSameTitleAtOnce(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		var channels []int64
		for i := range 10 {
			channels = append(channels, r.Channel("ada", fmt.Sprint("Before ", i), "closed"))
		}
		answers := atOnce(t, 20, func(i int) *apptest.Response {
			if i < len(channels) {
				return r.Do("ada", "PUT", fmt.Sprint("/v3/channels/", channels[i]), `{"title":"The same"}`)
			}
			return r.Do("ada", "POST", "/v3/channels", `{"title":"The same"}`)
		})
		slugs := map[string]int64{}
		for _, res := range answers {
			if res.Status/100 != 2 {
				t.Errorf("status %d: %s", res.Status, res.Body)
				continue
			}
			slug := res.Str("slug")
			slugs[slug] = res.Int("id")
			if slug != "the-same" && !strings.HasPrefix(slug, "the-same-") {
				t.Errorf("slug %q", slug)
			}
		}
		if len(slugs) != len(answers) || slugs["the-same"] == 0 {
			t.Errorf("%d slugs of %d channels: %v", len(slugs), len(answers), slugs)
		}
		for slug, id := range slugs {
			if got := r.Get("", "/v3/channels/%s", slug).Int("id"); got != id {
				t.Errorf("%s leads to %d, not to %d", slug, got, id)
			}
		}
	})
}

// TestRenameAtOnce: a channel that is renamed concurrently has the slug of its last title, and can be read by all of its
// slugs.
func TestRenameAtOnce(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel := r.Channel("ada", "Before", "closed")
		answers := atOnce(t, 20, func(i int) *apptest.Response {
			return r.Do("ada", "PUT", fmt.Sprint("/v3/channels/", channel), map[string]any{"title": fmt.Sprint("Title ", i%5)})
		})
		for i, res := range answers {
			if slug := res.Want(200).Str("slug"); slug != fmt.Sprint("title-", i%5) {
				t.Errorf("title %d gave %q", i%5, slug)
			}
			if id := r.Get("", "/v3/channels/title-%d", i%5).Int("id"); id != channel {
				t.Errorf("title-%d leads to %d", i%5, id)
			}
		}
		now := r.Get("", "/v3/channels/%d", channel)
		if want := strings.ReplaceAll(strings.ToLower(now.Str("title")), " ", "-"); now.Str("slug") != want {
			t.Errorf("%q has the slug %q", now.Str("title"), now.Str("slug"))
		}
	})
}

// TestDeleteAtOnce: while a channel is deleted, others add to it, connect it, open it and delete it too. Afterwards it is
// gone everywhere.
func TestDeleteAtOnce(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		for range 3 {
			gone, parent := r.Channel("ada", "Gone", "private"), r.Channel("ada", "Parent", "closed")
			at := fmt.Sprint("/v3/channels/", gone)
			block := r.Block("ada", "Inside", gone)
			r.Connect("ada", "Channel", gone, parent)
			answers := atOnce(t, 18, func(i int) *apptest.Response {
				switch i % 6 {
				case 0:
					return r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": "Late", "channel_ids": []int64{parent, gone}})
				case 1:
					return r.Do("ada", "POST", "/v3/connections", map[string]any{"connectable_type": "Channel", "connectable_id": gone, "channel_ids": []int64{parent}})
				case 2:
					return r.Do("ada", "POST", "/v3/connections", map[string]any{"connectable_type": "Block", "connectable_id": block, "channel_ids": []int64{gone}})
				case 3:
					return r.Do("ada", "PUT", at, `{"visibility":"public"}`)
				case 4:
					return r.Do("ada", "POST", fmt.Sprintf("/ext/v1/channels/%d/collaborators", gone), map[string]any{"user_id": r.Person("ben").ID})
				}
				return r.Do("ada", "DELETE", at, nil)
			})
			deleted := 0
			for _, res := range answers {
				if res.Status == 204 {
					deleted++
				}
			}
			if deleted != 1 {
				t.Errorf("deleted %d times: %s", deleted, statuses(answers))
			}
			r.Do("ada", "GET", at, nil).Want(404)
			if v := r.Get("ada", "/v3/blocks/%d", block).Str("visibility"); v != "orphan" {
				t.Errorf("its block is %s", v)
			}
			if n := r.Get("ada", "/v3/channels/%d", parent).Int("counts.channels"); n != 0 {
				t.Errorf("its parent counts %d channels", n)
			}
			dense(r, parent)
		}
	})
}

// TestCollaborateAtOnce: concurrent requests add a collaborator once.
func TestCollaborateAtOnce(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel := r.Channel("ada", "Shared", "closed")
		at, ben := fmt.Sprintf("/ext/v1/channels/%d/collaborators", channel), r.Person("ben").ID
		answers := atOnce(t, 10, func(int) *apptest.Response { return r.Do("ada", "POST", at, map[string]any{"user_id": ben}) })
		if got := statuses(answers); got != "map[200:9 201:1]" {
			t.Errorf("answers %s", got)
		}
		if n := r.Get("", "/v3/channels/%d", channel).Int("counts.collaborators"); n != 1 {
			t.Errorf("counts %d collaborators", n)
		}
	})
}

// TestMetadataAtOnce: concurrent merges lose no key.
func TestMetadataAtOnce(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		for _, at := range carriers(r) {
			answers := atOnce(t, 20, func(i int) *apptest.Response {
				return r.Do("ada", "PUT", at, fmt.Sprintf(`{"metadata":{"key%d":%d}}`, i, i))
			})
			if got := statuses(answers); got != "map[200:20]" {
				t.Errorf("%s: answers %s", at, got)
			}
			if keys, _ := r.Get("ada", "%s", at).Get("metadata").(map[string]any); len(keys) != 20 {
				t.Errorf("%s: %v", at, keys)
			}
		}
	})
}
