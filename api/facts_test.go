package description_test

import (
	"fmt"
	"slices"
	"strings"
)

// facts are the parts of a description that define requests and responses, as
// values by owner and place. An owner is an operation ("get /v3/ping") or a schema
// ("$Block"); a place is a position in it ("200 application/json", ".user required").
// A reference to a schema is written "$Name". Prose, examples and security are not
// included.
type facts map[string]map[string]string

type object = map[string]any

// factsOf reads the facts of an OpenAPI document.
func factsOf(doc object) facts {
	f := facts{}
	for path, item := range as(doc["paths"]) {
		for method, op := range as(item) {
			if op, ok := op.(object); ok {
				f.operation(doc, method+" "+path, op)
			}
		}
	}
	for name, schema := range as(as(doc["components"])["schemas"]) {
		f.schema("$"+name, "", as(schema))
	}
	return f
}

func (f facts) set(owner, place string, value any) {
	if f[owner] == nil {
		f[owner] = map[string]string{}
	}
	f[owner][strings.TrimSpace(place)] = fmt.Sprint(value)
}

func (f facts) operation(doc object, owner string, op object) {
	f.set(owner, "operationId", op["operationId"])
	for _, p := range list(op["parameters"]) {
		p := resolve(doc, p)
		place := fmt.Sprintf("%v %v", p["in"], p["name"])
		f.set(owner, place+" required", p["required"] == true)
		if p["style"] != nil || p["explode"] != nil {
			f.set(owner, place+" style", fmt.Sprint(p["style"], " explode ", p["explode"]))
		}
		f.schema(owner, place, as(p["schema"]))
	}
	if body := resolve(doc, op["requestBody"]); body != nil {
		f.set(owner, "body required", body["required"] == true)
		f.content(owner, "body", body)
	}
	for status, r := range as(op["responses"]) {
		r := resolve(doc, r)
		f.set(owner, status, "")
		f.content(owner, status, r)
		for name, header := range as(r["headers"]) {
			f.schema(owner, status+" header "+name, as(resolve(doc, header)["schema"]))
		}
	}
}

func (f facts) content(owner, place string, node object) {
	for mime, media := range as(node["content"]) {
		f.schema(owner, place+" "+mime, as(as(media)["schema"]))
	}
}

// limits are the keywords that restrict accepted values.
var limits = []string{
	"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
	"pattern", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "propertyNames",
}

// schema records a schema and its parts.
func (f facts) schema(owner, place string, s object) {
	f.keywords(owner, place, s)
	for name, property := range as(s["properties"]) {
		f.schema(owner, place+"."+name, as(property))
	}
	for _, name := range list(s["required"]) {
		f.set(owner, fmt.Sprintf("%s.%v required", place, name), true)
	}
	if items, ok := s["items"]; ok {
		f.schema(owner, place+"[]", as(items))
	}
	switch more := s["additionalProperties"].(type) {
	case object:
		f.schema(owner, place+"{}", more)
	case bool:
		f.set(owner, place+"{}", more)
	}
	for _, keyword := range []string{"oneOf", "anyOf", "not"} {
		variants := list(s[keyword])
		if not, ok := s[keyword].(object); ok {
			variants = []any{not}
		}
		for _, v := range variants {
			f.variant(owner, place+" "+keyword, as(v))
		}
	}
	for _, part := range list(s["allOf"]) {
		if part := as(part); part["$ref"] != nil {
			f.set(owner, place+" allOf "+reference(part["$ref"]), "")
		} else {
			f.schema(owner, place, part) // an inline part counts like the whole
		}
	}
}

// keywords records the keywords of a schema itself.
func (f facts) keywords(owner, place string, s object) {
	var types []string
	for _, t := range append(list(s["type"]), s["type"]) {
		if name, ok := t.(string); ok {
			types = append(types, name)
		}
	}
	slices.Sort(types)
	kind := strings.Join(types, "|")
	if format, ok := s["format"].(string); ok {
		kind += " (" + format + ")"
	}
	if s["$ref"] != nil {
		kind = reference(s["$ref"])
	}
	if kind != "" {
		f.set(owner, place+" is", kind)
	}
	for _, value := range list(s["enum"]) {
		f.set(owner, fmt.Sprintf("%s enum %v", place, value), "")
	}
	if d, ok := s["default"]; ok {
		f.set(owner, place+" default", d)
	}
	for _, limit := range limits {
		if v, ok := s[limit]; ok {
			f.set(owner, place+" limit "+limit, v)
		}
	}
	if d := as(s["discriminator"]); d != nil {
		f.set(owner, place+" discriminator", d["propertyName"])
		for value, target := range as(d["mapping"]) {
			f.set(owner, place+" discriminator "+value, reference(target))
		}
	}
}

// variant records one branch of a choice under a name that does not depend on the
// order of the branches: its reference, its type, or the fields it requires.
func (f facts) variant(owner, place string, s object) {
	name := ""
	switch required := list(s["required"]); {
	case s["$ref"] != nil:
		name = reference(s["$ref"])
	case len(required) > 0:
		words := strings.Fields(strings.Trim(fmt.Sprint(required), "[]"))
		slices.Sort(words)
		name = "<" + strings.Join(words, "+") + ">"
	case s["type"] != nil:
		name = fmt.Sprintf("<%v>", s["type"])
	}
	place = strings.TrimSpace(place + " " + name)
	f.set(owner, place, "")
	if s["$ref"] == nil {
		f.schema(owner, place, s)
	}
}
