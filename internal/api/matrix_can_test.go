package api_test

import (
	"fmt"
	"testing"

	"vitrine/internal/apptest"
)

// canRows maps every flag of `can` to its operation in the matrix.
var canRows = []struct{ resource, flag, operation string }{
	{"channels", "add_to", "createBlock"},
	{"channels", "add_to", "connect a block here"},
	{"channels", "add_to", "connect a channel here"},
	{"channels", "update", "updateChannel title"},
	{"channels", "destroy", "deleteChannel"},
	{"channels", "manage_collaborators", "addCollaborator"},
	{"channels", "manage_collaborators", "removeCollaborator crew"},
	{"blocks", "manage", "updateBlock"},
	{"blocks", "connect", "connect its block elsewhere"},
	{"connections", "remove", "deleteConnection by author"},
	{"connections", "remove", "deleteConnection by owner"},
}

// TestCan compares everyone's `can` with the result of the operation.
func TestCan(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		m, promised := newMatrix(r), map[string]int{} // flags that were true, by name
		everyone(func(as, visibility string) {
			var s *stage
			for _, row := range canRows {
				if s == nil {
					s = m.stage(as, visibility)
				}
				at := s.address(row.resource, row.operation)
				res := m.Do(as, "GET", at, nil)
				can := res.Status == 200 && res.Bool("can."+row.flag)
				got := operations[row.operation](m, s, as)
				allowed := got.Status/100 == 2
				if allowed != can || as == "" && can {
					t.Errorf("%s, %s, as %q: can.%s is %t, but %s gives %d",
						at, visibility, as, row.flag, can, row.operation, got.Status)
				}
				if can {
					promised[row.flag]++
				}
				if allowed {
					s = nil
				}
			}
		})
		for _, row := range canRows {
			if promised[row.flag] == 0 {
				t.Errorf("nobody ever had can.%s", row.flag)
			}
		}
	})
}

// address returns the path of the resource of an operation in the matrix.
func (s *stage) address(resource, operation string) string {
	id := map[string]int64{"channels": s.channel, "blocks": s.block, "connections": s.made}[resource]
	if operation == "deleteConnection by owner" {
		id = s.kept
	}
	return fmt.Sprintf("/v3/%s/%d", resource, id)
}

// TestCanComment: everyone signed in with write scope may comment on visible blocks.
func TestCanComment(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		block := r.Block("author", "Seen by all", r.Channel("owner", "Open", "public"))
		for as, want := range map[string]bool{"": false, "stranger": true, "stranger/read": false,
			"author": true, "author/read": false, "owner": true} {
			if got := r.Get(as, "/v3/blocks/%d", block).Bool("can.comment"); got != want {
				t.Errorf("as %q: can.comment is %t", as, got)
			}
		}
	})
}

// TestCanOfWhatAWriteReturns: resources in responses to writes have the same `can` as when read.
func TestCanOfWhatAWriteReturns(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		same := func(written *apptest.Response, as, path string) int64 {
			t.Helper()
			read := r.Get(as, path, written.Int("id"))
			if string(read.Body) != string(written.Body) {
				t.Errorf("the write answers\n%s, reading\n%s", written.Body, read.Body)
			}
			return written.Int("id")
		}
		channel := same(r.Do("owner", "POST", "/v3/channels", `{"title":"Written"}`).Want(201), "owner", "/v3/channels/%d")
		r.Collaborate("owner", channel, "collaborator")
		at := fmt.Sprint("/v3/channels/", channel)
		same(r.Do("collaborator", "PUT", at, `{"title":"Written twice"}`).Want(200), "collaborator", "/v3/channels/%d")

		block := same(r.Do("collaborator", "POST", "/v3/blocks", `{"value":"Text","channel_ids":["written"]}`).Want(201),
			"collaborator", "/v3/blocks/%d")
		at = fmt.Sprint("/v3/blocks/", block)
		same(r.Do("collaborator", "PUT", at, `{"title":"Title"}`).Want(200), "collaborator", "/v3/blocks/%d")

		connection := r.Connect("owner", "Block", block, channel)
		at = fmt.Sprint("/v3/connections/", connection)
		same(r.Do("collaborator", "PUT", at, `{"metadata":{"a":1}}`).Want(200), "collaborator", "/v3/connections/%d")
		same(r.Do("collaborator", "POST", at+"/move", `{"movement":"move_to_top"}`).Want(200), "collaborator", "/v3/connections/%d")
	})
}

// TestCanOfOwnerWhoBecomesMember: transferring a channel to a group of the owner keeps the owner's permissions, and
// grants them to the other members.
func TestCanOfOwnerWhoBecomesMember(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		group := r.Group("Firm", "owner", "partner")
		channel := r.Channel("owner", "Handed over", "private")
		at := fmt.Sprint("/v3/channels/", channel)
		r.Do("partner", "GET", at, nil).Want(404)
		r.Do("owner", "PUT", at, map[string]any{"owner": map[string]any{"type": "Group", "id": group}}).Want(200)
		for _, as := range []string{"owner", "partner"} {
			if can := fmt.Sprint(r.Get(as, "/v3/channels/%d", channel).Get("can")); can !=
				"map[add_to:true destroy:true manage_collaborators:true update:true]" {
				t.Errorf("as %s: %s", as, can)
			}
		}
	})
}
