package api_test

import (
	"fmt"
	"testing"

	"vitrine/internal/apptest"
)

// Reports through the API: everyone with write scope may report what they see, once.
func TestReports(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		open, shed := r.Channel("ada", "Garden", "public"), r.Channel("ada", "Shed", "private")
		block := r.Block("ada", "moss", open)
		report := func(kind string, id int64) map[string]any {
			return map[string]any{"type": kind, "id": id, "reason": "spam"}
		}
		r.Do("", "POST", "/ext/v1/reports", report("Block", block)).Want(401)
		r.Do("bob", "POST", "/ext/v1/reports", report("Channel", shed)).Want(404)
		r.Do("bob", "POST", "/ext/v1/reports", report("User", 999)).Want(404)
		r.Do("ada", "POST", "/ext/v1/reports", report("Block", block)).Want(422)
		for _, bad := range []any{nil, map[string]any{}, map[string]any{"type": "Site", "id": 1, "reason": "spam"}, report("Block", 0),
			map[string]any{"type": "Block", "id": block, "reason": "taste"}, map[string]any{"type": "Block", "id": block, "reason": "other"},
			map[string]any{"type": "Block", "id": fmt.Sprint(block), "reason": "spam"}} {
			r.Do("bob", "POST", "/ext/v1/reports", bad).Want(400)
		}
		r.Do("bob", "POST", "/ext/v1/reports", report("Block", block)).Want(204)
		r.Do("bob", "POST", "/ext/v1/reports", report("Block", block)).Want(409)
		r.Do("cem", "POST", "/ext/v1/reports", report("Block", block)).Want(204)
		r.Do("bob", "POST", "/ext/v1/reports", report("Channel", open)).Want(204)
	})
}
