package domain

// Ref names a user, group or channel by id or by slug: all digits means an id
// (behaviour.md section 1). A zero Ref names nothing.
type Ref struct {
	ID   int64
	Slug string
}

// ParseRef reads a reference. Digits that are no positive 64-bit integer name
// nothing.
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
