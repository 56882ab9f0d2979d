package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// tsTypes returns the type declarations of the TypeScript client.
func (a *api) tsTypes() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "// %s\n", generated)
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
				fmt.Fprintf(&out, "  %s%s: %s;\n", f.name, optionalMark(!f.required), a.tsRef(f.of))
			}
			fmt.Fprintln(&out, "}")
		}
	}
	fmt.Fprint(&out, "\n/** Options of one call. */\nexport interface CallOptions {\n  signal?: AbortSignal;\n}\n\n/** The operations of the API. */\nexport interface Operations {\n")
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
		name = map[string]string{"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "time": "string", "any": "unknown", "ref": "string | number"}[r.basic]
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
	if o.result != nil {
		result = a.tsRef(*o.result)
	}
	tsComment(out, "  ", o.doc)
	fmt.Fprintf(out, "  %s(%s): Promise<%s>;\n", o.id, strings.Join(params, ", "), result)
	if o.paging != "" {
		fmt.Fprintf(out, "  /** Returns all items of %s, page by page. */\n  %s(%s): AsyncGenerator<%s>;\n", o.id, allName(o.id), strings.Join(params, ", "), a.tsRef(o.item))
	}
}

// allName returns the name of the iterator of a list.
func allName(id string) string { return "all" + title(strings.TrimPrefix(id, "get")) }

// jsOperations returns the table from which the JavaScript client makes its methods.
func (a *api) jsOperations() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "// %s\n\n/** Each operation: method, path, whether it has a body, parameters and a form, and how its list continues. */\nexport const operations = {\n", generated)
	for _, o := range a.operations {
		row, _ := json.Marshal([]any{o.method, o.path, o.body != nil, len(o.query) > 0, o.form, o.paging}) // always encodes
		fmt.Fprintf(&out, "  %s: %s,\n", o.id, row)
	}
	fmt.Fprintln(&out, "};")
	return out.Bytes()
}
