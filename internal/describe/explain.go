package describe

import (
	"errors"
	"fmt"
	"slices"

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
