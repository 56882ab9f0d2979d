package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ref returns the type of a schema. name is for a type that has none; request means that clients send it.
func (a *api) ref(s schema, name string, request bool) ref {
	if r, ok := s["$ref"].(string); ok {
		return a.named(last(r), request)
	}
	if parts, ok := s["allOf"].([]any); ok && s["properties"] == nil { // a reference with another description
		parts = slices.DeleteFunc(slices.Clone(parts), func(part any) bool { return len(part.(map[string]any)) == 0 })
		if len(parts) == 1 {
			return a.ref(parts[0].(map[string]any), name, request)
		}
	}
	if of, ok := s["oneOf"].([]any); ok {
		if bare, nullable := withoutNull(of); nullable {
			r := a.ref(bare, name, request)
			r.nullable = true
			return r
		}
		if scalars := scalarsOf(of); scalars != nil {
			if slices.Equal(scalars, []string{"integer", "string"}) {
				return ref{basic: "ref"}
			}
			return ref{basic: "any"}
		}
		if !request || !alternatives(of) {
			return a.union(name, oneLine(s["description"]), s, request)
		}
	}
	kind, nullable := kindOf(s)
	var r ref
	switch {
	case s["additionalProperties"] != nil && reference(s["additionalProperties"]): // its fixed properties are of the same type
		values := a.ref(s["additionalProperties"].(map[string]any), name, request)
		r = ref{values: &values}
	case s["allOf"] != nil || s["properties"] != nil || s["oneOf"] != nil:
		r = a.object(name, s, request)
	case kind == "array" && name != "" && strings.HasSuffix(name, "Data") && bare(s["items"].(map[string]any)):
		r = ref{items: &ref{basic: "item"}}
	case kind == "array":
		items := a.ref(s["items"].(map[string]any), itemName(name), request)
		r = ref{items: &items}
	case kind == "object" && s["additionalProperties"] == nil && a.pkg == "ext":
		r = ref{basic: "json"}
		if request {
			r = ref{basic: "any"}
		}
	case kind == "object":
		values := ref{basic: "any"}
		if of, ok := s["additionalProperties"].(map[string]any); ok && (of["type"] != nil || of["$ref"] != nil) {
			if _, several := of["type"].([]any); !several {
				values = a.ref(of, name+"Value", request)
			}
		}
		r = ref{values: &values}
	case kind == "string" && s["format"] == "date-time":
		r = ref{basic: "time"}
	case kind == "":
		r = ref{basic: "any"}
	default:
		r = ref{basic: kind}
	}
	r.nullable = nullable
	return r
}

// reference reports whether a schema refers to a named one.
func reference(s any) bool {
	of, ok := s.(map[string]any)
	return ok && of["$ref"] != nil
}

// itemName names the items of a list that have no name: those of ConnectableListResponse are Connectable.
func itemName(list string) string {
	if name, ok := strings.CutSuffix(list, "Data"); ok {
		return strings.TrimSuffix(strings.TrimSuffix(name, "Response"), "List")
	}
	return strings.TrimSuffix(list, "s")
}

// named returns a reference to a schema of the description. Objects with a name become types, and so do enumerations.
func (a *api) named(name string, request bool) ref {
	if a.isBlock(name) {
		name = "Block"
	}
	if t, ok := a.types[name]; ok {
		t.request = t.request || request
		return ref{name: name}
	}
	s, ok := a.doc.Components.Schemas[name]
	if !ok {
		a.fail("no schema %s", name)
		return ref{}
	}
	if name == "Block" {
		return a.block(s)
	}
	if values, ok := s["enum"].([]any); ok {
		t := &typ{name: name, doc: oneLine(s["description"])}
		for _, v := range values {
			t.enum = append(t.enum, fmt.Sprint(v))
		}
		a.types[name] = t
		return ref{name: name}
	}
	if of, ok := s["oneOf"].([]any); ok && !(request && alternatives(of)) {
		return a.union(name, oneLine(s["description"]), s, request)
	}
	return a.ref(s, name, request)
}

// object adds the type of an object with fixed fields.
func (a *api) object(name string, s schema, request bool) ref {
	if _, ok := a.types[name]; ok {
		return ref{name: name}
	}
	t := &typ{name: name, doc: oneLine(s["description"]), request: request}
	a.types[name] = t // before its fields, which may refer to it
	if t.fields = a.fields(name, s, request, true); len(t.fields) == 0 {
		a.fail("%s has no fields", name)
	}
	return ref{name: name}
}

// fields returns the fields of an object, including those of all parts. In alternatives none is required.
func (a *api) fields(name string, s schema, request, required bool) []field {
	all := map[string]field{}
	a.collect(all, name, s, request, required)
	out := make([]field, 0, len(all))
	for _, key := range slices.Sorted(maps.Keys(all)) {
		out = append(out, all[key])
	}
	return out
}

func (a *api) collect(into map[string]field, name string, s schema, request, required bool) {
	if r, ok := s["$ref"].(string); ok {
		a.collect(into, name, a.doc.Components.Schemas[last(r)], request, required)
		return
	}
	for _, key := range []string{"allOf", "oneOf"} {
		parts, _ := s[key].([]any)
		for _, part := range parts {
			a.collect(into, name, part.(map[string]any), request, required && key == "allOf")
		}
	}
	needed, _ := s["required"].([]any)
	properties, _ := s["properties"].(map[string]any)
	for key, of := range properties {
		p := of.(map[string]any)
		into[key] = field{key, oneLine(p["description"]), a.ref(p, name+title(key), request), required && slices.Contains(needed, any(key))}
	}
}

// block merges the kinds of blocks into one type, since all of them have most fields.
func (a *api) block(s schema) ref {
	t := &typ{name: "Block", doc: oneLine(s["description"])}
	a.types["Block"] = t
	kinds := s["oneOf"].([]any)
	all, count := map[string]field{}, map[string]int{}
	for _, kind := range kinds {
		one := map[string]field{}
		a.collect(one, "Block", kind.(map[string]any), false, true)
		for key, f := range one {
			if f.required {
				count[key]++
			}
			if was, ok := all[key]; ok {
				f.of.nullable = f.of.nullable || was.of.nullable
			}
			all[key] = f
		}
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		f := all[key]
		f.required = count[key] == len(kinds)
		t.fields = append(t.fields, f)
	}
	return ref{name: "Block"}
}

// union adds a type that is one of several objects, which differ in the field "type".
func (a *api) union(name, doc string, s schema, request bool) ref {
	if t, ok := a.types[name]; ok {
		t.request = t.request || request
		return ref{name: name}
	}
	t := &typ{name: name, doc: doc, request: request}
	a.types[name] = t
	for _, of := range s["oneOf"].([]any) {
		r, ok := of.(map[string]any)["$ref"].(string)
		if !ok {
			a.fail("%s: a part of the union has no name", name)
			return ref{}
		}
		values := a.kinds(last(r))
		if len(values) == 0 {
			a.fail("%s: %s has no type", name, r)
		}
		part := a.named(last(r), request).name
		if i := slices.IndexFunc(t.variants, func(v variant) bool { return v.name == part }); i >= 0 {
			t.variants[i].values = append(t.variants[i].values, values...)
			continue
		}
		t.variants = append(t.variants, variant{part, values})
	}
	return ref{name: name}
}

// kinds returns the possible values of the field "type" of a schema.
func (a *api) kinds(name string) (values []string) {
	var find func(s schema)
	find = func(s schema) {
		if r, ok := s["$ref"].(string); ok {
			find(a.doc.Components.Schemas[last(r)])
		}
		for _, key := range []string{"allOf", "oneOf"} {
			parts, _ := s[key].([]any)
			for _, part := range parts {
				find(part.(map[string]any))
			}
		}
		properties, _ := s["properties"].(map[string]any)
		kind, _ := properties["type"].(map[string]any)
		all, _ := kind["enum"].([]any)
		if c, ok := kind["const"]; ok {
			all = append(all, c)
		}
		for _, v := range all {
			values = append(values, fmt.Sprint(v))
		}
	}
	find(a.doc.Components.Schemas[name])
	return values
}

// isBlock reports whether a schema is one kind of block.
func (a *api) isBlock(name string) bool {
	kinds, _ := a.doc.Components.Schemas["Block"]["oneOf"].([]any)
	return slices.ContainsFunc(kinds, func(kind any) bool {
		ref, _ := kind.(map[string]any)["$ref"].(string)
		return ref != "" && last(ref) == name
	})
}

// scalarsOf returns the types of a union that has no objects and lists.
func scalarsOf(of []any) (kinds []string) {
	for _, part := range of {
		kind, _ := kindOf(part.(map[string]any))
		if kind == "" || kind == "object" || kind == "array" {
			return nil
		}
		kinds = append(kinds, kind)
	}
	return kinds
}

// alternatives reports whether parts of a request are sets of fields without names.
func alternatives(of []any) bool {
	return !slices.ContainsFunc(of, func(part any) bool { return part.(map[string]any)["$ref"] != nil })
}

// withoutNull returns the only other part of a union with null.
func withoutNull(of []any) (schema, bool) {
	if len(of) != 2 {
		return nil, false
	}
	for i, part := range of {
		if part.(map[string]any)["type"] == "null" {
			return of[1-i].(map[string]any), true
		}
	}
	return nil, false
}

// kindOf returns the JSON type of a schema, and whether it can be null.
func kindOf(s schema) (kind string, nullable bool) {
	switch t := s["type"].(type) {
	case string:
		return t, false
	case []any:
		for _, one := range t {
			if one == "null" {
				nullable = true
			} else {
				kind = fmt.Sprint(one)
			}
		}
		if len(t) > 2 {
			kind = ""
		}
	}
	return kind, nullable
}
