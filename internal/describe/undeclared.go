package describe

import (
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

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
