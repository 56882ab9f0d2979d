package httpedge

import (
	"net/url"
	"slices"
	"strings"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
)

// The types that the generated code uses for optional parameters and fields. The named types of
// each API have these as their underlying types.
type (
	optInt64 = struct {
		Value int64
		Set   bool
	}
	optString = struct {
		Value string
		Set   bool
	}
	optNilString = struct {
		Value string
		Set   bool
		Null  bool
	}
)

// Page returns the requested page, with the description's defaults.
func Page(number, per optInt64) domain.Page {
	p := domain.Page{Number: 1, Per: 24}
	if number.Set {
		p.Number = number.Value
	}
	if per.Set {
		p.Per = per.Value
	}
	return p
}

// Given returns a pointer to an optional text, or nil if it is not set.
func Given(o optString) *string {
	if !o.Set {
		return nil
	}
	return &o.Value
}

// Patch returns the change of a text that can be removed.
func Patch(o optNilString) core.Patch {
	if !o.Set || o.Null {
		return core.Patch{Set: o.Set}
	}
	return core.Patch{Set: true, Value: &o.Value}
}

// Types converts type names of the API to types; nil means all.
func Types[T ~string](names []T) (all []string) {
	for _, name := range names {
		switch name {
		case "All":
			return nil
		case "Block":
			all = append(all, domain.BlockTypes...)
		default:
			all = append(all, string(name))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// PlainLists rewrites repeated list parameters of a search as one comma-separated parameter each,
// and `q` as `query` (behaviour.md section 1), which the generated decoder requires.
func PlainLists(u *url.URL) *url.URL {
	if u.RawQuery == "" {
		return u
	}
	var pairs []string
	at := map[string]int{}
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if first, ok := at[name]; ok && (name == "type" || name == "ext") {
			pairs[first] += "," + value
			continue
		}
		at[name] = len(pairs)
		pairs = append(pairs, pair)
	}
	if i, ok := at["q"]; ok {
		if _, given := at["query"]; !given {
			pairs[i] = "query" + strings.TrimPrefix(pairs[i], "q")
		}
	}
	plain := *u
	plain.RawQuery = strings.Join(pairs, "&")
	return &plain
}
