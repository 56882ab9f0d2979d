package description_test

import (
	"slices"
	"strings"
	"testing"
)

// andTheLike represents the same difference at all other places that use the component.
const andTheLike = "…"

// TestContractNotices makes one wrong change at a time to v3.yaml in memory, and expects
// the comparison to report it.
func TestContractNotices(t *testing.T) {
	t.Parallel()
	schema := func(doc object, name string) object { return below(doc, "components", "schemas", name) }
	getBlock := func(doc object) object { return below(doc, "paths", "/v3/blocks/{id}", "get") }
	tests := map[string]struct {
		spoil func(doc object)
		want  []string // beginnings of all differences
	}{
		"field renamed": {func(doc object) {
			properties := below(schema(doc, "EmbeddedUser"), "properties")
			properties["initial"] = properties["initials"]
			delete(properties, "initials")
		}, []string{`$EmbeddedUser .initial is: "string" is not in`, `$EmbeddedUser .initials is: "string" of the contract`}},
		"required dropped": {func(doc object) {
			s := schema(doc, "Channel")
			s["required"] = slices.DeleteFunc(list(s["required"]), func(v any) bool { return v == "slug" })
		}, []string{"$Channel .slug required:"}},
		"required added": {func(doc object) {
			s := schema(doc, "BlockImage")
			s["required"] = append(list(s["required"]), "src")
		}, []string{"$BlockImage .src required:"}},
		"enum value added": {func(doc object) {
			s := schema(doc, "Movement")
			s["enum"] = append(list(s["enum"]), "shuffle")
		}, []string{"$Movement enum shuffle:"}},
		"enum value dropped": {func(doc object) {
			s := schema(doc, "ChannelVisibility")
			s["enum"] = list(s["enum"])[1:]
		}, []string{"$ChannelVisibility enum public:"}},
		"property added": {func(doc object) {
			list(schema(doc, "Connection")["allOf"])[1].(object)["properties"].(object)["class"] = object{"type": "string"}
		}, []string{"$Connection .class is:"}},
		"property dropped": {func(doc object) {
			delete(below(schema(doc, "BlockImage"), "properties"), "blurhash")
		}, []string{"$BlockImage .blurhash is:"}},
		"type changed": {func(doc object) {
			below(schema(doc, "BlockImage"), "properties", "width")["type"] = "integer"
		}, []string{`$BlockImage .width is: "integer", but in the contract "integer|null"`}},
		"null allowed": {func(doc object) {
			below(schema(doc, "Link"), "properties", "href")["type"] = []any{"string", "null"}
		}, []string{"$Link .href is:"}},
		"null refused": {func(doc object) {
			properties := below(schema(doc, "EmbeddedConnection"), "properties")
			properties["connected_by"] = object{"$ref": "#/components/schemas/EmbeddedUser"}
		}, []string{"$EmbeddedConnection .connected_by is:", "$EmbeddedConnection .connected_by oneOf $EmbeddedUser:",
			"$EmbeddedConnection .connected_by oneOf <null> is:", "$EmbeddedConnection .connected_by oneOf <null>:"}},
		"format dropped": {func(doc object) {
			delete(below(schema(doc, "Channel"), "properties", "created_at"), "format")
		}, []string{"$Channel .created_at is:"}},
		"kind dropped from the discriminator": {func(doc object) {
			delete(below(schema(doc, "Block"), "discriminator", "mapping"), "Embed")
		}, []string{"$Block discriminator Embed:"}},
		"kind dropped": {func(doc object) {
			s := schema(doc, "ChannelOwner")
			s["oneOf"] = list(s["oneOf"])[:1]
		}, []string{"$ChannelOwner oneOf $EmbeddedGroup:"}},
		"PendingBlock where none may be": {func(doc object) {
			s := schema(doc, "ChannelOwner")
			s["oneOf"] = append(list(s["oneOf"]), object{"$ref": "#/components/schemas/PendingBlock"})
		}, []string{"$ChannelOwner oneOf $PendingBlock:"}},
		"status dropped": {func(doc object) { delete(below(getBlock(doc), "responses"), "404") },
			[]string{"get /v3/blocks/{id} 404 application/json is:", "get /v3/blocks/{id} 404:"}},
		"status added": {func(doc object) { below(getBlock(doc), "responses")["409"] = object{"description": "Conflict"} },
			[]string{"get /v3/blocks/{id} 409:"}},
		"400 without input": {func(doc object) {
			below(doc, "paths", "/v3/ping", "get", "responses")["400"] = object{"$ref": "#/components/responses/BadRequestResponse"}
		}, []string{"get /v3/ping 400 application/json is:", "get /v3/ping 400:"}},
		"413 of another shape": {func(doc object) {
			below(getBlock(doc), "responses")["413"] = object{"$ref": "#/components/responses/RateLimitResponse"}
		}, []string{"get /v3/blocks/{id} 413 application/json is:", "get /v3/blocks/{id} 413 header Retry-After is:",
			"get /v3/blocks/{id} 413 header X-RateLimit-Limit is:", "get /v3/blocks/{id} 413 header X-RateLimit-Tier is:",
			"get /v3/blocks/{id} 413 header X-RateLimit-Window is:"}},
		"header dropped": {func(doc object) {
			delete(below(doc, "components", "responses", "RateLimitResponse", "headers"), "X-RateLimit-Window")
		}, []string{"header X-RateLimit-Window", andTheLike}},
		"parameter dropped": {func(doc object) {
			op := below(doc, "paths", "/v3/channels/{id}/contents", "get")
			op["parameters"] = list(op["parameters"])[:4]
		}, []string{"get /v3/channels/{id}/contents query user_id is:", "get /v3/channels/{id}/contents query user_id required:"}},
		"parameter required": {func(doc object) { below(doc, "components", "parameters", "PageParam")["required"] = true },
			[]string{"query page required", andTheLike}},
		"other limit of a page": {func(doc object) {
			below(doc, "components", "parameters", "PerParam", "schema")["maximum"] = 200
		}, []string{"query per limit maximum", andTheLike}},
		"another limit of a page": {func(doc object) {
			below(doc, "components", "parameters", "PerParam", "schema")["multipleOf"] = 2
		}, []string{"query per limit multipleOf", andTheLike}},
		"default changed": {func(doc object) {
			below(doc, "components", "parameters", "PerParam", "schema")["default"] = 25
		}, []string{"query per default", andTheLike}},
		"limit of the contract loosened": {func(doc object) { schema(doc, "ChannelIds")["maxItems"] = 30 },
			[]string{"$ChannelIds limit maxItems:"}},
		"exclusive fields no longer so": {func(doc object) {
			body := below(doc, "paths", "/v3/blocks", "post", "requestBody", "content", "application/json", "schema")
			delete(as(list(as(list(body["allOf"])[1])["oneOf"])[0]), "not")
		}, []string{"post /v3/blocks body application/json oneOf <channel_ids> not <channels>.channels required:",
			"post /v3/blocks body application/json oneOf <channel_ids> not <channels>:"}},
		"body optional": {func(doc object) { below(doc, "paths", "/v3/blocks", "post", "requestBody")["required"] = false },
			[]string{"post /v3/blocks body required:"}},
		"other media type": {func(doc object) {
			content := below(doc, "paths", "/v3/openapi", "get", "responses", "200", "content")
			content["text/yaml"] = content["application/yaml"]
			delete(content, "application/yaml")
		}, []string{"get /v3/openapi 200 application/yaml is:", "get /v3/openapi 200 text/yaml is:"}},
		"operation renamed": {func(doc object) { getBlock(doc)["operationId"] = "readBlock" },
			[]string{`get /v3/blocks/{id} operationId: "readBlock", but in the contract "getBlock"`}},
		"operation added": {func(doc object) { below(doc, "paths")["/v3/admin"] = object{"get": object{"operationId": "admin"}} },
			[]string{"get /v3/admin: the contract has no such thing"}},
		"open object closed": {func(doc object) { schema(doc, "Links")["additionalProperties"] = false },
			[]string{"$Links {} is:", "$Links {}:"}},
	}
	contract := contractFacts(t)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := written(t)
			tt.spoil(doc)
			found := compare(factsOf(doc), contract)
			if n := len(tt.want) - 1; n > 0 && tt.want[n] == andTheLike {
				tt.want = slices.Repeat(tt.want[:n], len(found))
			}
			if len(found) == 0 || len(found) != len(tt.want) {
				t.Fatalf("want %d differences, got:\n%s", len(tt.want), strings.Join(found, "\n"))
			}
			for i, want := range tt.want {
				if !strings.Contains(found[i], want) {
					t.Errorf("got %q, want %q", found[i], want)
				}
			}
		})
	}
}

// TestContractAllows makes the additions that behaviour.md, section 1, allows.
func TestContractAllows(t *testing.T) {
	t.Parallel()
	tests := map[string]func(doc object){
		"statuses of the front": func(doc object) {
			for _, status := range []string{"405", "413", "415", "500", "503"} {
				below(doc, "paths", "/v3/ping", "get", "responses")[status] = object{"$ref": "#/components/responses/BadRequestResponse"}
			}
		},
		"limits": func(doc object) {
			below(doc, "components", "schemas", "BlockInput", "properties", "title")["maxLength"] = 3
		},
		"HEAD and OPTIONS": func(doc object) {
			below(doc, "paths", "/v3/ping")["head"] = object{"operationId": "headPing"}
			below(doc, "paths", "/v3/ping")["options"] = object{"operationId": "optionsPing"}
		},
		"remaining": func(doc object) {
			header := object{"schema": object{"type": "string"}}
			below(doc, "paths", "/v3/ping", "get", "responses", "200", "headers")["X-RateLimit-Remaining"] = header
		},
		"an operation less": func(doc object) { delete(below(doc, "paths"), "/v3/me") },
		"prose":             func(doc object) { below(doc, "info")["description"] = "Otherwise" },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := written(t)
			change(doc)
			if found := compare(factsOf(doc), contractFacts(t)); len(found) > 0 {
				t.Error(strings.Join(found, "\n"))
			}
		})
	}
}

// below follows keys. It panics if one is missing, which fails the test.
func below(node object, keys ...string) object {
	for _, key := range keys {
		node = node[key].(object)
	}
	return node
}
