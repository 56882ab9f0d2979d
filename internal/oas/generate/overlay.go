package main

import (
	"maps"
	"slices"
	"strings"
)

const wire = "vitrine/internal/oas/wire."

// handTypes are the schemas that have a hand-written type in package wire.
var handTypes = map[string]string{
	"Links":         wire + "Links",
	"Metadata":      wire + "JSON",
	"MetadataInput": wire + "JSON",
}

// openFields are the fields that a wire.Fragment may leave open, by schema.
var openFields = map[string][]string{
	"BaseBlockProperties": {"can", "connection"},
	"Channel":             {"connection"},
	"EmbeddedConnection":  {"position"},
}

// byHand marks an operation that is implemented by hand and needs no generated code.
const byHand = "x-ogen-by-hand"

type object = map[string]any

// overlay rewrites a description in place for the generator.
func overlay(doc object) {
	delete(doc, "security")
	comps, _ := doc["components"].(object)
	delete(comps, "securitySchemes")
	delete(comps, "responses")
	schemas, _ := comps["schemas"].(object)
	openSchemas(schemas)
	written := clone(schemas).(object)
	keepVariants(doc, written)
	for name, s := range schemas {
		if handType(name, written) != "" {
			delete(schemas, name)
			continue
		}
		schemas[name] = rewrite(s, written, true)
	}
	params, _ := comps["parameters"].(object)
	for _, p := range params {
		p.(object)["schema"] = rewrite(p.(object)["schema"], written, false)
	}
	for path, item := range doc["paths"].(object) {
		parameters(item.(object), written)
		for method, op := range item.(object) {
			op, ok := op.(object)
			switch {
			case ok && op[byHand] == true:
				delete(item.(object), method)
			case ok:
				operation(op, written)
			}
		}
		if len(item.(object)) == 0 {
			delete(doc["paths"].(object), path)
		}
	}
}

// openSchemas gives open fields a type that can contain a placeholder.
func openSchemas(schemas object) {
	for name, fields := range openFields {
		schema, _ := schemas[name].(object)
		props, _ := schema["properties"].(object)
		for _, field := range fields {
			if open, ok := props[field].(object); ok {
				open["x-ogen-type"] = wire + "Item"
			}
		}
	}
}

// keepVariants references the variants of all unions, and the values of open fields, from a webhook,
// for which only types are generated: the fields that contained them have a hand-written type instead.
func keepVariants(doc, schemas object) {
	variants := object{}
	var find func(node any)
	find = func(node any) {
		switch node := node.(type) {
		case object:
			if isUnion(node, schemas) || node["x-ogen-type"] != nil {
				choice, _ := node["oneOf"].([]any)
				for _, v := range choice {
					if ref, ok := v.(object)["$ref"].(string); ok && handType(base(ref), schemas) == "" {
						variants[base(ref)] = v
					}
				}
			}
			for _, child := range node {
				find(child)
			}
		case []any:
			for _, child := range node {
				find(child)
			}
		}
	}
	find(schemas)
	if len(variants) == 0 {
		return
	}
	schema := object{"type": "object", "properties": variants}
	doc["webhooks"] = object{"variants": object{"post": object{
		"operationId": "variants",
		"responses": object{"200": object{
			"description": "The variants of all unions.",
			"content":     object{"application/json": object{"schema": schema}},
		}},
	}}}
}

// operation removes everything that is enforced from the original description: security, error
// statuses (all errors use one renderer) and response headers.
func operation(op, schemas object) {
	delete(op, "security")
	if tags, _ := op["tags"].([]any); op["x-ogen-operation-group"] == nil && len(tags) > 0 {
		op["x-ogen-operation-group"] = tags[0] // groups the handlers
	}
	if body, ok := op["requestBody"].(object); ok {
		if content, _ := body["content"].(object); content["application/json"] == nil {
			delete(op, "requestBody") // the handler reads it as a stream
		}
	}
	responses, _ := op["responses"].(object)
	for status, r := range responses {
		if !strings.HasPrefix(status, "2") {
			delete(responses, status)
			continue
		}
		r := r.(object)
		delete(r, "headers")
		content, _ := r["content"].(object)
		for mime, media := range content {
			if mime == "application/yaml" || media.(object)["x-ogen-raw-response"] != nil { // needs no types
				media.(object)["schema"] = object{"type": "string", "format": "binary"}
				continue
			}
			media.(object)["schema"] = rewrite(media.(object)["schema"], schemas, true)
		}
	}
	if body, ok := op["requestBody"].(object); ok {
		for _, media := range body["content"].(object) {
			media.(object)["schema"] = rewrite(media.(object)["schema"], schemas, false)
		}
	}
	parameters(op, schemas)
}

// parameters rewrites the parameters of an operation or of a whole path.
func parameters(of, schemas object) {
	params, _ := of["parameters"].([]any)
	for _, p := range params {
		if schema, ok := p.(object)["schema"]; ok {
			p.(object)["schema"] = rewrite(schema, schemas, false)
		}
	}
}

// rewrite simplifies a schema and everything below it. It removes defaults, because the generator
// would apply one next to a reference to all users of the referenced schema; handlers set them
// instead. response means that the server writes the schema, so that hand-written types may replace
// unions and times.
func rewrite(node any, schemas object, response bool) any {
	s, ok := node.(object)
	if !ok {
		return node
	}
	if hand := s["x-ogen-type"]; hand != nil {
		return object{"x-ogen-type": hand}
	}
	if ref, ok := s["$ref"].(string); ok {
		if hand := handType(base(ref), schemas); hand != "" {
			return object{"x-ogen-type": hand}
		}
		return object{"$ref": ref}
	}
	delete(s, "default")
	if response && isUnion(s, schemas) {
		return object{"x-ogen-type": wire + "Item"}
	}
	if composed(s, schemas) {
		if s = merge(s, schemas); s["$ref"] != nil {
			return rewrite(s, schemas, response)
		}
	}
	if s["format"] == "date-time" && response {
		return object{"x-ogen-type": wire + "Time"}
	}
	if kinds, _ := s["type"].([]any); s["type"] == "integer" || slices.Contains(kinds, any("integer")) {
		s["format"] = "int64"
	}
	if s["format"] == "uri" || s["format"] == "email" || s["format"] == "uuid" {
		delete(s, "format")
	}
	delete(s, "not")
	if s["pattern"] == `^$|\S` { // checked by httpedge.APIHandler and the use cases
		delete(s, "pattern")
	}
	if s["type"] == "object" && s["properties"] == nil && s["additionalProperties"] == nil {
		return object{"x-ogen-type": wire + "JSON"}
	}
	if props, ok := s["properties"].(object); ok {
		delete(s, "additionalProperties")
		for name, p := range props {
			props[name] = rewrite(p, schemas, response)
			if name == "errors" && response {
				props[name] = object{"type": "array", "items": object{"type": "string"}}
			}
		}
	}
	if items, ok := s["items"]; ok {
		s["items"] = rewrite(items, schemas, response)
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		variants, _ := s[key].([]any)
		for i, v := range variants {
			variants[i] = rewrite(v, schemas, response)
		}
		if hand := orNull(variants); hand != nil {
			return hand // the zero value of every hand-written type is null
		}
	}
	return s
}

// orNull returns the hand-written type for a choice between it and null, or nil.
func orNull(variants []any) object {
	if len(variants) != 2 || variants[1].(object)["type"] != "null" {
		return nil
	}
	if first := variants[0].(object); first["x-ogen-type"] != nil {
		return first
	}
	return nil
}

// isUnion reports whether a schema is a choice of two or more objects.
func isUnion(s, schemas object) bool {
	variants, _ := s["oneOf"].([]any)
	objects := 0
	for _, v := range variants {
		if ref, ok := v.(object)["$ref"].(string); ok {
			target := resolve(ref, schemas)
			if target["properties"] != nil || target["allOf"] != nil || target["oneOf"] != nil {
				objects++
			}
		}
	}
	return objects > 1
}

// composed reports whether a schema is an allOf, or a choice of inline objects.
func composed(s, schemas object) bool {
	if s["allOf"] != nil {
		return true
	}
	variants, _ := s["oneOf"].([]any)
	return len(variants) > 0 && !slices.ContainsFunc(variants, func(v any) bool {
		return v.(object)["properties"] == nil
	})
}

// merge combines an allOf or a choice of objects into one flat object. A field of a choice is
// required only if every variant requires it.
func merge(node any, schemas object) object {
	s, _ := node.(object)
	if ref, ok := s["$ref"].(string); ok {
		if _, hand := handTypes[base(ref)]; hand {
			return s
		}
		return merge(resolve(ref, schemas), schemas)
	}
	props, required := object{}, []any{}
	add := func(part object, requires bool) {
		if p, ok := part["properties"].(object); ok {
			maps.Copy(props, p)
		}
		if r, ok := part["required"].([]any); ok && requires {
			required = append(required, r...)
		}
	}
	add(s, true)
	parts, _ := s["allOf"].([]any)
	for _, p := range parts {
		part := merge(p, schemas)
		if part["$ref"] != nil {
			return part
		}
		add(part, true)
	}
	variants, _ := s["oneOf"].([]any)
	for _, v := range variants {
		add(merge(v, schemas), false)
	}
	return clone(object{"type": "object", "properties": props, "required": required}).(object)
}

// handType returns the type in package wire for a named schema, or "".
func handType(name string, schemas object) string {
	if hand, ok := handTypes[name]; ok {
		return hand
	}
	if s, ok := schemas[name].(object); ok && isUnion(s, schemas) {
		return wire + "Item"
	}
	return ""
}

func resolve(ref string, schemas object) object {
	s, _ := schemas[base(ref)].(object)
	return s
}

// base returns the last part of a reference: the schema's name.
func base(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }

// clone copies a tree, since merged parts are shared between schemas.
func clone(v any) any {
	switch v := v.(type) {
	case object:
		c := make(object, len(v))
		for k, e := range v {
			c[k] = clone(e)
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i, e := range v {
			c[i] = clone(e)
		}
		return c
	}
	return v
}
