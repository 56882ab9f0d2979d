package api_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
)

var changedAt = regexp.MustCompile(`"(updated_at|updated-at)":"[^"]*"`)

// readAll reads everything that a deletion could change, as several viewers, without times of change.
func readAll(r *apptest.Rig, paths []string) map[string]string {
	r.T.Helper()
	all := map[string]string{}
	for _, viewer := range []string{"", "ada", "ben", "eve"} {
		for _, path := range paths {
			res := r.Do(viewer, "GET", path, nil)
			all[viewer+" "+path] = fmt.Sprint(res.Status, changedAt.ReplaceAllString(string(res.Body), ""))
		}
	}
	return all
}

// alike compares two readings.
func alike(t *testing.T, when string, before, after map[string]string) {
	t.Helper()
	for what := range before {
		if before[what] != after[what] {
			t.Errorf("%s: %s\nbefore: %s\n after: %s", when, what, before[what], after[what])
		}
	}
}

// restoreLast restores what was deleted last.
func restoreLast(r *apptest.Rig, as string) {
	r.T.Helper()
	actor := domain.Actor{UserID: r.Person(as).ID, Scope: domain.ScopeWrite}
	l, err := r.S.App.Collections.Trash(r.T.Context(), actor, domain.Page{Number: 1, Per: 10})
	if err != nil || len(l.Items) == 0 {
		r.T.Fatalf("%s has %d things in Trash, %v", as, len(l.Items), err)
	}
	if got, err := r.S.App.Collections.RestoreTrashed(r.T.Context(), actor, l.Items[0].ID); err != nil || got.Lost != 0 {
		r.T.Fatalf("restoring %s: %+v, %v", l.Items[0].Label, got, err)
	}
}

// What was deleted is gone for everybody, and comes back from Trash as it was.
func TestTrash(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		moss, fern, secret := r.Channel("ada", "Moss", "public"), r.Channel("ben", "Fern", "closed"), r.Channel("ben", "Secret", "private")
		r.Block("ada", "Low", moss)
		middle := r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": "Middle *words*", "title": "Heart", "description": "About it", "metadata": map[string]any{"shelf": "3"},
			"channel_ids": []int64{moss}}).Want(201).Int("id")
		r.Connect("ada", "Channel", fern, moss)
		r.Connect("ben", "Block", middle, fern)
		r.Connect("ben", "Block", middle, secret)
		r.Connect("ben", "Channel", moss, secret)
		r.Connect("ben", "Channel", moss, fern)
		r.Block("ben", "High", moss, fern)
		for _, by := range []string{"ada", "ben", "eve"} {
			r.Do(by, "POST", fmt.Sprintf("/v3/blocks/%d/comments", middle), map[string]any{"body": "Says " + by}).Want(201)
		}
		inMoss := r.Get("ada", "/v3/channels/%d/contents?sort=position_asc", moss).Ints("data", "connection.id")
		r.Do("ada", "PUT", fmt.Sprintf("/v3/connections/%d", inMoss[1]), map[string]any{"metadata": map[string]any{"note": "kept"}}).Want(200)
		r.Do("eve", "POST", fmt.Sprintf("/ext/v1/channels/%d/follow", moss), nil)
		var paths []string
		for _, id := range []int64{moss, fern, secret} {
			paths = append(paths, fmt.Sprint("/v3/channels/", id), fmt.Sprintf("/v3/channels/%d/contents?sort=position_asc", id), fmt.Sprintf("/v3/channels/%d/contents?sort=created_at_desc", id),
				fmt.Sprintf("/v3/channels/%d/connections", id), fmt.Sprintf("/v3/channels/%d/followers", id), fmt.Sprint("/v2/channels/", id), fmt.Sprintf("/v2/channels/%d/contents", id))
		}
		paths = append(paths, fmt.Sprint("/v3/blocks/", middle), fmt.Sprintf("/v3/blocks/%d/connections", middle), fmt.Sprintf("/v3/blocks/%d/comments", middle),
			fmt.Sprint("/v2/blocks/", middle), fmt.Sprintf("/v2/blocks/%d/channels", middle), "/v3/users/ada", "/v3/users/ben", "/v3/users/eve",
			"/v3/users/ada/contents", "/v3/users/ben/contents", "/v2/users/ada", "/v2/users/ben/channels", "/v3/search?query=heart", "/v3/search?query=moss")
		before := readAll(r, paths)
		for _, path := range paths {
			if answer := before["ben "+path]; !strings.HasPrefix(answer, "200") {
				t.Errorf("%s: %s", path, answer)
			}
		}
		block, channel := fmt.Sprint("/v3/blocks/", middle), fmt.Sprint("/v3/channels/", moss)
		gone := func(paths ...string) {
			t.Helper()
			for _, viewer := range []string{"", "ada", "ben", "eve"} {
				for _, path := range paths {
					if res := r.Do(viewer, "GET", path, nil); res.Status != 404 && !(viewer == "" && res.Status == 401) {
						t.Errorf("%s %s is %d", viewer, path, res.Status)
					}
				}
			}
		}
		deleteBlock := func() { r.Do("ada", "DELETE", strings.Replace(block, "v3", "ext/v1", 1), nil).Want(204) }
		deleteChannel := func() { r.Do("ada", "DELETE", channel, nil).Want(204) }

		deleteBlock()
		gone(block, block+"/comments", block+"/connections")
		if n := r.Get("ada", "/v3/channels/%d", moss).Int("counts.contents"); n != 3 {
			t.Errorf("%d items are left", n)
		}
		restoreLast(r, "ada")
		alike(t, "the block", before, readAll(r, paths))

		deleteChannel()
		gone(channel, channel+"/contents", channel+"/connections")
		restoreLast(r, "ada")
		alike(t, "the channel", before, readAll(r, paths))

		// Both, in either order, restored in either order: restore takes the one that was deleted last.
		deleteBlock()
		deleteChannel()
		restoreLast(r, "ada")
		restoreLast(r, "ada")
		alike(t, "the block, then the channel", before, readAll(r, paths))
		deleteChannel()
		deleteBlock()
		restoreLast(r, "ada")
		restoreLast(r, "ada")
		alike(t, "the channel, then the block", before, readAll(r, paths))
	})
}
