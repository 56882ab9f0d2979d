package describe_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	description "vitrine/api"
	"vitrine/internal/describe"
)

// version2 returns the description of /v2, whose objects have other discriminators than those of
// version 3, and one of its examples.
func version2(t *testing.T, example string) (d *describe.Description, body string) {
	t.Helper()
	d, err := describe.Load(description.V2)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Components struct {
			Examples map[string]struct{ Value any }
		}
	}
	if err := yaml.Unmarshal(description.V2, &doc); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(doc.Components.Examples[example].Value)
	if err != nil {
		t.Fatal(err)
	}
	return d, string(text)
}

func TestCheckResponseOfVersion2(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, operation string
		status          int
		example         string
		old, new        string // replaced in the example
		want            string
	}{
		{"mixed list", "getUserFollowing", 200, "FollowingList", "", "", ""},
		{"a key of another kind", "getUserFollowing", 200, "FollowingList", `"username"`, `"nsfw?":false,"username"`,
			`following[0]."nsfw?": undeclared field` + "\n" + `following[1].user."nsfw?": undeclared field`},
		{"unknown kind", "getChannelContents", 200, "Contents", `"base_class":"Block"`, `"base_class":"Thing"`,
			"contents[0].base_class: must be one of Block, Channel"},
		{"null of two kinds", "getFeed", 200, "Feed", `"parent":null`, `"parent":3`, "items[0].parent: must be an object or null"},
		{"seconds", "getUser", 200, "User", `12:30:00.000Z`, `12:30:00Z`,
			"created_at: must be a UTC time with milliseconds such as 2024-05-01T12:30:00.000Z"},
		{"nothing", "followUser", 200, "Nothing", "{}", `{"id":1}`, "id: is not allowed\nid: undeclared field"},
		{"error", "getUser", 404, "Error", "null", `{"code":404,"message":"Not Found","description":"No."}`, ""},
		{"error without its status", "getUser", 404, "Error", "null", `{"code":410,"message":"Gone","description":"No."}`,
			"code: must be the status, 404\nmessage: must be the phrase of the status, \"Not Found\""},
		{"error of version 3", "getUser", 404, "Error", "null", `{"error":"Not Found","code":404,"details":{"message":"No"}}`,
			"description: is required\ndetails: undeclared field\nerror: undeclared field\nmessage: is required"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, body := version2(t, tt.example)
			if tt.old != "" && !strings.Contains(body, tt.old) {
				t.Fatalf("nothing to replace: %s in %s", tt.old, body)
			}
			if tt.old != "" {
				body = strings.ReplaceAll(body, tt.old, tt.new)
			}
			header := http.Header{"Content-Type": {"application/json; charset=utf-8"}}
			if got := lines(d.CheckResponse(tt.operation, tt.status, header, []byte(body))); got != tt.want {
				t.Errorf("%s\ngot:\n%s\nwant:\n%s", body, got, tt.want)
			}
		})
	}
}

func TestCheckBodyOfVersion2(t *testing.T) {
	t.Parallel()
	d, _ := version2(t, "User")
	tests := []struct{ operation, body, want string }{
		{"sortChannel", `{"ids":["12",34]}`, ""},
		{"sortChannel", `{"ids":["a",0,"-1","01",1.5]}`, "ids[0]: must be a whole number above 0\nids[1]: must be at least 1\n" +
			"ids[2]: must be a whole number above 0\nids[3]: must be a whole number above 0\nids[4]: must be an integer or string"},
		{"sortChannel", `{"ids":[]}`, "ids: must have at least 1 item"},
		{"sortChannel", `{"ids":[` + strings.Repeat("1,", 10_000) + `1]}`, "ids: must have at most 10000 items"},
		{"sortChannel", `{}`, "ids or new_position: one is required"},
		{"sortChannel", `{"connectable_type":"Block","connectable_id":"3","new_position":"1"}`, ""},
		{"createBlock", `{"content":"a","source":null,"position":null,"title":"","unknown":1}`, ""},
		{"createBlock", `{"content":"a","position":"-1"}`, "position: must be a whole number above 0"},
		{"createChannel", `{"title":"a","status":"open"}`, "status: must be one of public, closed, private, null"},
		{"createChannel", `{"title":" "}`, "title: must not be blank"},
		{"createConnection", `{"connectable_type":"User","connectable_id":"x"}`,
			"connectable_id: must be a whole number above 0\nconnectable_type: must be one of Block, Channel"},
		{"setCollaborators", `{"ids":[]}`, ""},
	}
	for _, tt := range tests {
		if got := lines(d.Operation(tt.operation).CheckBody([]byte(tt.body))); got != tt.want {
			t.Errorf("%s %.100s\ngot:\n%s\nwant:\n%s", tt.operation, tt.body, got, tt.want)
		}
	}
}

// MaxItems returns the limits of the description, only for lists that an operation declares.
func TestMaxItemsOfVersion2(t *testing.T) {
	t.Parallel()
	d, _ := version2(t, "User")
	want := map[string]int{"sortChannel": 10_000, "addCollaborators": 100, "setCollaborators": 100, "removeCollaborators": 100}
	for _, op := range d.Operations() {
		if !op.HasBody {
			continue
		}
		limit, declared := want[op.ID]
		if got, ok := op.MaxItems("ids"); got != limit || ok != declared {
			t.Errorf("%s: %d, %t, want %d, %t", op.ID, got, ok, limit, declared)
		}
		if _, ok := op.MaxItems("title"); ok {
			t.Errorf("%s: the title counts as a list", op.ID)
		}
	}
}

// Operations need the tokens that the contract requires.
func TestTokensOfVersion2(t *testing.T) {
	t.Parallel()
	d, _ := version2(t, "User")
	reads := []string{"getMe", "getAccounts", "getAccountChannels", "getFeed", "getNotifications", "getUnreadCount"}
	for _, op := range d.Operations() {
		scope := ""
		if op.Method != http.MethodGet {
			scope = "write"
		} else if strings.Contains(" "+strings.Join(reads, " ")+" ", " "+op.ID+" ") {
			scope = "read"
		}
		if op.Scope != scope || op.TokenRequired != (scope != "") {
			t.Errorf("%s: token %t, scope %q, want scope %q", op.ID, op.TokenRequired, op.Scope, scope)
		}
	}
	if n := len(d.Operations()); n != 56 {
		t.Errorf("%d operations", n)
	}
}
