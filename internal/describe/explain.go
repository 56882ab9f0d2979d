package describe

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// explainer converts the reports of package jsonschema into lines for people: one for each problem
// to fix, even if it violates several branches of a schema.
type explainer struct {
	value   any
	root    string // name of the whole value
	prefix  []step // before every field name
	schemas index
	found   []Violation
}

// check validates a value and explains its violations.
func (x *explainer) check(schema *jsonschema.Schema) []Violation {
	var invalid *jsonschema.ValidationError
	if errors.As(schema.Validate(x.value), &invalid) {
		x.walk(invalid)
	}
	return x.found
}

func (x *explainer) add(at []string, why string) {
	x.found = append(x.found, Violation{fieldName(x.root, slices.Concat(x.prefix, steps(x.value, at))), why})
}

// walk adds a line for each leaf of a report. It explains a choice as a whole.
func (x *explainer) walk(e *jsonschema.ValidationError) {
	at := e.InstanceLocation
	switch k := e.ErrorKind.(type) {
	case *kind.OneOf, *kind.AnyOf:
		x.choice(e)
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		for _, cause := range e.Causes {
			x.walk(cause)
		}
	case *kind.Required:
		for _, name := range k.Missing {
			x.add(slices.Concat(at, []string{name}), "is required")
		}
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			x.add(slices.Concat(at, []string{name}), "is not allowed")
		}
	case *badKeys:
		for _, name := range k.keys {
			x.add(at, fmt.Sprintf("must not have the key %s: keys must match %s", printable(name), k.pattern))
		}
	default:
		x.add(at, why(k))
	}
}

// maxViolation limits how many violations a response lists. A small body can contain thousands, and the
// response must not be much larger than the request.
const maxViolation = 100

// Violation is one violation of the description in a request or response.
type Violation struct {
	Field string // such as "title", "channels[2].id", "metadata.size"; "body" is the whole body
	Why   string // such as "must be at most 255 characters long"
}

// String returns "field: why".
func (v Violation) String() string { return v.Field + ": " + v.Why }

// tidy sorts violations by field, removes duplicates, and cuts the list after the first hundred.
// The last entry then counts the others, including the `more` ones that are not in found.
func tidy(found []Violation, more int) []Violation {
	slices.SortFunc(found, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Why, b.Why))
	})
	found = slices.Compact(found)
	if extra := len(found) - maxViolation + more; extra > 0 && len(found) > maxViolation {
		found = append(found[:maxViolation:maxViolation], Violation{"body", fmt.Sprintf("has %d more violations", extra)})
	}
	return found
}

// marks returns, for a choice between objects that require different fields, the distinguishing
// fields of each branch; nil for any other choice.
func marks(branches []*jsonschema.Schema) [][]string {
	var keys [][]string
	for i, branch := range branches {
		own := slices.DeleteFunc(slices.Clone(target(branch).Required), func(name string) bool {
			return slices.ContainsFunc(slices.Concat(branches[:i], branches[i+1:]), func(other *jsonschema.Schema) bool {
				return slices.Contains(target(other).Required, name)
			})
		})
		if len(own) == 0 {
			return nil
		}
		keys = append(keys, own)
	}
	return keys
}

// exclusive explains a choice between objects in which the fields keys[i] distinguish the i-th. It
// reports which of them to give, and then what is wrong inside those given.
func (x *explainer) exclusive(e *jsonschema.ValidationError, branches []*jsonschema.Schema, keys [][]string, object map[string]any) {
	var all, given []string
	chosen := -1
	for i, own := range keys {
		all = append(all, own[0])
		if has(object, own) {
			given, chosen = append(given, own[0]), i
		}
	}
	_, several := e.ErrorKind.(*kind.AnyOf)
	where := fieldName("", slices.Concat(x.prefix, steps(x.value, e.InstanceLocation)))
	switch {
	case len(given) == 0:
		x.found = append(x.found, Violation{either(under(where, all)), "one is required"})
	case several:
	case len(given) == 2:
		x.found = append(x.found, Violation{strings.Join(under(where, given), ", "), "give one or the other, not both"})
	case len(given) > 2:
		x.found = append(x.found, Violation{strings.Join(under(where, given), ", "), "give only one of them"})
	default:
		for _, name := range forbidden(branches[chosen], object) {
			x.add(append(slices.Clone(e.InstanceLocation), name), "must not be given together with "+given[0])
		}
		if len(e.Causes) > chosen {
			x.inside(e.Causes[chosen], len(e.InstanceLocation))
		}
		return
	}
	for _, cause := range e.Causes {
		x.inside(cause, len(e.InstanceLocation))
	}
}

// under returns the full names of sibling fields in one place: "owner.id", "owner.slug".
func under(place string, names []string) []string {
	full := make([]string, len(names))
	for i, name := range names {
		full[i] = strings.TrimPrefix(place+"."+name, ".")
	}
	return full
}

// inside explains violations in the fields of an object, except which fields it must and must not
// have.
func (x *explainer) inside(e *jsonschema.ValidationError, depth int) {
	switch e.ErrorKind.(type) {
	case *kind.Required, *kind.Not:
		if len(e.InstanceLocation) == depth {
			return
		}
	case *kind.Group, *kind.Reference, *kind.AllOf:
		for _, cause := range e.Causes {
			x.inside(cause, depth)
		}
		return
	}
	x.walk(e)
}

// forbidden returns the fields of an object that a branch excludes with "not".
func forbidden(branch *jsonschema.Schema, object map[string]any) []string {
	not := target(branch).Not
	if not == nil {
		return nil
	}
	var names []string
	for _, part := range append([]*jsonschema.Schema{not}, not.AnyOf...) {
		if len(part.Required) > 0 && has(object, part.Required) {
			names = append(names, part.Required...)
		}
	}
	return names
}

func has(object map[string]any, names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		_, ok := object[name]
		return !ok
	})
}

// undeclared reports the fields of a value that no applicable schema declares.
func (x *explainer) undeclared(schemas []*jsonschema.Schema, value any, place []string) {
	var parts []*jsonschema.Schema
	for _, schema := range schemas {
		parts = append(parts, applying(schema, value)...)
	}
	switch value := value.(type) {
	case map[string]any:
		for name, field := range value {
			below, ok := declaring(parts, name)
			here := append(slices.Clone(place), name)
			if !ok {
				x.add(here, "undeclared field")
				continue
			}
			x.undeclared(below, field, here)
		}
	case []any:
		var items []*jsonschema.Schema
		for _, part := range parts {
			if part.Items2020 != nil {
				items = append(items, part.Items2020)
			}
		}
		for i, item := range value {
			x.undeclared(items, item, append(slices.Clone(place), strconv.Itoa(i)))
		}
	}
}

// applying returns the parts of a schema that apply to a value: its reference, all of allOf, and
// the matching branch of a choice.
func applying(schema *jsonschema.Schema, value any) []*jsonschema.Schema {
	parts := []*jsonschema.Schema{schema}
	if schema.Ref != nil {
		parts = append(parts, applying(schema.Ref, value)...)
	}
	for _, part := range schema.AllOf {
		parts = append(parts, applying(part, value)...)
	}
	for _, branch := range append(slices.Clone(schema.OneOf), schema.AnyOf...) {
		if meant(branch, value) {
			parts = append(parts, applying(branch, value)...)
		}
	}
	return parts
}

// meant reports whether a branch is for values of this kind, even if they are invalid.
func meant(branch *jsonschema.Schema, value any) bool {
	err, _ := branch.Validate(value).(*jsonschema.ValidationError)
	if err == nil {
		return true
	}
	for _, cause := range err.Causes {
		if types, kinds := mismatch(cause, 0); types != nil || kinds != nil {
			return false
		}
	}
	return true
}

// declaring returns the schemas of a field, and whether it is declared. If no part lists fields,
// all fields are allowed.
func declaring(parts []*jsonschema.Schema, name string) (below []*jsonschema.Schema, ok bool) {
	open := true
	for _, part := range parts {
		open = open && part.Properties == nil && part.AdditionalProperties == nil
		if property := part.Properties[name]; property != nil {
			below = append(below, property)
			continue
		}
		switch more := part.AdditionalProperties.(type) {
		case *jsonschema.Schema:
			below = append(below, more)
		case bool:
			open = open || more
		}
	}
	return below, open || len(below) > 0
}

// why returns the message for a violated rule.
func why(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return mustBe(k.Want)
	case *kind.Enum:
		return oneOf(k.Want)
	case *kind.Const:
		return oneOf([]any{k.Want})
	case *kind.Format:
		return k.Err.Error()
	case *kind.Pattern:
		if k.Want == blankPattern {
			return Blank
		}
		if k.Want == numeralPattern {
			return "must be a whole number above 0"
		}
		return "must match " + k.Want
	case *kind.MinLength:
		return "must be at least " + count(k.Want, "character") + " long"
	case *kind.MaxLength:
		return "must be at most " + count(k.Want, "character") + " long"
	case *kind.MinItems:
		return "must have at least " + count(k.Want, "item")
	case *kind.MaxItems:
		return "must have at most " + count(k.Want, "item")
	case *kind.UniqueItems:
		return "must not have the same item twice"
	case *kind.MinProperties:
		return "must have at least " + count(k.Want, "key")
	case *kind.MaxProperties:
		return "must have at most " + count(k.Want, "key")
	case *kind.InvalidJsonValue:
		return "must be a number that fits 64 bits"
	case *inexact:
		return k.LocalizedString(nil)
	}
	return bound(k)
}

// bound returns the message for a violated limit of a number.
func bound(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Minimum:
		return "must be at least " + decimal(k.Want)
	case *kind.Maximum:
		return "must be at most " + decimal(k.Want)
	case *kind.ExclusiveMinimum:
		return "must be more than " + decimal(k.Want)
	case *kind.ExclusiveMaximum:
		return "must be less than " + decimal(k.Want)
	case *kind.MultipleOf:
		return "must be a multiple of " + decimal(k.Want)
	}
	return "does not fit the description"
}

func decimal(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	return strings.TrimRight(r.FloatString(9), "0")
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// mustBe lists types, null last: "must be a string, number or null".
func mustBe(types []string) string {
	var words []string
	for _, t := range types {
		if t != "null" && !slices.Contains(words, t) {
			words = append(words, t)
		}
	}
	article := ""
	if len(words) > 0 {
		article = "a "
		if strings.ContainsAny(words[0][:1], "aeiou") {
			article = "an "
		}
	}
	if slices.Contains(types, "null") {
		words = append(words, "null")
	}
	return "must be " + article + either(words)
}

// oneOf lists values: "must be one of asc, desc".
func oneOf(values []any) string {
	if len(values) == 1 {
		return fmt.Sprint("must be ", values[0])
	}
	words := make([]string, len(values))
	for i, v := range values {
		if words[i] = fmt.Sprint(v); v == nil {
			words[i] = "null"
		}
	}
	return "must be one of " + strings.Join(words, ", ")
}

// either joins words: "a, b or c".
func either(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
