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
