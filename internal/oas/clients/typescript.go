package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// tsTypes returns the type declarations of the TypeScript client.
func (a *api) tsTypes() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "// %s\n", a.generated())
	if a.pkg == "ext" {
		fmt.Fprint(&out, "\nimport type { Item, TaggedConnection } from \"./ext.js\";\n")
	}
	for _, name := range slices.Sorted(maps.Keys(a.types)) {
		t := a.types[name]
		fmt.Fprintln(&out)
		tsComment(&out, "", t.doc)
		switch {
		case t.enum != nil:
			fmt.Fprintf(&out, "export type %s = %s;\n", name, strings.ReplaceAll(quoted(t.enum), ", ", " | "))
		case t.variants != nil:
			var names []string
			for _, v := range t.variants {
				names = append(names, v.name)
			}
			fmt.Fprintf(&out, "export type %s = %s;\n", name, strings.Join(names, " | "))
		default:
			fmt.Fprintf(&out, "export interface %s {\n", name)
			for _, f := range t.fields {
				tsComment(&out, "  ", f.doc)
				fmt.Fprintf(&out, "  %s%s: %s;\n", propertyName(f.name), optionalMark(!f.required), a.tsRef(f.of))
			}
			fmt.Fprintln(&out, "}")
		}
	}
	fmt.Fprint(&out, "\n/** Options of one call. */\nexport interface CallOptions {\n  signal?: AbortSignal;\n  /** An ETag that the thing must still have; if not, the answer is 412. */\n  ifMatch?: string;\n"+
		"  /** The key of a POST, for programs that repeat it later. */\n  idempotencyKey?: string;\n}\n\n/** The operations of the API. */\nexport interface Operations {\n")
	for _, o := range a.operations {
		a.tsOperation(&out, o)
	}
	fmt.Fprintln(&out, "}")
	return out.Bytes()
}

func optionalMark(optional bool) string {
	if optional {
		return "?"
	}
	return ""
}

func propertyName(name string) string {
	if strings.HasPrefix(name, "@") {
		return `"` + name + `"`
	}
	return name
}

func tsComment(out *bytes.Buffer, indent, text string) {
	if text != "" {
		fmt.Fprintf(out, "%s/** %s */\n", indent, strings.ReplaceAll(text, "*/", "* /"))
	}
}

func (a *api) tsRef(r ref) string {
	var name string
	switch {
	case r.name != "":
		name = r.name
	case r.items != nil:
		name = a.tsRef(*r.items) + "[]"
		if strings.Contains(a.tsRef(*r.items), " ") {
			name = "(" + a.tsRef(*r.items) + ")[]"
		}
	case r.values != nil:
		name = "Record<string, " + a.tsRef(*r.values) + ">"
	default:
		name = map[string]string{"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "time": "string", "any": "unknown", "json": "unknown", "item": "Item", "connection": "TaggedConnection", "ref": "string | number"}[r.basic]
	}
	if r.nullable {
		name += " | null"
	}
	return name
}

func (a *api) tsOperation(out *bytes.Buffer, o operation) {
	var params []string
	for _, p := range o.pathParams {
		kind := a.tsRef(p.of)
		if p.name == "id" {
			kind = "string | number"
		}
		params = append(params, lowerFirst(title(p.name))+": "+kind)
	}
	if o.body != nil {
		params = append(params, "body: "+a.tsRef(*o.body))
	}
	var query []string
	for _, p := range o.query {
		query = append(query, p.name+"?: "+a.tsRef(p.of))
	}
	if len(query) > 0 {
		params = append(params, "params?: { "+strings.Join(query, "; ")+" }")
	}
	params = append(params, "options?: CallOptions")
	result := "void"
	switch {
	case o.file:
		result = "Response"
	case o.result != nil:
		result = a.tsRef(*o.result)
	}
	tsComment(out, "  ", o.doc)
	fmt.Fprintf(out, "  %s(%s): Promise<%s>;\n", o.id, strings.Join(params, ", "), result)
	if o.paging != "" {
		fmt.Fprintf(out, "  /** Returns all items of %s, page by page. */\n  %s(%s): AsyncGenerator<%s>;\n", o.id, allName(o.id), strings.Join(params, ", "), a.tsRef(o.item))
	}
}

// allName returns the name of the iterator of a list.
func allName(id string) string {
	return "all" + title(strings.TrimPrefix(strings.TrimPrefix(id, "get"), "list"))
}

// jsOperations returns the table from which the JavaScript client makes its methods.
func (a *api) jsOperations() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "// %s\n\n/** Each operation: method, path, the type of its body, whether it has parameters, how its list continues, and the parameters that are repeated. */\nexport const operations = {\n", a.generated())
	for _, o := range a.operations {
		kind, repeated := "", []string{}
		if o.body != nil {
			kind = cmp.Or(o.encoding, "application/json")
		}
		for _, p := range o.query {
			if p.repeated {
				repeated = append(repeated, p.name)
			}
		}
		paging := o.paging
		if o.file {
			paging = "file"
		}
		row, _ := json.Marshal([]any{o.method, o.path, kind, len(o.query) > 0, paging, repeated}) // always encodes
		fmt.Fprintf(&out, "  %s: %s,\n", o.id, row)
	}
	fmt.Fprintln(&out, "};")
	return out.Bytes()
}
