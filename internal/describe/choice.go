package describe

import (
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// choice explains a failed oneOf or anyOf. Its causes are one report for each
// branch, or none when the value fits more than one.
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

// closest explains the branches that are meant for a value of this type. When
// there is none it lists the types, or the kinds of object, that there are.
func (x *explainer) closest(e *jsonschema.ValidationError) {
	var types []string
	var kinds []any
	meant, byKind := false, false
	for _, cause := range e.Causes {
		t, k := mismatch(cause, len(e.InstanceLocation))
		types, kinds = append(types, t...), append(kinds, k...)
		byKind = byKind || k != nil
		if t == nil && k == nil {
			meant = true
			x.walk(cause)
		}
	}
	switch {
	case meant:
	case byKind:
		why := "is required"
		if len(kinds) > 0 {
			why = oneOf(kinds)
		}
		x.add(append(slices.Clone(e.InstanceLocation), discriminator), why)
	default:
		x.add(e.InstanceLocation, mustBe(types))
	}
}

// discriminator is the property that tells the kinds of objects apart (V3.md
// section 13).
const discriminator = "type"

// mismatch tells whether a branch is not meant for the value at a depth at all,
// by the types or by the values of the discriminator that the branch wants; kinds
// is empty, not nil, when the discriminator is missing.
func mismatch(e *jsonschema.ValidationError, depth int) (types []string, kinds []any) {
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		if len(e.InstanceLocation) == depth {
			return k.Want, nil
		}
	case *kind.Enum:
		if at := e.InstanceLocation; len(at) == depth+1 && at[depth] == discriminator {
			return nil, k.Want
		}
	case *kind.Required:
		if len(e.InstanceLocation) == depth && slices.Contains(k.Missing, discriminator) {
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

// marks gives, for a choice of objects that are told apart by which fields they
// require, those fields of each branch; nil for any other choice.
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

// exclusive explains a choice of objects of which the fields keys[i] mark the i-th.
func (x *explainer) exclusive(e *jsonschema.ValidationError, branches []*jsonschema.Schema, keys [][]string, object map[string]any) {
	var all, given []string
	chosen := -1
	for i, own := range keys {
		all = append(all, own[0])
		if has(object, own) {
			given, chosen = append(given, own[0]), i
		}
	}
	where := fieldName("", slices.Concat(x.prefix, steps(x.value, e.InstanceLocation)))
	switch {
	case len(given) == 0:
		x.found = append(x.found, Violation{under(where, all, " or "), "one is required"})
	case len(given) == 2:
		x.found = append(x.found, Violation{under(where, given, ", "), "give one or the other, not both"})
	case len(given) > 2:
		x.found = append(x.found, Violation{under(where, given, ", "), "give only one of them"})
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

// under names sibling fields in one place: "owner.id or owner.slug".
func under(place string, names []string, separator string) string {
	full := make([]string, len(names))
	for i, name := range names {
		full[i] = strings.TrimPrefix(place+"."+name, ".")
	}
	return strings.Join(full, separator)
}

// inside explains what is wrong with the fields of an object, leaving out which
// fields it must and must not have.
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

// forbidden gives the fields of an object that a branch excludes by "not".
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
