package describe_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/goccy/go-yaml"

	description "vitrine/api"
	"vitrine/internal/describe"
)

// loaded returns the description of /v3, loaded once for all tests.
var loaded = sync.OnceValues(func() (*describe.Description, error) {
	return describe.Load(description.V3,
		describe.BaseURL("https://api.example.org"), describe.SiteURL("https://example.org"))
})

func load(t testing.TB) *describe.Description {
	t.Helper()
	d, err := loaded()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func operation(t testing.TB, id string) *describe.Operation {
	t.Helper()
	op := load(t).Operation(id)
	if op == nil {
		t.Fatalf("no operation %s", id)
	}
	return op
}

// lines returns violations as text, one per line.
func lines(found []describe.Violation) string {
	said := make([]string, len(found))
	for i, v := range found {
		said[i] = v.String()
	}
	return strings.Join(said, "\n")
}

func TestOperation(t *testing.T) {
	t.Parallel()
	tests := []struct {
		id, method, path string
		body, token      bool
		scope            string
	}{
		{"getPing", "GET", "/v3/ping", false, false, ""},
		{"getBlock", "GET", "/v3/blocks/{id}", false, false, ""},
		{"createBlock", "POST", "/v3/blocks", true, true, "write"},
		{"deleteChannel", "DELETE", "/v3/channels/{id}", false, true, "write"},
		{"getCurrentUser", "GET", "/v3/me", false, true, "read"},
	}
	for _, tt := range tests {
		op := operation(t, tt.id)
		if op.ID != tt.id || op.Method != tt.method || op.Path != tt.path ||
			op.HasBody != tt.body || op.BodyRequired != tt.body || op.TokenRequired != tt.token || op.Scope != tt.scope {
			t.Errorf("%s: got %+v", tt.id, op)
		}
	}
	if load(t).Operation("GetBlock") != nil {
		t.Error("operation ids are not as written")
	}
	if first := load(t).Operations()[0].ID; first != "getOpenapiSpec" {
		t.Errorf("the first operation is %s", first)
	}
}

func TestServedDocuments(t *testing.T) {
	t.Parallel()
	d := load(t)
	var fromJSON, fromYAML any
	if err := json.Unmarshal(d.JSON(), &fromJSON); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(d.YAML(), &fromYAML); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(fromYAML)
	if err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(fromJSON)
	if err != nil {
		t.Fatal(err)
	}
	if string(again) != string(want) {
		t.Error("the YAML says something else than the JSON")
	}
	for _, doc := range []string{string(d.JSON()), string(d.YAML())} {
		for _, text := range []string{"{site_url}", "{base_url}", "x-ogen", "x-errors", "x-statuses"} {
			if strings.Contains(doc, text) {
				t.Errorf("a served document contains %s", text)
			}
		}
		inOrder(t, doc, "3.1.0", "Vitrine", "https://api.example.org", "BearerAuth", "getOpenapiSpec",
			"createBlock", "getUser", "https://example.org/oauth/authorize", "total_pages")
	}
}

// inOrder checks that words first appear in the given order.
func inOrder(t *testing.T, doc string, words ...string) {
	t.Helper()
	last := -1
	for _, word := range words {
		at := strings.Index(doc, word)
		if at <= last {
			t.Errorf("%s is at byte %d, not after %d", word, at, last)
		}
		last = at
	}
}

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	const head = "openapi: 3.1.0\npaths:\n  /a:\n    get:\n      operationId: a\n"
	tests := map[string]struct{ text, want string }{
		"not YAML":        {"a: [", ""},
		"not a mapping":   {"- a", "not a mapping"},
		"same id twice":   {head + "    put:\n      operationId: a\n", "two operations"},
		"no such target":  {head + "      responses:\n        '200':\n          $ref: '#/b'\n", "nothing at #/b"},
		"foreign":         {head + "      responses:\n        '200':\n          $ref: other.yaml\n", "not local"},
		"circle":          {head + "      responses:\n        '200':\n          $ref: '#/paths/~1a/get/responses/200'\n", "circle"},
		"no schema":       {head + "      responses:\n        '200':\n          content:\n            application/json: {}\n", ""},
		"bad schema":      {head + "      parameters:\n      - {name: a, in: query, schema: {type: text}}\n", ""},
		"bad key pattern": {head + "      parameters:\n      - {name: a, in: query, schema: {propertyNames: {minLength: 1}}}\n", "only a pattern"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := describe.Load([]byte(tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}
