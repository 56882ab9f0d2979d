package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// schema is a JSON Schema.
type schema = map[string]any

type document struct {
	Components struct {
		Schemas    map[string]schema
		Parameters map[string]parameter
	}
	Paths map[string]map[string]any
}

type parameter struct {
	Ref         string `yaml:"$ref"`
	Name        string
	In          string
	Required    bool
	Description string
	Schema      schema
}

// api is a description in a form that both languages can be written from.
type api struct {
	doc        document
	source     string          // file of the description
	pkg        string          // name of the Go package
	types      map[string]*typ // by name
	operations []operation
	err        error
}

// typ is a named type: an enumeration, an object, or a union of objects.
type typ struct {
	name, doc string
	enum      []string
	fields    []field
	variants  []variant // of a union
	request   bool      // sent by clients
}

type field struct {
	name, doc string
	of        ref
	required  bool
}

// variant is a type of a union, with the values of its field "type".
type variant struct {
	name   string
	values []string
}

// ref is the type of a value.
type ref struct {
	name     string // of a named type
	basic    string // "string", "integer", "number", "boolean", "time", "any", "ref", an id or slug, "item", a thing of /v3, "connection", or "json"
	items    *ref   // of an array
	values   *ref   // of an object with any keys
	nullable bool
}

type operation struct {
	id, doc, method, path string
	pathParams            []param
	query                 []param
	body                  *ref
	encoding              string // of the body, if it is not JSON
	file                  bool   // the response is a file
	result                *ref   // nil for none
	paging                string // "page", "cursor", "place", "before", "linked" or ""
	list                  string // field of the result with the items
	item                  ref    // of a list
}

type param struct {
	name, doc string
	of        ref
	repeated  bool // instead of joined with commas
}

func newAPI(doc document, source, pkg string) *api {
	a := &api{doc: doc, source: source, pkg: pkg, types: map[string]*typ{}}
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		for _, method := range []string{"get", "post", "put", "patch", "delete"} {
			if o, ok := doc.Paths[path][method].(map[string]any); ok {
				a.operation(method, path, o, doc.Paths[path]["parameters"])
			}
		}
	}
	slices.SortFunc(a.operations, func(x, y operation) int { return strings.Compare(x.id, y.id) })
	return a
}

func (a *api) fail(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf(format, args...)
	}
}

// skipped are operations whose responses are not objects of the API, and those that the clients have methods of their own for.
var skipped = []string{"getOpenapiSpec", "getOpenapiSpecJson", "getExtOpenapiSpecJson", "streamChanges", "savePage"}

func (a *api) operation(method, path string, o map[string]any, common any) {
	id, _ := o["operationId"].(string)
	if slices.Contains(skipped, id) {
		return
	}
	op := operation{id: id, doc: oneLine(o["summary"], o["description"]), method: strings.ToUpper(method), path: path}
	for _, list := range []any{common, o["parameters"]} {
		all, _ := list.([]any)
		for _, p := range all {
			a.parameter(&op, p.(map[string]any))
		}
	}
	a.body(&op, o["requestBody"])
	a.response(&op, o["responses"].(map[string]any))
	a.operations = append(a.operations, op)
}

func (a *api) parameter(op *operation, p map[string]any) {
	if name, ok := p["$ref"].(string); ok {
		of, found := a.doc.Components.Parameters[last(name)]
		if !found {
			a.fail("%s: no parameter %s", op.id, name)
			return
		}
		p = map[string]any{"name": of.Name, "in": of.In, "description": of.Description, "schema": of.Schema}
	}
	name, _ := p["name"].(string)
	s, _ := p["schema"].(map[string]any)
	made := param{name, oneLine(p["description"]), a.ref(s, title(op.id)+title(name), true), p["explode"] == true && s["type"] == "array"}
	switch p["in"] {
	case "path":
		op.pathParams = append(op.pathParams, made)
	case "query":
		op.query = append(op.query, made)
	}
}

func (a *api) body(op *operation, body any) {
	b, ok := body.(map[string]any)
	if !ok {
		return
	}
	for kind, c := range b["content"].(map[string]any) {
		if kind != "application/json" {
			op.encoding = kind
		}
		r := a.ref(c.(map[string]any)["schema"].(map[string]any), title(op.id)+"Request", true)
		op.body = &r
	}
}

func (a *api) response(op *operation, all map[string]any) {
	for _, status := range []string{"200", "201", "202"} {
		r, ok := all[status].(map[string]any)
		if !ok || op.result != nil {
			continue
		}
		content, _ := r["content"].(map[string]any)
		for kind, c := range content {
			if !strings.HasSuffix(kind, "json") {
				op.file = true
				continue
			}
			s := c.(map[string]any)["schema"].(map[string]any)
			result := ref{basic: "item"}
			if op.id == "showConnection" {
				result = ref{basic: "connection"} // the only thing without a type
			} else if !bare(s) {
				result = a.ref(s, title(op.id)+"Response", false)
			}
			op.result = &result
		}
	}
	if op.result != nil && op.result.name != "" {
		a.paged(op)
	}
}

// bare reports whether a schema is an object without any description of its fields: a thing of /v3.
func bare(s schema) bool { return s["type"] == "object" && len(s) == 1 }

// paged finds out how a list continues.
func (a *api) paged(op *operation) {
	has := func(name string) bool {
		return slices.ContainsFunc(op.query, func(p param) bool { return p.name == name })
	}
	fields := a.types[op.result.name].fields
	at := func(names ...string) int {
		return slices.IndexFunc(fields, func(f field) bool { return slices.Contains(names, f.name) })
	}
	data := at("data", "items")
	if data < 0 || fields[data].of.items == nil {
		return
	}
	switch {
	case has("page") && at("meta") >= 0:
		op.paging = "page"
	case has("page"):
		op.paging = "linked"
	case has("next"):
		op.paging = "cursor"
	case has("cursor") && at("next_cursor") >= 0:
		op.paging = "place"
	case has("before"):
		op.paging = "before"
	}
	op.list, op.item = fields[data].name, *fields[data].of.items
}
