package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"vitrine/internal/apptest"
)

// Policies of blocks and channels are read and set by those who may, and a copy is requested from the server once.
func TestSnapshotPoliciesInTheAPI(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Web("example.com/page", apptest.Serve("text/html", []byte(`<title>Moss</title><img src="moss.png"><p>Moss`)))
		r.Web("example.com/moss.png", http.NotFound)
		channel := r.Channel("ada", "Moss", "closed")
		block, text := r.Block("ada", "https://example.com/page", channel), r.Block("ada", "Moss", channel)
		r.WorkJobs()
		ofBlock, ofChannel := fmt.Sprintf("/ext/v1/blocks/%d/snapshot-policy", block), fmt.Sprintf("/ext/v1/channels/%d/snapshot-policy", channel)
		request := fmt.Sprintf("/ext/v1/blocks/%d/snapshot-request", block)
		is := func(path, policy, effective string) {
			t.Helper()
			if got := r.Get("ada", "%s", path).Want(200); got.Str("policy") != policy || got.Str("effective") != effective {
				t.Errorf("%s: %s", path, got.Body)
			}
		}
		set := func(path, policy string) *apptest.Response {
			return r.Do("ada", "PUT", path, map[string]any{"policy": policy})
		}
		is(ofBlock, "default", "on-request")
		is(ofChannel, "default", "on-request")
		set(ofChannel, "never").Want(200)
		is(ofChannel, "never", "never")
		is(ofBlock, "default", "never")
		r.Do("ada", "POST", request, nil).Want(422)
		if got := set(ofBlock, "on-request").Want(200); got.Str("effective") != "on-request" {
			t.Errorf("%s", got.Body)
		}
		set(ofChannel, "default").Want(200)
		is(ofChannel, "default", "on-request")
		for _, path := range []string{ofBlock, ofChannel} {
			set(path, "sometimes").Want(400)
			r.Do("ada", "PUT", path, map[string]any{}).Want(400)
			r.Do("ada/read", "PUT", path, map[string]any{"policy": "never"}).Want(403)
			r.Do("bob", "PUT", path, map[string]any{"policy": "never"}).Want(403)
			r.Do("bob", "GET", path, nil).Want(403)
			r.Do("", "GET", path, nil).Want(401)
		}
		set("/ext/v1/blocks/999/snapshot-policy", "never").Want(404)
		set(fmt.Sprintf("/ext/v1/blocks/%d/snapshot-policy", text), "never").Want(422)
		set("/ext/v1/channels/nowhere/snapshot-policy", "never").Want(404)

		r.Do("ada", "GET", request, nil).Want(404)
		for range 2 {
			if got := r.Do("ada", "POST", request, nil).Want(202); got.Str("state") != "waiting" || got.Int("attempts") != 0 {
				t.Errorf("%s", got.Body)
			}
		}
		if got := r.Do("ada", "GET", request, nil).Want(200); got.Str("state") != "waiting" {
			t.Errorf("%s", got.Body)
		}
		r.Do("bob", "GET", request, nil).Want(404)
		r.Do("bob", "POST", request, nil).Want(403)
		r.Do("ada/read", "POST", request, nil).Want(403)
		r.Do("", "POST", request, nil).Want(401)
		r.Do("ada", "POST", fmt.Sprintf("/ext/v1/blocks/%d/snapshot-request", text), nil).Want(422)
		r.WorkJobs()
		r.Do("ada", "GET", request, nil).Want(404)
		all := r.Get("bob", "/ext/v1/blocks/%d/snapshots", block).Want(200)
		if all.Len("data") != 1 || all.Int("data.0.missing_count") != 1 {
			t.Fatalf("%s", all.Body)
		}
		one := r.Get("bob", "/ext/v1/snapshots/%d", all.Int("data.0.id")).Want(200)
		if one.Len("missing") != 1 || one.Str("missing.0.url") != "https://example.com/moss.png" || one.Str("missing.0.reason") != "The server answered 404 Not Found" {
			t.Errorf("%s", one.Body)
		}
	})
}
