package web

import (
	"fmt"
	"strings"
)

// input is a form field in a template.
type input struct {
	Name, Label, Type string
	Value             string
	Hint, Error       string
	Autocomplete      string
	InputMode         string // keyboard of phones. "email" replaces the type of the same name, since browsers reject zoë@example.org with it
	Rows              int    // of a multi-line text; 0 for a single line
	Most              int    // maximum number of characters; 0: not shown
	Required          bool
	Focus             bool   // the page begins with it, or it is the first field with an error
	Plain             bool   // neither corrected nor capitalised: slugs, addresses
	Pick              string // path of the suggestions
	Many              bool   // they are for parts that commas separate
}

// newInput returns a field for a template. Options are "type:password", "inputmode:email",
// "autocomplete:name", "hint:…", "required", "plain", "lines", "focus", "pick:…" and "many". The value of a password
// is never rendered again.
func newInput(f *Form, name, label string, more ...string) (input, error) {
	in := input{Name: name, Label: label, Type: "text"}
	for _, m := range more {
		key, value, _ := strings.Cut(m, ":")
		switch key {
		case "type":
			in.Type = value
		case "inputmode":
			in.InputMode = value
		case "autocomplete":
			in.Autocomplete = value
		case "hint":
			in.Hint = value
		case "pick":
			in.Pick = value
		case "many":
			in.Many = true
		case "required":
			in.Required = true
		case "plain":
			in.Plain = true
		case "focus":
			in.Focus = true
		case "lines":
			in.Rows = 5
		default:
			return in, fmt.Errorf("site: a field cannot be %q", m)
		}
	}
	if f != nil {
		if in.Rows > 0 {
			in.Most = f.fields[name].MaxLength
		}
		in.Error = f.errs[name]
		in.Focus = f.first == name || in.Focus && f.first == ""
		if in.Type != "password" {
			in.Value = f.Get(name)
		}
	}
	return in, nil
}

// DescribedBy returns the ids of the elements that describe the field.
func (in input) DescribedBy() string {
	var ids []string
	if in.Hint != "" {
		ids = append(ids, in.Name+"-hint")
	}
	if in.Error != "" {
		ids = append(ids, in.Name+"-error")
	}
	return strings.Join(ids, " ")
}
