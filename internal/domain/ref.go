package domain

// Ref identifies a user, group or channel by ID or by slug; all digits mean an ID (behaviour.md
// section 1). The zero Ref identifies nothing.
type Ref struct {
	ID   int64
	Slug string
}

// ParseRef parses a reference. Digits that are not a positive int64 result in the zero Ref.
func ParseRef(s string) Ref {
	id, digits, ok := IsID(s)
	switch {
	case ok:
		return Ref{ID: id}
	case digits:
		return Ref{}
	}
	return Ref{Slug: s}
}
