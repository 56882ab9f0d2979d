package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// v2Operation is an operation of version 2, with the row of the matrix that has the same rule.
type v2Operation struct {
	row string
	do  func(m *matrix, s *stage, as string) *apptest.Response
}

// v2At returns a request about a stage's channel.
func v2At(method, below string, body func(m *matrix, s *stage, as string) any) func(m *matrix, s *stage, as string) *apptest.Response {
	return func(m *matrix, s *stage, as string) *apptest.Response {
		var sent any
		if body != nil {
			sent = body(m, s, as)
		}
		path := strings.NewReplacer("{channel}", fmt.Sprint(s.channel), "{block}", fmt.Sprint(s.block), "{made}", fmt.Sprint(s.made),
			"{kept}", fmt.Sprint(s.kept), "{shelf}", fmt.Sprint(max(m.shelf[person(as)], 1))).Replace(below)
		return m.Do(as, method, "/v2/"+path, sent)
	}
}

// params returns the same parameters for every stage.
func params(text string) func(*matrix, *stage, string) any {
	return func(*matrix, *stage, string) any { return text }
}

// v2Item identifies an item to connect or to move.
func v2Item(kind string, id func(m *matrix, s *stage) int64, more string) func(*matrix, *stage, string) any {
	return func(m *matrix, s *stage, _ string) any {
		return fmt.Sprintf(`{"connectable_type":%q,"connectable_id":"%d"%s}`, kind, id(m, s), more)
	}
}

// v2People identifies users by their ids.
func v2People(who func(m *matrix, as string) string) func(*matrix, *stage, string) any {
	return func(m *matrix, _ *stage, as string) any {
		return fmt.Sprintf(`{"ids":[%d]}`, max(m.Person(who(m, as)).ID, 1))
	}
}

var (
	theBlock   = func(_ *matrix, s *stage) int64 { return s.block }
	theChannel = func(_ *matrix, s *stage) int64 { return s.channel }
	spareBlock = func(m *matrix, _ *stage) int64 { return m.spare }
	openOne    = func(m *matrix, _ *stage) int64 { return m.open }
	bystander  = func(*matrix, string) string { return "bystander" }
	oneself    = func(_ *matrix, as string) string { return person(as) }
)

// v2Operations are the operations of version 2 on channels, blocks and connections.
var v2Operations = map[string]v2Operation{
	"getChannel":                  {"getChannel", v2At("GET", "channels/{channel}", nil)},
	"getChannelThumb":             {"getChannel", v2At("GET", "channels/{channel}/thumb", nil)},
	"getChannelContents":          {"getChannelContents", v2At("GET", "channels/{channel}/contents", nil)},
	"getChannelConnections":       {"getChannelConnections", v2At("GET", "channels/{channel}/connections", nil)},
	"getChannelChannels":          {"getChannelConnections", v2At("GET", "channels/{channel}/channels", nil)},
	"getChannelFollowers":         {"getChannel", v2At("GET", "channels/{channel}/followers", nil)},
	"getChannelFeed":              {"getChannel", v2At("GET", "channel/{channel}/feed", nil)},
	"getCollaborators":            {"getCollaborators", v2At("GET", "channels/{channel}/collaborators", nil)},
	"getBlock":                    {"getBlock", v2At("GET", "blocks/{block}", nil)},
	"getBlockChannels":            {"getBlockConnections", v2At("GET", "blocks/{block}/channels", nil)},
	"getComments":                 {"getBlock", v2At("GET", "blocks/{block}/comments", nil)},
	"updateChannel title":         {"updateChannel title", v2At("PUT", "channels/{channel}", params(`{"title":"Another"}`))},
	"updateChannel description":   {"updateChannel title", v2At("PUT", "channels/{channel}", params(`{"description":"Other words"}`))},
	"updateChannel status":        {"updateChannel visibility", v2At("PUT", "channels/{channel}", otherStatus)},
	"deleteChannel":               {"deleteChannel", v2At("DELETE", "channels/{channel}", nil)},
	"createBlock":                 {"createBlock", v2At("POST", "channels/{channel}/blocks", params(`{"content":"New"}`))},
	"updateBlock":                 {"updateBlock", v2At("PUT", "blocks/{block}", params(`{"content":"Changed"}`))},
	"connect a block here":        {"connect a block here", v2At("POST", "channels/{channel}/connections", v2Item("Block", spareBlock, ""))},
	"connect a channel here":      {"connect a channel here", v2At("POST", "channels/{channel}/connections", v2Item("Channel", openOne, ""))},
	"connect its block elsewhere": {"connect its block elsewhere", v2At("POST", "channels/{shelf}/connections", v2Item("Block", theBlock, ""))},
	"connect it elsewhere":        {"connect it elsewhere", v2At("POST", "channels/{shelf}/connections", v2Item("Channel", theChannel, ""))},
	"sort by ids":                 {"moveConnection", v2At("PUT", "channels/{channel}/sort", everyID)},
	"sort to a position":          {"moveConnection", v2At("PUT", "channels/{channel}/sort", v2Item("Block", theBlock, `,"new_position":2`))},
	"selectBlock":                 {"moveConnection", v2At("PUT", "channels/{channel}/blocks/{block}/selection", nil)},
	"selectConnection":            {"moveConnection", v2At("PUT", "connections/{made}/selection", nil)},
	"deleteConnection by author":  {"deleteConnection by author", v2At("DELETE", "connections/{made}", nil)},
	"deleteConnection by owner":   {"deleteConnection by owner", v2At("DELETE", "connections/{kept}", nil)},
	"removeConnection by author":  {"deleteConnection by author", v2At("DELETE", "channels/{channel}/connections/{made}", nil)},
	"removeConnection by owner":   {"deleteConnection by owner", v2At("DELETE", "channels/{channel}/connections/{kept}", nil)},
	"removeBlock":                 {"deleteConnection by author", v2At("DELETE", "channel/{channel}/blocks/{block}", nil)},
	"addCollaborators":            {"addCollaborator", v2At("POST", "channels/{channel}/collaborators", v2People(bystander))},
	"setCollaborators":            {"addCollaborator", v2At("PUT", "channels/{channel}/collaborators", v2People(bystander))},
	"removeCollaborators":         {"removeCollaborator crew", v2At("DELETE", "channels/{channel}/collaborators", v2People(bystander))},
	"removeCollaborators oneself": {"removeCollaborator oneself", v2At("DELETE", "channels/{channel}/collaborators", v2People(oneself))},
	// Everyone who sees a thing may connect it elsewhere, and the same rule applies here.
	"createComment":   {"connect its block elsewhere", v2At("POST", "blocks/{block}/comments", params(`{"body":"Hear, hear"}`))},
	"followChannel":   {"connect it elsewhere", v2At("POST", "channel/{channel}/follow", nil)},
	"unfollowChannel": {"connect it elsewhere", v2At("DELETE", "channels/{channel}/follow", nil)},
}

func otherStatus(m *matrix, s *stage, _ string) any {
	now := m.Get(s.keeper, "/v2/channels/%d", s.channel).Str("status")
	return map[string]any{"status": map[string]string{"public": "private", "closed": "public", "private": "closed"}[now]}
}

// everyID returns all blocks of a stage in reverse order.
func everyID(m *matrix, s *stage, _ string) any {
	return fmt.Sprintf(`{"ids[]":["%d",%d]}`, m.loose, s.block)
}

// apart are the operations that change a stage for its actor. Each of them gets its own stage.
var apart = []string{"updateChannel status", "deleteChannel", "deleteConnection by author", "deleteConnection by owner",
	"removeConnection by author", "removeConnection by owner", "removeBlock", "setCollaborators", "removeCollaborators oneself"}

// TestV2Matrix tries every operation of version 2 as everyone: it allows and hides the same as version 3.
func TestV2Matrix(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		m := newMatrix(r)
		everyone(func(as, visibility string) {
			s := m.stage(as, visibility)
			before := m.state(s)
			for name, op := range v2Operations {
				if want := op.status(t, as, visibility); want[0] != '2' || strings.HasPrefix(name, "get") {
					m.tryV2(name, op, s, as, visibility)
				}
			}
			if now := m.state(s); now != before {
				t.Errorf("%s, as %q: after what should change nothing,\n%s became\n%s", visibility, as, before, now)
			}
			for name, op := range v2Operations {
				if want := op.status(t, as, visibility); want[0] != '2' || strings.HasPrefix(name, "get") {
					continue
				}
				if slices.Contains(apart, name) {
					m.tryV2(name, op, m.stage(as, visibility), as, visibility)
				} else {
					m.tryV2(name, op, s, as, visibility)
				}
			}
		})
	})
}

// status returns version 3's status for the actor and the same rule.
func (op v2Operation) status(t *testing.T, as, visibility string) string {
	t.Helper()
	for _, row := range matrixRows {
		if row.operation == op.row && strings.Contains(row.in, visibility) {
			return row.status(as)
		}
	}
	t.Fatalf("there is no row %q for %s", op.row, visibility)
	return ""
}

// tryV2 performs an operation on a stage. Version 2 responds with 401 to forbidden requests, unless the token's scope is
// too narrow.
func (m *matrix) tryV2(name string, op v2Operation, s *stage, as, visibility string) {
	m.T.Helper()
	want := op.status(m.T.(*testing.T), as, visibility)
	if want == "403" && !strings.HasSuffix(as, "/read") {
		want = "401"
	}
	res := op.do(m, s, as)
	if got := fmt.Sprint(res.Status); got != want && (want[0] != '2' || got[0] != '2') {
		m.T.Errorf("%s, %s, as %q: status %d, want %s: %s", name, visibility, as, res.Status, want, res.Body)
	}
}

// The matrix contains every operation of version 2 on channels, blocks and connections.
func TestV2MatrixIsWhole(t *testing.T) {
	t.Parallel()
	tried := map[string]bool{"listChannels": true, "createChannel": true, // about no particular thing
		"connect": true, "updateComment": true, "deleteComment": true} // in TestV2Comments
	for name := range v2Operations {
		first, _, _ := strings.Cut(name, " ")
		tried[first] = true
	}
	tried["createConnection"], tried["sortChannel"] = tried["connect"], tried["sort"]
	for _, op := range apptest.New(t).S.API.V2.Operations() {
		for _, of := range []string{"/v2/channels", "/v2/blocks", "/v2/connections"} {
			if strings.HasPrefix(op.Path, of) && !tried[op.ID] {
				t.Errorf("%s is not tried", op.ID)
			}
		}
	}
}
