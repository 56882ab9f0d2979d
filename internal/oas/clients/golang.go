package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
)

const generated = "Code generated from api/v3.yaml by internal/oas/clients. DO NOT EDIT."

// goSource returns the types and methods of the Go client, not formatted.
func (a *api) goSource() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "// %s\n\npackage client\n\nimport (\n\"context\"\n\"encoding/json\"\n\"iter\"\n\"net/http\"\n\"time\"\n)\n", generated)
	for _, name := range slices.Sorted(maps.Keys(a.types)) {
		a.goType(&out, a.types[name])
	}
	for _, o := range a.operations {
		a.goOperation(&out, o)
	}
	return out.Bytes()
}

func (a *api) goType(out *bytes.Buffer, t *typ) {
	fmt.Fprintln(out)
	comment(out, "//", described(t))
	switch {
	case t.enum != nil:
		fmt.Fprintf(out, "type %s string\n\n// The values of %s.\nconst (\n", t.name, t.name)
		for _, v := range t.enum {
			fmt.Fprintf(out, "%s%s %s = %q\n", t.name, title(strings.NewReplacer("-", "_", " ", "_", ".", "_").Replace(v)), t.name, v)
		}
		fmt.Fprintln(out, ")")
	case t.variants != nil:
		a.goUnion(out, t)
	default:
		fmt.Fprintf(out, "type %s struct {\n", t.name)
		for _, f := range t.fields {
			comment(out, "//", f.doc)
			options := ""
			if !f.required {
				options = ",omitzero"
			}
			fmt.Fprintf(out, "%s %s `json:\"%s%s\"`\n", title(f.name), a.goField(f, t.request), f.name, options)
		}
		fmt.Fprintln(out, "}")
	}
}

// described returns the comment of a type.
func described(t *typ) string {
	if t.doc != "" {
		if article, _, _ := strings.Cut(t.doc, " "); article == "A" || article == "An" || article == "The" {
			return t.name + " is " + lower(t.doc)
		}
		return t.name + ": " + lower(t.doc)
	}
	if operation, ok := strings.CutSuffix(t.name, "Request"); ok {
		return t.name + " is the body of " + operation + "."
	}
	if t.variants != nil {
		names := make([]string, len(t.variants))
		for i, v := range t.variants {
			names[i] = v.name
		}
		return t.name + " is one of " + strings.Join(names, ", ") + "."
	}
	return t.name + " is a part of requests and responses."
}

// goUnion writes a type with a pointer to each variant. Only one pointer is set.
func (a *api) goUnion(out *bytes.Buffer, t *typ) {
	fmt.Fprintf(out, "type %s struct {\nType string // of the variant\n", t.name)
	for _, v := range t.variants {
		fmt.Fprintf(out, "%s *%s\n", v.name, v.name)
	}
	fmt.Fprintf(out, "}\n\n// UnmarshalJSON decodes the variant that the field \"type\" names. A variant of a later version sets only Type.\nfunc (u *%s) UnmarshalJSON(data []byte) (err error) {\nif u.Type, err = typeOf(data); err != nil {\nreturn err\n}\nswitch u.Type {\n", t.name)
	for _, v := range t.variants {
		fmt.Fprintf(out, "case %s:\nreturn json.Unmarshal(data, &u.%s)\n", quoted(v.values), v.name)
	}
	fmt.Fprintf(out, "}\nreturn nil\n}\n\n// MarshalJSON encodes the variant.\nfunc (u %s) MarshalJSON() ([]byte, error) {\nswitch {\n", t.name)
	for _, v := range t.variants {
		fmt.Fprintf(out, "case u.%s != nil:\nreturn json.Marshal(u.%s)\n", v.name, v.name)
	}
	fmt.Fprint(out, "}\nreturn []byte(\"null\"), nil\n}\n")
}

func quoted(values []string) string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = fmt.Sprintf("%q", v)
	}
	return strings.Join(all, ", ")
}

// goField returns the type of a field. In requests Optional distinguishes null from a missing field.
func (a *api) goField(f field, request bool) string {
	of := a.goRef(f.of)
	switch {
	case request && !f.required && f.of.nullable:
		return "Optional[" + of + "]"
	case f.of.items != nil || f.of.values != nil || of == "any":
		return of
	case f.of.nullable || !f.required:
		return "*" + of
	}
	return of
}

func (a *api) goRef(r ref) string {
	switch {
	case r.name != "":
		return r.name
	case r.items != nil:
		return "[]" + a.goRef(*r.items)
	case r.values != nil:
		return "map[string]" + a.goRef(*r.values)
	}
	return map[string]string{"string": "string", "integer": "int64", "number": "float64", "boolean": "bool", "time": "time.Time", "any": "any", "ref": "Ref"}[r.basic]
}

// goOperation writes the method of an operation, its parameters, and an iterator if it returns a list.
func (a *api) goOperation(out *bytes.Buffer, o operation) {
	name := title(o.id)
	params, args := "ctx context.Context", ""
	for _, p := range o.pathParams {
		kind := a.goRef(p.of)
		if p.name == "id" && kind == "string" {
			kind = "Ref"
		}
		params += ", " + lowerFirst(title(p.name)) + " " + kind
		args += ", " + lowerFirst(title(p.name))
	}
	if len(o.query) > 0 {
		fmt.Fprintf(out, "\n// %sParams are the parameters of %s. Zero values are not sent.\ntype %[1]sParams struct {\n", name, name)
		for _, p := range o.query {
			comment(out, "//", p.doc)
			kind := a.goRef(p.of)
			if kind == "bool" {
				kind = "*bool"
			}
			fmt.Fprintf(out, "%s %s `query:\"%s\"`\n", title(p.name), kind, p.name)
		}
		fmt.Fprintln(out, "}")
		params += ", params *" + name + "Params"
		args += ", params"
	}
	if o.body != nil {
		params += ", body *" + a.goRef(*o.body)
	}
	fmt.Fprintln(out)
	comment(out, "//", name+": "+lower(o.doc))
	query, body := "nil", "nil"
	if len(o.query) > 0 {
		query = "params"
	}
	if o.body != nil {
		body = "body"
		if o.form {
			body = "form{body}"
		}
	}
	path, values := goPath(o)
	call := fmt.Sprintf("c.call(ctx, http.Method%s, %q, []any{%s}, %s, %s, ", title(strings.ToLower(o.method)), path, values, query, body)
	if o.result == nil {
		fmt.Fprintf(out, "func (c *Client) %s(%s) error {\nreturn %snil)\n}\n", name, params, call)
		return
	}
	result := a.goRef(*o.result)
	fmt.Fprintf(out, "func (c *Client) %s(%s) (*%s, error) {\nvar out %[3]s\nif err := %[4]s&out); err != nil {\nreturn nil, err\n}\nreturn &out, nil\n}\n", name, params, result, call)
	a.goIterator(out, o, name, params, args)
}

func (a *api) goIterator(out *bytes.Buffer, o operation, name, params, args string) {
	if o.paging == "" {
		return
	}
	item := a.goRef(o.item)
	all := "All" + strings.TrimPrefix(name, "Get")
	fmt.Fprintf(out, "\n// %s returns all items of %s, page by page.\nfunc (c *Client) %[1]s(%[3]s) iter.Seq2[%[4]s, error] {\nvar p %[2]sParams\nif params != nil {\np = *params\n}\n", all, name, params, item)
	args = strings.Replace(args, ", params", ", &p", 1)
	if o.paging == "page" {
		fmt.Fprintf(out, "return pages(func() (data []%s, more bool, err error) {\nlist, err := c.%s(ctx%s)\nif err != nil {\nreturn nil, false, err\n}\np.Page = list.Meta.CurrentPage + 1\nreturn list.Data, list.Meta.HasMorePages, nil\n})\n}\n", item, name, args)
		return
	}
	fmt.Fprintf(out, "return pages(func() (data []%s, more bool, err error) {\nlist, err := c.%s(ctx%s)\nif err != nil {\nreturn nil, false, err\n}\nif list.Meta.NextCursor != nil {\np.Next = *list.Meta.NextCursor\n}\nreturn list.Data, list.Meta.HasMore && list.Meta.NextCursor != nil, nil\n})\n}\n", item, name, args)
}

// goPath returns the path with %v for each parameter, and the parameters.
func goPath(o operation) (path, values string) {
	path = o.path
	var all []string
	for _, p := range o.pathParams {
		path = strings.Replace(path, "{"+p.name+"}", "%v", 1)
		all = append(all, lowerFirst(title(p.name)))
	}
	return path, strings.Join(all, ", ")
}

// lower returns a text that begins with a small letter, unless it begins with an abbreviation.
func lower(text string) string {
	if len(text) > 1 && (text[1] == ' ' || text[1] >= 'a' && text[1] <= 'z') {
		return strings.ToLower(text[:1]) + text[1:]
	}
	return text
}

// lowerFirst returns the name of a parameter for a field's name: "UserID" becomes "userID", and "ID" becomes "id".
func lowerFirst(name string) string {
	if name == "ID" {
		return "id"
	}
	return strings.ToLower(name[:1]) + name[1:]
}
