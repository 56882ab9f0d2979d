package httpedge

import (
	"net/url"
	"slices"
	"strings"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
)

// What the descriptions generate for parameters and fields that may be left out. The named
// types of every door's package have these as their underlying types.
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

// Page is the page that the parameters ask for; the description gives the defaults.
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

// Given is a pointer to an optional text, nil when it was left out.
func Given(o optString) *string {
	if !o.Set {
		return nil
	}
	return &o.Value
}

// Patch is a change of a text that may be taken away.
func Patch(o optNilString) core.Patch {
	if !o.Set || o.Null {
		return core.Patch{Set: o.Set}
	}
	return core.Patch{Set: true, Value: &o.Value}
}

// Types are kinds of things by their names on the wire; none for all.
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

// PlainLists writes lists of a search that are repeated in the query as one each, and
// `q` as `query` (behaviour.md section 1), as the generated decoder reads them.
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
