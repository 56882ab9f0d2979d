package describe

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

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
