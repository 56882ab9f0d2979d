package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// TestDeletedChannelIs404 also for its owner, on every path.
func TestDeletedChannelIs404(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		for _, visibility := range []string{"public", "closed", "private"} {
			gone, parent := r.Channel("ada", "Gone", visibility), r.Channel("ada", "Parent", "closed")
			block := r.Block("ada", "Inside", gone, parent)
			inside, itself := r.Connect("ada", "Block", block, gone), r.Connect("ada", "Channel", gone, parent)
			r.Collaborate("ada", gone, "ben")
			r.Do("ada", "DELETE", fmt.Sprint("/v3/channels/", gone), nil).Want(204)
			for _, ask := range []string{
				"GET /v3/channels/GONE", "PUT /v3/channels/GONE {}", "DELETE /v3/channels/GONE",
				"GET /v3/channels/GONE/contents", "GET /v3/channels/GONE/connections",
				"GET /ext/v1/channels/GONE/collaborators", `POST /ext/v1/channels/GONE/collaborators {"user_id":1}`,
				"DELETE /ext/v1/channels/GONE/collaborators/User/1",
				`POST /v3/blocks {"value":"Late","channel_ids":[GONE]}`,
				`POST /v3/blocks {"value":"Late","channels":[{"id":PARENT},{"id":GONE}]}`,
				`POST /v3/connections {"connectable_type":"Block","connectable_id":BLOCK,"channel_ids":[GONE]}`,
				`POST /v3/connections {"connectable_type":"Channel","connectable_id":GONE,"channel_ids":[PARENT]}`,
				"GET /v3/connections/INSIDE", "PUT /v3/connections/INSIDE {}", "DELETE /v3/connections/INSIDE",
				`POST /v3/connections/INSIDE/move {"movement":"move_up"}`,
				"GET /v3/connections/ITSELF", "PUT /v3/connections/ITSELF {}", "DELETE /v3/connections/ITSELF",
				`POST /v3/connections/ITSELF/move {"movement":"move_up"}`,
			} {
				ask = strings.NewReplacer("GONE", fmt.Sprint(gone), "PARENT", fmt.Sprint(parent), "BLOCK", fmt.Sprint(block),
					"INSIDE", fmt.Sprint(inside), "ITSELF", fmt.Sprint(itself)).Replace(ask)
				part := strings.SplitN(ask, " ", 3)
				var body any
				if len(part) == 3 {
					body = part[2]
				}
				if res := r.Do("ada", part[0], part[1], body); res.Status != 404 {
					t.Errorf("%s, %s: status %d: %s", ask, visibility, res.Status, res.Body)
				}
			}
		}
	})
}

// TestDeletedChannelLeavesListsAndCounts: its blocks stay.
func TestDeletedChannelLeavesListsAndCounts(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ block, after string }{ // visibility of a block that is only in this channel
		"public": {"public", "orphan"}, "closed": {"public", "orphan"}, "private": {"private", "orphan"},
	}
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		for visibility, test := range tests {
			gone, parent := r.Channel("ada", "Gone", visibility), r.Channel("ada", "Parent", "private")
			low := r.Block("ada", "Low", parent)
			r.Connect("ada", "Channel", gone, parent)
			high := r.Block("ada", "High", parent, gone)
			only := r.Block("ada", "Only", gone)
			if v := r.Get("ada", "/v3/blocks/%d", only).Str("visibility"); v != test.block {
				t.Errorf("%s: the block is %s", visibility, v)
			}
			channels := r.Get("ada", "/v3/me").Int("counts.channels")

			r.Do("ada", "DELETE", fmt.Sprint("/v3/channels/", gone), nil).Want(204)

			if now := r.Get("ada", "/v3/me").Int("counts.channels"); now != channels-1 {
				t.Errorf("%s: %d channels became %d", visibility, channels, now)
			}
			left := r.Get("ada", "/v3/channels/%d/contents?sort=position_asc", parent)
			if ids := left.Ints("data", "id"); !slices.Equal(ids, []int64{low, high}) {
				t.Errorf("%s: the parent holds %v", visibility, ids)
			}
			if at := left.Ints("data", "connection.position"); !slices.Equal(at, []int64{1, 2}) {
				t.Errorf("%s: positions %v", visibility, at)
			}
			counts := fmt.Sprint(r.Get("ada", "/v3/channels/%d", parent).Get("counts"))
			if counts != "map[blocks:2 channels:0 collaborators:0 contents:2]" {
				t.Errorf("%s: the parent counts %s", visibility, counts)
			}
			if in := r.Get("ada", "/v3/blocks/%d/connections", high).Ints("data", "id"); !slices.Equal(in, []int64{parent}) {
				t.Errorf("%s: the block is in %v", visibility, in)
			}
			if v := r.Get("ada", "/v3/blocks/%d", only).Str("visibility"); v != test.after {
				t.Errorf("%s: the block that was only there is %s", visibility, v)
			}
			r.Do("ben", "GET", fmt.Sprint("/v3/blocks/", only), nil).Want(404)
		}
	})
}
