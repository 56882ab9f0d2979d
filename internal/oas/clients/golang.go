package main

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// generated returns the first line of a file.
func (a *api) generated() string {
	return "Code generated from api/" + a.source + " by internal/oas/clients. DO NOT EDIT."
}

// shared returns a name of package client.
func (a *api) shared(name string) string {
	if a.pkg == "client" {
		return name
	}
	return "client." + name
}

// goSource returns the types and methods of the Go client, not formatted.
func (a *api) goSource() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "// %s\n\npackage %s\n\nimport (\n", a.generated(), a.pkg)
	imports := []string{"context", "encoding/json", "iter", "net/http", "time", "vitrine/client/internal/rest"}
	if a.pkg != "client" {
		imports = append(imports, "io", "vitrine/client")
	}
	slices.SortFunc(imports, func(x, y string) int {
		return cmp.Or(strings.Count(x, "vitrine")-strings.Count(y, "vitrine"), strings.Compare(x, y))
	})
	for _, path := range imports {
		fmt.Fprintf(&out, "%q\n", path)
	}
	fmt.Fprintln(&out, ")")
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
	fmt.Fprintf(out, "}\n\n// UnmarshalJSON decodes the variant that the field \"type\" names. A variant of a later version sets only Type.\nfunc (u *%s) UnmarshalJSON(data []byte) (err error) {\nif u.Type, err = rest.TypeOf(data); err != nil {\nreturn err\n}\nswitch u.Type {\n", t.name)
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
		return a.shared("Optional") + "[" + of + "]"
	case f.of.items != nil || f.of.values != nil || of == "any" || of == "json.RawMessage":
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
	return map[string]string{"string": "string", "integer": "int64", "number": "float64", "boolean": "bool", "time": "time.Time", "any": "any", "json": "json.RawMessage", "item": "Item", "connection": "Connection", "ref": a.shared("Ref")}[r.basic]
}

// goOperation writes the method of an operation, its parameters, and an iterator if it returns a list.
func (a *api) goOperation(out *bytes.Buffer, o operation) {
	name := title(o.id)
	params, args := "ctx context.Context", ""
	for _, p := range o.pathParams {
		kind := a.goRef(p.of)
		if p.name == "id" && kind == "string" {
			kind = a.shared("Ref")
		}
		params += ", " + argument(p) + " " + kind
		args += ", " + argument(p)
	}
	if o.body != nil {
		params += ", body " + map[bool]string{true: "*"}[o.body.name != ""] + a.goRef(*o.body)
	}
	if len(o.query) > 0 {
		fmt.Fprintf(out, "\n// %sParams are the parameters of %s. Zero values are not sent.\ntype %[1]sParams struct {\n", name, name)
		for _, p := range o.query {
			comment(out, "//", p.doc)
			kind := a.goRef(p.of)
			if kind == "bool" {
				kind = "*bool"
			}
			repeat := ""
			if p.repeated {
				repeat = ",repeat"
			}
			fmt.Fprintf(out, "%s %s `query:\"%s%s\"`\n", title(p.name), kind, p.name, repeat)
		}
		fmt.Fprintln(out, "}")
		params += ", params *" + name + "Params"
		args += ", params"
	}
	fmt.Fprintln(out)
	comment(out, "//", name+": "+lower(o.doc))
	query, body := "nil", "nil"
	if len(o.query) > 0 {
		query = "params"
	}
	if o.body != nil {
		switch o.encoding {
		case "":
			body = "body"
		case "application/x-www-form-urlencoded":
			body = "form{body}"
		default:
			body = a.shared("Encoded") + fmt.Sprintf("{Type: %q, Data: []byte(body)}", o.encoding)
		}
	}
	path, values := goPath(o)
	call := fmt.Sprintf("c.call(ctx, http.Method%s, %q, []any{%s}, %s, %s, ", title(strings.ToLower(o.method)), path, values, query, body)
	if o.file {
		fmt.Fprintf(out, "//\n// The caller closes the file.\nfunc (c *Client) %s(%s) (io.ReadCloser, error) {\nvar out io.ReadCloser\nerr := %s&out)\nreturn out, err\n}\n", name, params, call)
		return
	}
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
	all := title(allName(o.id))
	fmt.Fprintf(out, "\n// %s returns all items of %s, page by page.\nfunc (c *Client) %[1]s(%[3]s) iter.Seq2[%[4]s, error] {\nvar p %[2]sParams\nif params != nil {\np = *params\n}\n", all, name, params, item)
	args = strings.Replace(args, ", params", ", &p", 1)
	more := map[string]string{
		"page":   "p.Page = list.Meta.CurrentPage + 1\nreturn list.Data, list.Meta.HasMorePages, nil",
		"cursor": "if list.Meta.NextCursor != nil {\np.Next = *list.Meta.NextCursor\n}\nreturn list.Data, list.Meta.HasMore && list.Meta.NextCursor != nil, nil",
		"place":  "if list.NextCursor != nil {\np.Cursor = *list.NextCursor\n}\nreturn list.Data, list.NextCursor != nil, nil",
		"before": "if n := len(list.Data); n > 0 {\np.Before = list.Data[n-1].ID\n}\nreturn list.Data, list.More, nil",
		"linked": "p.Page = max(p.Page, 1) + 1\nreturn list.Items, list.Next != nil, nil",
	}[o.paging]
	fmt.Fprintf(out, "return rest.Pages(func() (data []%s, more bool, err error) {\nlist, err := c.%s(ctx%s)\nif err != nil {\nreturn nil, false, err\n}\n%s\n})\n}\n", item, name, args, more)
}

// goPath returns the path with %v for each parameter, and the parameters.
func goPath(o operation) (path, values string) {
	path = o.path
	var all []string
	for _, p := range o.pathParams {
		path = strings.Replace(path, "{"+p.name+"}", "%v", 1)
		all = append(all, argument(p))
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

// argument returns the name of an argument. A keyword of Go gets another one.
func argument(p param) string {
	if p.name == "type" {
		return "kind"
	}
	return lowerFirst(title(p.name))
}

// lowerFirst returns the name of a parameter for a field's name: "UserID" becomes "userID", and "ID" becomes "id".
func lowerFirst(name string) string {
	if name == "ID" {
		return "id"
	}
	return strings.ToLower(name[:1]) + name[1:]
}
