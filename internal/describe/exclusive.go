package describe

import (
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

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
