package describe

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/message"
)

// shape lists the parts of a value that the applicable schemas mention. A decoder builds only
// those, so a large body of anything else costs no memory. A nil *shape keeps everything.
type shape struct {
	fields  map[string]*shape // by name
	more    *shape            // of all other fields; nil if they are ignored
	maxKeys int               // how many other fields are kept

	items    *shape // of each item; nil keeps everything
	maxItems int    // how many items are kept
	each     []*jsonschema.Schema
}

const (
	// maxIgnored is how many forbidden fields of an object are kept, without their values. That is
	// enough to report them.
	maxIgnored = 100
	// deepestShape limits the expansion of a schema that refers to itself.
	deepestShape = deepest + 1
	// unlimited is for schemas without a limit.
	unlimited = int(^uint(0) >> 1)
)

// ignored is the shape of a value that no schema describes.
var ignored = &shape{items: &shape{}}

// newShape merges the shapes of several schemas. It keeps one item and one field more than the
// most generous schema allows, which is enough for a validator to find the violation.
func newShape(depth int, schemas ...*jsonschema.Schema) *shape {
	parts := expand(nil, schemas...)
	if depth == deepestShape || len(parts) == 0 {
		return ignored
	}
	s := &shape{fields: map[string]*shape{}}
	below := map[string][]*jsonschema.Schema{}
	var items, more []*jsonschema.Schema
	closed, compared := false, false
	for _, part := range parts {
		for name, property := range part.Properties {
			below[name] = append(below[name], property)
		}
		for _, name := range part.Required {
			if _, declared := below[name]; !declared {
				below[name] = nil
			}
		}
		switch additional := part.AdditionalProperties.(type) {
		case *jsonschema.Schema:
			more = append(more, additional)
			s.maxKeys = max(s.maxKeys, oneMore(part.MaxProperties))
		case bool:
			closed = closed || !additional
		}
		if part.Items2020 != nil {
			items = append(items, part.Items2020)
		}
		if part.Items2020 != nil || part.MinItems != nil || part.MaxItems != nil || part.UniqueItems {
			s.maxItems = max(s.maxItems, oneMore(part.MaxItems))
		}
		compared = compared || part.UniqueItems
	}
	for name, schemas := range below {
		s.fields[name] = newShape(depth+1, schemas...)
	}
	if more != nil {
		s.more = newShape(depth+1, more...)
	} else if closed {
		s.more, s.maxKeys = ignored, maxIgnored
	}
	s.each = items
	if !compared || items != nil {
		s.items = newShape(depth+1, items...)
	}
	return s
}

// fits reports whether an item is valid according to one of its schemas, if there are any.
func (s *shape) fits(item any) bool {
	if s == nil || len(s.each) == 0 {
		return true
	}
	return slices.ContainsFunc(s.each, func(schema *jsonschema.Schema) bool { return schema.Validate(item) == nil })
}

func oneMore(limit *int) int {
	if limit == nil {
		return unlimited
	}
	return *limit + 1
}

// expand adds schemas, and all schemas that they apply to the same value.
func expand(parts []*jsonschema.Schema, schemas ...*jsonschema.Schema) []*jsonschema.Schema {
	for _, s := range schemas {
		if s == nil || slices.Contains(parts, s) {
			continue
		}
		parts = append(parts, s)
		parts = expand(parts, s.Ref)
		parts = expand(parts, slices.Concat(s.AllOf, s.OneOf, s.AnyOf)...)
	}
	return parts
}

// field returns the shape of a field, whether it is kept, and whether it is undeclared. others is
// the number of undeclared fields that the object already has.
func (s *shape) field(name []byte, others int) (of *shape, kept, other bool) {
	if s == nil {
		return nil, true, false
	}
	if of, ok := s.fields[string(name)]; ok {
		return of, true, false
	}
	return s.more, s.more != nil && others < s.maxKeys, true
}

// item returns the shape of the n-th item of a list, and whether it is kept.
func (s *shape) item(n int) (of *shape, kept bool) {
	if s == nil {
		return nil, true
	}
	return s.items, n < s.maxItems
}

// Blank is the message for a text of only spaces.
const Blank = "must not be blank"

// blankPattern is the pattern with which a description rejects such a text, while minLength
// decides about "". In Go, \S would only consider ASCII.
const blankPattern = `^$|\S`

// numeralPattern is the pattern with which a description accepts an id as text.
const numeralPattern = `^[1-9][0-9]{0,17}$`

type notBlank struct{}

func (notBlank) String() string            { return blankPattern }
func (notBlank) MatchString(s string) bool { return s == "" || strings.TrimSpace(s) != "" }

func compilePattern(text string) (jsonschema.Regexp, error) {
	if text == blankPattern {
		return notBlank{}, nil
	}
	return regexp.Compile(text)
}

// compileRule returns our rule that applies to a schema, or nil.
func compileRule(_ *jsonschema.CompilerContext, schema map[string]any) (jsonschema.SchemaExt, error) {
	if keys, ok := schema[keyRule].(map[string]any); ok {
		text, ok := keys["pattern"].(string)
		if !ok || len(keys) > 1 {
			return nil, fmt.Errorf("propertyNames %v: only a pattern is understood", keys)
		}
		pattern, err := regexp.Compile(text)
		return keyPattern{pattern}, err
	}
	types, _ := schema["type"].([]any)
	types = append(types, schema["type"])
	if slices.Contains(types, any("integer")) && !slices.Contains(types, any("number")) {
		return exactInteger{}, nil
	}
	return nil, nil
}

// exactInteger rejects numbers that are integers in JSON Schema but not for an int64 decoder: 1.0,
// 1e3, and numbers of more than 64 bits. decode returns exactly these as float64.
type exactInteger struct{}

func (exactInteger) Validate(ctx *jsonschema.ValidatorContext, v any) {
	if f, ok := v.(float64); ok {
		ctx.AddError(&inexact{large: math.Abs(f) >= 1<<63})
	}
}

// inexact is the error of exactInteger.
type inexact struct{ large bool }

// KeywordPath implements jsonschema.ErrorKind.
func (*inexact) KeywordPath() []string { return []string{"type"} }

// LocalizedString implements jsonschema.ErrorKind.
func (i *inexact) LocalizedString(*message.Printer) string {
	if i.large {
		return "must be a 64-bit integer"
	}
	return "must be an integer without a fraction or exponent"
}

// keyPattern rejects objects with keys that do not match a pattern.
type keyPattern struct{ pattern *regexp.Regexp }

func (r keyPattern) Validate(ctx *jsonschema.ValidatorContext, v any) {
	object, _ := v.(map[string]any)
	var bad []string
	for key := range object {
		if !r.pattern.MatchString(key) {
			bad = append(bad, key)
		}
	}
	if bad != nil {
		ctx.AddError(&badKeys{keys: bad, pattern: r.pattern.String()})
	}
}

// badKeys is the error of keyPattern.
type badKeys struct {
	keys    []string
	pattern string
}

// KeywordPath implements jsonschema.ErrorKind.
func (*badKeys) KeywordPath() []string { return []string{"propertyNames"} }

// LocalizedString implements jsonschema.ErrorKind.
func (b *badKeys) LocalizedString(*message.Printer) string {
	return fmt.Sprintf("keys %q must match %s", b.keys, b.pattern)
}
