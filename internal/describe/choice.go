package describe

import (
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// choice explains a failed oneOf or anyOf. Its causes are one report per branch, or none if the
// value matches more than one.
func (x *explainer) choice(e *jsonschema.ValidationError) {
	var branches []*jsonschema.Schema
	if schema := x.schemas[e.SchemaURL]; schema != nil {
		branches = schema.OneOf
		if _, any := e.ErrorKind.(*kind.AnyOf); any {
			branches = schema.AnyOf
		}
	}
	object, isObject := at(x.value, e.InstanceLocation).(map[string]any)
	if keys := marks(branches); keys != nil && isObject {
		x.exclusive(e, branches, keys, object)
		return
	}
	if len(e.Causes) == 0 {
		x.add(e.InstanceLocation, "fits more than one of the allowed forms")
		return
	}
	x.closest(e)
}

// closest explains the branches for a value of this type and kind. If no branch is for such values,
// it lists the types, or the kinds of objects, of the branches.
func (x *explainer) closest(e *jsonschema.ValidationError) {
	var types []string
	var kinds []any
	var typed, meant []*jsonschema.ValidationError
	for _, cause := range e.Causes {
		t, k := mismatch(cause, len(e.InstanceLocation))
		types, kinds = append(types, t...), append(kinds, k...)
		if t == nil {
			typed = append(typed, cause)
		}
		if t == nil && k == nil {
			meant = append(meant, cause)
		}
	}
	if len(typed) == 1 { // for example if the others are null
		meant = typed
	}
	for _, cause := range meant {
		x.walk(cause)
	}
	name := discriminators[0]
	if object, ok := at(x.value, e.InstanceLocation).(map[string]any); ok && has(object, discriminators[1:]) {
		name = discriminators[1]
	}
	kind := append(slices.Clone(e.InstanceLocation), name)
	switch {
	case len(meant) > 0:
	case len(typed) == 0:
		x.add(e.InstanceLocation, mustBe(types))
	case len(kinds) == 0:
		x.add(kind, "is required")
	default:
		x.add(kind, oneOf(kinds))
	}
}

// discriminators are the properties that distinguish kinds of objects: in version 3 (behaviour.md
// section 13), and in version 2.
var discriminators = []string{"type", "base_class"}

func isDiscriminator(name string) bool { return slices.Contains(discriminators, name) }

// mismatch reports whether a branch is not for values of this type or kind at a depth, by
// returning the types or the values of a discriminator that it requires. If the discriminator is
// missing, kinds is empty but not nil.
func mismatch(e *jsonschema.ValidationError, depth int) (types []string, kinds []any) {
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		if len(e.InstanceLocation) == depth {
			return k.Want, nil
		}
	case *kind.Enum:
		if at := e.InstanceLocation; len(at) == depth+1 && isDiscriminator(at[depth]) {
			return nil, k.Want
		}
	case *kind.Required:
		if len(e.InstanceLocation) == depth && slices.ContainsFunc(k.Missing, isDiscriminator) {
			return nil, []any{}
		}
	case *kind.Group, *kind.Reference, *kind.AllOf:
		for _, cause := range e.Causes {
			if types, kinds = mismatch(cause, depth); types != nil || kinds != nil {
				return types, kinds
			}
		}
	}
	return nil, nil
}
