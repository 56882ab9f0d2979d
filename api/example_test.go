package description_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	description "vitrine/api"
	"vitrine/internal/describe"
)

// TestExamples holds every example against what it is an example of, and expects
// one for each JSON body but the description itself.
func TestExamples(t *testing.T) {
	t.Parallel()
	for name, text := range map[string][]byte{"v3": description.V3, "v2": description.V2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testExamples(t, text)
		})
	}
}

func testExamples(t *testing.T, text []byte) {
	t.Helper()
	d, err := describe.Load(text, describe.BaseURL("https://api.example.org"), describe.SiteURL("https://www.example.org"))
	if err != nil {
		t.Fatal(err)
	}
	var doc object
	if err := yaml.Unmarshal(d.YAML(), &doc); err != nil {
		t.Fatal(err)
	}
	for _, op := range d.Operations() {
		node := as(as(as(doc["paths"])[op.Path])[strings.ToLower(op.Method)])
		for name, example := range examples(doc, resolve(doc, node["requestBody"])) {
			if example == nil {
				t.Errorf("%s: the body has no example", op.ID)
				continue
			}
			for _, v := range op.CheckBody(example) {
				t.Errorf("%s, example %s: %s", op.ID, name, v)
			}
		}
		for status, response := range as(node["responses"]) {
			if slices.Contains([]string{"getOpenapiSpecJson", "getOpenapi"}, op.ID) && status == "200" {
				continue
			}
			checkExamples(t, d, op.ID, status, examples(doc, resolve(doc, response)))
		}
	}
}

func checkExamples(t *testing.T, d *describe.Description, id, status string, examples map[string][]byte) {
	t.Helper()
	code, err := strconv.Atoi(status)
	if err != nil {
		t.Fatal(err)
	}
	for name, example := range examples {
		if example == nil {
			t.Errorf("%s %s: no example", id, status)
			continue
		}
		header := http.Header{"Content-Type": {"application/json"}}
		for _, v := range d.CheckResponse(id, code, header, example) {
			t.Errorf("%s %s, example %s: %s", id, status, name, v)
		}
	}
}

// examples gives the JSON examples of a body or response by name; one that is nil
// when it takes JSON and has none.
func examples(doc, node object) map[string][]byte {
	media := as(as(node["content"])["application/json"])
	if media == nil {
		return nil
	}
	found := map[string][]byte{}
	for name, example := range as(media["examples"]) {
		text, err := json.Marshal(resolve(doc, example)["value"])
		if err != nil {
			panic(fmt.Sprintf("example %s: %v", name, err))
		}
		found[name] = text
	}
	if len(found) == 0 {
		found[""] = nil
	}
	return found
}
