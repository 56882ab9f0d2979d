package description_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	description "vitrine/api"
	"vitrine/internal/describe"
)

// TestExamples checks the examples of bodies and responses as the server's own tests check real ones:
// undeclared fields and other forms of times and URLs are errors. Each JSON body of v3 and v2 must have
// an example, except the description itself.
func TestExamples(t *testing.T) {
	t.Parallel()
	for name, text := range map[string][]byte{"v3": description.V3, "v2": description.V2, "ext": description.Ext} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testExamples(t, text, name != "ext")
		})
	}
}

func testExamples(t *testing.T, text []byte, needed bool) {
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
				if needed {
					t.Errorf("%s: the body has no example", op.ID)
				}
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
			checkExamples(t, d, op.ID, status, examples(doc, resolve(doc, response)), needed)
		}
	}
}

func checkExamples(t *testing.T, d *describe.Description, id, status string, examples map[string][]byte, needed bool) {
	t.Helper()
	code, err := strconv.Atoi(status)
	if err != nil {
		t.Fatal(err)
	}
	for name, example := range examples {
		if example == nil {
			if needed {
				t.Errorf("%s %s: no example", id, status)
			}
			continue
		}
		header := http.Header{"Content-Type": {"application/json"}}
		for _, v := range d.CheckResponse(id, code, header, example) {
			t.Errorf("%s %s, example %s: %s", id, status, name, v)
		}
	}
}

// examples returns the JSON examples of a body or response by name; a nil one if it takes JSON and has
// no example.
func examples(doc, node object) map[string][]byte {
	media := as(as(node["content"])["application/json"])
	if media == nil {
		return nil
	}
	found := map[string][]byte{}
	add := func(name string, value any) {
		text, err := json.Marshal(value)
		if err != nil {
			panic(fmt.Sprintf("example %s: %v", name, err))
		}
		found[name] = text
	}
	for name, example := range as(media["examples"]) {
		add(name, resolve(doc, example)["value"])
	}
	if example, ok := media["example"]; ok {
		add("", example)
	}
	if len(found) == 0 {
		found[""] = nil
	}
	return found
}

// TestEveryExample validates every example and default of the served descriptions against its schema:
// those of bodies, responses, parameters, headers, schemas and properties. The validator knows only
// JSON Schema, so it reports what a client's generator or linter would report.
func TestEveryExample(t *testing.T) {
	t.Parallel()
	for name, text := range map[string][]byte{"v3": description.V3, "v2": description.V2, "ext": description.Ext, "compat": description.Compat} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := describe.Load(text, describe.BaseURL("https://api.example.org"), describe.SiteURL("https://www.example.org"))
			if err != nil {
				t.Fatal(err)
			}
			found, checked := wrongExamples(t, d.JSON())
			for _, wrong := range found {
				t.Error(wrong)
			}
			if checked == 0 && name != "compat" {
				t.Error("no example was checked")
			}
		})
	}
}

// TestChoicesByDiscriminatorAreObjects: validators that follow a discriminator, such as Ajv, accept null
// as a value of such a choice unless it also has the type object. Then `oneOf: [choice, null]` matches twice,
// and they refuse examples and responses that are right.
func TestChoicesByDiscriminatorAreObjects(t *testing.T) {
	t.Parallel()
	for name, text := range map[string][]byte{"v3": description.V3, "v2": description.V2, "ext": description.Ext} {
		var doc object
		if err := yaml.Unmarshal(text, &doc); err != nil {
			t.Fatal(err)
		}
		for schema, node := range as(as(doc["components"])["schemas"]) {
			if as(node)["discriminator"] != nil && as(node)["type"] != "object" {
				t.Errorf("%s: %s has a discriminator, but not `type: object`", name, schema)
			}
		}
	}
}

// TestWrongExamplesAreFound puts a wrong example into each place that can have one.
func TestWrongExamplesAreFound(t *testing.T) {
	t.Parallel()
	for _, doc := range []string{
		`{"components": {"schemas": {"A": {"type": "integer", "example": "x"}}}}`,
		`{"components": {"schemas": {"A": {"type": "integer", "examples": [1, "x"]}}}}`,
		`{"components": {"schemas": {"A": {"type": "integer", "default": "x"}}}}`,
		`{"components": {"schemas": {"A": {"properties": {"example": {"type": "string", "format": "uri", "example": "no address"}}}}}}`,
		`{"components": {"schemas": {"A": {"type": "array", "items": {"anyOf": [{"type": "string", "format": "date-time", "example": "yesterday"}]}}}}}`,
		`{"components": {"parameters": {"A": {"schema": {"type": "integer"}, "example": "x"}}}}`,
		`{"components": {"schemas": {"A": {"type": "integer"}}, "headers": {"B": {"schema": {"$ref": "#/components/schemas/A"}, "examples": {"c": {"value": "x"}}}}}}`,
		`{"components": {"examples": {"x": {"value": "x"}}}, "paths": {"/a": {"get": {"responses": {"200": {"content": {"application/json": {
			"schema": {"type": "integer"}, "examples": {"c": {"$ref": "#/components/examples/x"}}}}}}}}}}`,
	} {
		if found, checked := wrongExamples(t, []byte(doc)); len(found) != 1 || checked == 0 {
			t.Errorf("%s: %q, %d checked", doc, found, checked)
		}
	}
}

// wrongExamples returns a line for each example or default of a document that its schema does not allow.
func wrongExamples(t *testing.T, text []byte) (found []string, checked int) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	compiler.UseLoader(jsonschema.SchemeURLLoader{}) // fetches nothing
	if err := compiler.AddResource("openapi:///", doc); err != nil {
		t.Fatal(err)
	}
	check := func(place, schema string, value any) {
		checked++
		s, err := compiler.Compile("openapi:///#" + schema)
		if err != nil {
			t.Fatalf("%s: %v", schema, err)
		}
		if err := s.Validate(value); err != nil {
			found = append(found, fmt.Sprintf("%s: %v", place, err))
		}
	}
	pointer := strings.NewReplacer("~", "~0", "/", "~1", "%", "%25", "{", "%7B", "}", "%7D")
	var walk func(place string, node any)
	walk = func(place string, node any) {
		switch node := node.(type) {
		case []any:
			for i, v := range node {
				walk(fmt.Sprint(place, "/", i), v)
			}
		case map[string]any:
			schema := place
			if _, ok := node["schema"]; ok {
				schema += "/schema"
			}
			for key, v := range node {
				at := place + "/" + pointer.Replace(key)
				names, _ := v.(map[string]any)
				switch key {
				case "example", "default":
					check(at, schema, v)
				case "examples":
					values, _ := v.([]any)
					for i, v := range values {
						check(fmt.Sprint(at, "/", i), schema, v)
					}
					for name, v := range names {
						check(at+"/"+name, schema, resolve(as(doc), v)["value"])
					}
				case "enum", "const": // values
				case "properties", "patternProperties", "responses", "schemas", "parameters", "headers", "content", "components", "paths":
					if names == nil {
						walk(at, v) // parameters of an operation
					}
					for name, v := range names { // which may be "example"
						walk(at+"/"+pointer.Replace(name), v)
					}
				default:
					walk(at, v)
				}
			}
		}
	}
	walk("", doc)
	slices.Sort(found)
	return found, checked
}
