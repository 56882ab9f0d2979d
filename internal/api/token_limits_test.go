package api_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/app/accounts"
	"vitrine/internal/apptest"
	"vitrine/internal/describe"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
)

// outside is in every text that a token which is limited to a channel must not see.
const outside = "offlimits"

// limitedWorld is a world with a channel to which a token is limited, and things outside of it.
type limitedWorld struct {
	*apptest.Rig
	token                   string
	in, out                 int64 // channels
	inner, shared, outer    int64 // blocks
	place, comment, foreign int64 // connection and comments
	sharedOut               int64 // connection of the shared block outside
}

func newLimits(r *apptest.Rig) *limitedWorld {
	l := &limitedWorld{Rig: r}
	l.in, l.out = r.Channel("ada", "Inside", "private"), r.Channel("ada", outside, "private")
	l.inner, l.outer = r.Block("ada", "Inner", l.in), r.Block("ada", outside+" text", l.out)
	l.shared = r.Block("ada", "Shared", l.in, l.out)
	l.place = r.Get("ada", "/v3/channels/%d/contents", l.in).Ints("data", "connection.id")[0]
	l.sharedOut = r.Get("ada", "/v3/channels/%d/contents", l.out).Ints("data", "connection.id")[0]
	l.comment = r.Do("ada", "POST", fmt.Sprintf("/v3/blocks/%d/comments", l.inner), map[string]any{"body": "Here"}).Want(201).Int("id")
	l.foreign = r.Do("ada", "POST", fmt.Sprintf("/v3/blocks/%d/comments", l.outer), map[string]any{"body": outside}).Want(201).Int("id")
	l.token = l.limited("ada", nil, l.in)
	return l
}

// limited returns a token that is limited to abilities and channels.
func (l *limitedWorld) limited(as string, abilities []domain.Ability, channels ...int64) string {
	l.T.Helper()
	in := accounts.TokenInput{Name: "limited", Scope: domain.ScopeWrite, Abilities: abilities}
	for _, id := range channels {
		in.Channels = append(in.Channels, domain.ChannelID(id))
	}
	secret, _, err := l.S.App.Accounts.CreateOwnToken(l.T.Context(), domain.Actor{UserID: l.Person(as).ID}, in)
	if err != nil {
		l.T.Fatal(err)
	}
	return secret
}

func (l *limitedWorld) with(token, method, path string, body any) *apptest.Response {
	l.T.Helper()
	return l.Do("", method, path, body, "Authorization", "Bearer "+token)
}

// content is everything in the database that the operations of the API could change outside of the channel.
func (l *limitedWorld) content() map[string][]string {
	d := l.Dump()
	return maps.Collect(func(yield func(string, []string) bool) {
		for _, table := range []string{"channels", "connections", "blocks", "comments", "follows", "collaborators", "group_members", "groups", "highlights"} {
			yield(table, d[table])
		}
	})
}

// path fills in a template with things outside of the channel, or inside.
func (l *limitedWorld) path(template string, inside bool) string {
	choose := func(in, out int64) string {
		if inside {
			return fmt.Sprint(in)
		}
		return fmt.Sprint(out)
	}
	parts := strings.Split(template, "/")
	for i, part := range parts {
		if !strings.HasPrefix(part, "{") {
			continue
		}
		switch before := parts[i-1]; {
		case strings.HasPrefix(before, "channel"):
			parts[i] = choose(l.in, l.out)
		case strings.HasPrefix(before, "block"):
			parts[i] = choose(l.inner, l.outer)
		case strings.HasPrefix(before, "connection"):
			parts[i] = choose(l.place, l.sharedOut)
		case strings.HasPrefix(before, "comment"):
			parts[i] = choose(l.comment, l.foreign)
		case before == "User", strings.HasPrefix(before, "user"):
			parts[i] = fmt.Sprint(l.Person("ada").ID)
		default:
			parts[i] = "1"
		}
	}
	return strings.Join(parts, "/")
}

func (l *limitedWorld) operations() (all []*describe.Operation) {
	for _, doc := range append(l.Descriptions(), l.S.API.V2) {
		all = append(all, doc.Operations()...)
	}
	return all
}

// Each operation is a kind of change, or reads. A new one fails here until it is listed in httpedge.
func TestEveryOperationHasAnAbility(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	names := map[string]bool{} // whether it changes something
	for _, op := range (&limitedWorld{Rig: r}).operations() {
		names[op.ID] = names[op.ID] || op.Scope == string(domain.ScopeWrite)
	}
	tools := r.Do("ada", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).Want(http.StatusOK)
	for i := range tools.Len("result.tools") {
		at := fmt.Sprintf("result.tools.%d.", i)
		reads, _ := tools.Lookup(at + "annotations.readOnlyHint")
		names["mcp_"+tools.Str(at+"name")] = reads != true
	}
	for name, writes := range names {
		if strings.HasPrefix(name, "admin") { // TestAdminOperations
			continue
		}
		var can []domain.Ability
		for _, a := range domain.Abilities {
			if httpedge.WithinLimits(name, domain.NewTokenLimits([]domain.Ability{a}, nil)) == nil {
				can = append(can, a)
			}
		}
		if want := map[bool]int{true: 1, false: len(domain.Abilities)}[writes]; len(can) != want && name != "createOAuthToken" && name != "runBulk" {
			t.Errorf("%s (writes: %t) is possible with %v", name, writes, can)
		}
	}
}

// A token that is limited to a channel sees and changes nothing else, by any operation of the descriptions.
func TestTokenInChannel(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		l := newLimits(r)
		before := l.content()
		reached := 0
		for _, op := range l.operations() {
			if op.ID == "streamChanges" || op.ID == "createOAuthToken" {
				continue
			}
			for _, inside := range []bool{false, true} {
				if inside && op.Method != http.MethodGet {
					continue
				}
				path := l.path(op.Path, inside)
				if strings.Contains(path, "search") {
					path += "?q=text&query=text"
				}
				var body any
				if op.HasBody {
					body = l.body()
				}
				res := l.with(l.token, op.Method, path, body)
				if strings.Contains(string(res.Body), outside) {
					t.Errorf("%s %s shows it: %d %s", op.Method, path, res.Status, res.Body)
				}
				if res.Status >= 500 {
					t.Errorf("%s %s: %d %s", op.Method, path, res.Status, res.Body)
				}
				if inside && res.Status == http.StatusOK {
					reached++
				}
			}
		}
		if reached < 20 {
			t.Errorf("only %d operations work inside", reached)
		}
		for table, rows := range l.content() {
			if !slices.Equal(rows, before[table]) {
				t.Errorf("%s has changed from\n%s\nto\n%s", table, strings.Join(before[table], "\n"), strings.Join(rows, "\n"))
			}
		}
	})
}

// body contains the fields of all operations that write, with ids of things outside the channel.
func (l *limitedWorld) body() map[string]any {
	return map[string]any{"value": "New", "content": "Changed", "title": "Changed", "body": "Changed", "source": "https://else.test/",
		"channel_ids": []int64{l.out}, "connectable_id": l.outer, "connectable_type": "Block", "movement": "move_to_top",
		"metadata": map[string]any{"a": "b"}, "user_id": 2, "visibility": "public", "ids": []int64{l.shared}, "name": "Changed"}
}

// Inside of its channel, such a token may do what its user may do.
func TestTokenWithinChannel(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		l := newLimits(r)
		do := func(status int, method, path string, body any) *apptest.Response {
			t.Helper()
			return l.with(l.token, method, path, body).Want(status)
		}
		made := do(201, "POST", "/v3/blocks", map[string]any{"value": "New", "channel_ids": []int64{l.in}}).Int("id")
		do(200, "GET", fmt.Sprint("/v3/blocks/", made), nil)
		do(200, "PUT", fmt.Sprint("/v3/blocks/", made), map[string]any{"content": "Changed"})
		do(200, "PUT", fmt.Sprint("/v3/channels/", l.in), map[string]any{"description": "Changed"})
		do(200, "POST", fmt.Sprintf("/v3/connections/%d/move", l.place), map[string]any{"movement": "move_to_bottom"})
		do(201, "POST", fmt.Sprintf("/v3/blocks/%d/comments", l.shared), map[string]any{"body": "Fine"})
		do(204, "DELETE", fmt.Sprint("/v3/comments/", l.comment), nil)
		if got := do(200, "GET", fmt.Sprintf("/v3/channels/%d/contents", l.in), nil).Ints("data", "id"); len(got) != 3 {
			t.Errorf("contents %v", got)
		}
		if got := do(200, "GET", fmt.Sprintf("/v3/blocks/%d/connections", l.shared), nil).Ints("data", "id"); !slices.Equal(got, []int64{l.in}) {
			t.Errorf("the shared block is in %v", got)
		}
		for name, body := range map[string]map[string]any{
			"its block outside":        {"connectable_id": l.inner, "connectable_type": "Block", "channel_ids": []int64{l.out}},
			"both":                     {"connectable_id": made, "connectable_type": "Block", "channel_ids": []int64{l.in, l.out}},
			"a block from outside":     {"connectable_id": l.outer, "connectable_type": "Block", "channel_ids": []int64{l.in}},
			"the channel from outside": {"connectable_id": l.out, "connectable_type": "Channel", "channel_ids": []int64{l.in}},
		} {
			if res := l.with(l.token, "POST", "/v3/connections", body); res.Status != http.StatusForbidden {
				t.Errorf("connecting %s: %d %s", name, res.Status, res.Body)
			}
		}
		do(403, "POST", "/v3/channels", map[string]any{"title": "Another"})
		do(404, "GET", fmt.Sprint("/v3/channels/", l.out), nil)
		do(404, "GET", fmt.Sprint("/v3/blocks/", l.outer), nil)
		do(403, "DELETE", fmt.Sprint("/v3/connections/", l.sharedOut), nil)
		do(204, "DELETE", fmt.Sprint("/v3/connections/", l.place), nil)

		// Another channel of somebody else does not widen what the user may do.
		bob := r.Channel("bob", "Closed", "closed")
		closed := l.limited("ada", nil, bob)
		l.with(closed, "GET", fmt.Sprint("/v3/channels/", bob), nil).Want(200)
		l.with(closed, "POST", "/v3/blocks", map[string]any{"value": "New", "channel_ids": []int64{bob}}).Want(403)
		// A deleted channel leaves a token that sees nothing.
		r.Do("ada", "DELETE", fmt.Sprint("/v3/channels/", l.in), nil).Want(204)
		do(404, "GET", fmt.Sprint("/v3/blocks/", l.shared), nil)
	})
}

// A token that follows the changes gets those of its channels only.
func TestChangesInChannel(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		l := newLimits(r)
		cursor := l.with(l.token, "GET", "/ext/v1/changes", nil).Want(200).Str("cursor")
		public := r.Channel("bob", "Public", "public")
		hidden := r.Block("ada", "Elsewhere", l.out)
		last := r.Block("ada", "Next", l.in)
		for range 10 {
			seen := l.with(l.token, "GET", "/ext/v1/changes?wait=30&cursor="+cursor, nil).Want(200)
			cursor = seen.Str("cursor")
			done := false
			for n := range seen.Len("data") {
				at := fmt.Sprintf("data.%d.", n)
				channel, _ := seen.Lookup(at + "channel_id")
				id := seen.Int(at + "id")
				switch kind := seen.Str(at + "type"); {
				case channel != nil && fmt.Sprint(channel) != fmt.Sprint(l.in),
					kind == "Channel" && (id == public || id == l.out), kind == "Block" && (id == hidden || id == l.outer), kind == "User":
					t.Errorf("a change outside: %s", seen.Body)
				case kind == "Block" && id == last:
					done = true
				}
			}
			if done {
				return
			}
		}
		t.Error("the last change inside never arrived")
	})
}

// A token that is limited to abilities makes no other changes.
func TestTokenAbilities(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	l := newLimits(r)
	save := l.limited("ada", []domain.Ability{domain.MaySave})
	l.with(save, "POST", "/v3/blocks", map[string]any{"value": "New", "channel_ids": []int64{l.out}}).Want(201)
	l.with(save, "GET", fmt.Sprint("/v3/channels/", l.out), nil).Want(200)
	l.with(save, "POST", "/v3/connections", map[string]any{"connectable_id": l.inner, "connectable_type": "Block", "channel_ids": []int64{l.out}}).Want(403)
	comment := l.limited("ada", []domain.Ability{domain.MayComment})
	l.with(comment, "POST", fmt.Sprintf("/v3/blocks/%d/comments", l.outer), map[string]any{"body": "Yes"}).Want(201)
	l.with(comment, "DELETE", fmt.Sprint("/v3/blocks/", l.outer), nil).Want(403)
	for tool, status := range map[string]int{"comment": 403, "save": 200} {
		args := `{"block_id":` + fmt.Sprint(l.inner) + `,"body":"x"}`
		if tool == "save" {
			args = `{"value":"x","channels":["` + fmt.Sprint(l.in) + `"]}`
		}
		l.with(save, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","arguments":`+args+`}}`).Want(status)
	}
	before := r.Get("ada", "/v3/users/ada/contents").Int("meta.total_count")
	// Bodies that this server and the SDK could read differently.
	args := `"arguments":{"value":"hidden","channels":["` + fmt.Sprint(l.in) + `"]}`
	for _, body := range []string{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"save","name":null,` + args + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"save",` + args + `}} x`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"save",` + args + `},"params":{}}`} {
		if res := l.with(comment, "POST", "/mcp", body); strings.Contains(string(res.Body), "hidden") {
			t.Errorf("%s: %d %s", body, res.Status, res.Body)
		}
	}
	if n := r.Get("ada", "/v3/users/ada/contents").Int("meta.total_count") - before; n != 0 {
		t.Errorf("a token for comments saved %d blocks", n)
	}
	in := l.with(l.token, "POST", "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_block","arguments":{"id":%d}}}`, l.outer))
	if in.Want(200); strings.Contains(string(in.Body), outside) {
		t.Errorf("%s", in.Body)
	}
}
