package describe

import (
	"cmp"
	"fmt"
	"slices"
)

// maxViolation limits how many violations a response lists. A small body can contain thousands, and the
// response must not be much larger than the request.
const maxViolation = 100

// Violation is one violation of the description in a request or response.
type Violation struct {
	Field string // such as "title", "channels[2].id", "metadata.size"; "body" is the whole body
	Why   string // such as "must be at most 255 characters long"
}

// String returns "field: why".
func (v Violation) String() string { return v.Field + ": " + v.Why }

// tidy sorts violations by field, removes duplicates, and cuts the list after the first hundred.
// The last entry then counts the others, including the `more` ones that are not in found.
func tidy(found []Violation, more int) []Violation {
	slices.SortFunc(found, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Why, b.Why))
	})
	found = slices.Compact(found)
	if extra := len(found) - maxViolation + more; extra > 0 && len(found) > maxViolation {
		found = append(found[:maxViolation:maxViolation], Violation{"body", fmt.Sprintf("has %d more violations", extra)})
	}
	return found
}
