package description_test

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestRecordedNotices makes one wrong change at a time to v2.yaml in memory, and expects the
// comparison to report it.
func TestRecordedNotices(t *testing.T) {
	t.Parallel()
	properties := func(doc object, name string) object { return below(doc, "components", "schemas", name, "properties") }
	tests := map[string]struct {
		spoil func(doc object)
		want  []string // beginnings of all differences
	}{
		"key renamed": {func(doc object) {
			p := properties(doc, "User")
			p["name"] = p["full_name"]
			delete(p, "full_name")
		}, []string{"User full_name: was recorded", "User name: was never recorded", "User+Channel full_name: was recorded", "User+Channel name: was never recorded"}},
		"key of several forms dropped": {func(doc object) { delete(properties(doc, "ConnectionFields"), "connection_id") },
			[]string{"ConnectedBlock connection_id: was recorded", "ConnectedBlock+ConnectedChannel connection_id: was recorded"}},
		"form dropped": {func(doc object) {
			list(below(doc, "components", "schemas", "SingleChannel")["allOf"])[0] = object{"$ref": "#/components/schemas/ChannelFields"}
		}, []string{"SingleChannel can_index: was recorded", "SingleChannel collaborator_count: was recorded",
			"SingleChannel follower_count: was recorded", "SingleChannel metadata: was recorded",
			"SingleChannel nsfw?: was recorded", "SingleChannel user: was recorded", "SingleChannel contents: $ConnectedBlock", "SingleChannel contents: $ConnectedChannel"}},
		"type changed": {func(doc object) { properties(doc, "OriginalImage")["file_size"] = object{"type": "string"} },
			[]string{"OriginalImage file_size: int was recorded", "OriginalImage file_size: string was never recorded"}},
		"null allowed": {func(doc object) {
			properties(doc, "AvatarImage")["thumb"] = object{"type": []any{"string", "null"}}
		}, []string{"AvatarImage thumb: null was never recorded"}},
		"another kind of object": {func(doc object) {
			properties(doc, "Image")["square"] = object{"$ref": "#/components/schemas/OriginalImage"}
		},
			[]string{"Image square: $ImageVersion was recorded", "Image square: $OriginalImage was never recorded"}},
		"a list of something else": {func(doc object) {
			list(below(doc, "components", "schemas", "SingleBlock")["allOf"])[1].(object)["properties"].(object)["connections"] =
				object{"type": "array", "items": object{"$ref": "#/components/schemas/Channel"}}
		}, []string{"BriefChannel: was recorded", "SingleBlock connections: $BriefChannel was recorded", "SingleBlock connections: $Channel was never recorded"}},
		"no list": {func(doc object) { properties(doc, "Search")["users"] = object{"$ref": "#/components/schemas/User"} },
			[]string{"Search users: [] was recorded"}},
		"kind of nothing": {func(doc object) {
			schemas := below(doc, "components", "schemas")
			schemas["Picture"] = schemas["ImageVersion"]
			properties(doc, "Image")["thumb"] = object{"$ref": "#/components/schemas/Picture"}
		}, []string{"Image thumb: $ImageVersion was recorded", "Image thumb: $Picture was never", "Picture: was never recorded"}},
	}
	text, err := os.ReadFile(recordedDigest)
	if err != nil {
		t.Fatal(err)
	}
	recorded := parseFacts(string(text))
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := writtenV2(t)
			tt.spoil(doc)
			found, _ := compareRecorded(answerFacts(doc), recorded)
			for _, want := range tt.want {
				if !slices.ContainsFunc(found, func(d string) bool { return strings.HasPrefix(d, want) }) {
					t.Errorf("nothing says %q", want)
				}
			}
			if len(found) != len(tt.want) {
				t.Errorf("want %d differences, got:\n%s", len(tt.want), strings.Join(found, "\n"))
			}
		})
	}
}
