package describe

import (
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// trim cuts lists and objects that hold more than a schema allows down to one more
// than that, in place: enough for the violation to be found. A validator looks at
// every element whatever their number, and explains each that does not fit, so that
// a body of 1 MiB could cost seconds and hundreds of megabytes.
func trim(s *jsonschema.Schema, value any) any {
	switch v := value.(type) {
	case []any:
		if s.MaxItems != nil && len(v) > *s.MaxItems {
			v = v[:*s.MaxItems+1]
		}
		for i := range v {
			if s.Items2020 != nil {
				v[i] = trim(s.Items2020, v[i])
			}
		}
		value = v
	case map[string]any:
		trimObject(s, v)
	default:
		return value
	}
	if s.Ref != nil {
		value = trim(s.Ref, value)
	}
	for _, part := range slices.Concat(s.AllOf, s.OneOf, s.AnyOf) {
		value = trim(part, value)
	}
	return value
}

func trimObject(s *jsonschema.Schema, object map[string]any) {
	if s.MaxProperties != nil && len(object) > *s.MaxProperties {
		for _, key := range slices.Sorted(maps.Keys(object))[*s.MaxProperties+1:] {
			delete(object, key)
		}
	}
	more, _ := s.AdditionalProperties.(*jsonschema.Schema)
	for key, v := range object {
		if property := s.Properties[key]; property != nil {
			object[key] = trim(property, v)
		} else if more != nil {
			object[key] = trim(more, v)
		}
	}
}
