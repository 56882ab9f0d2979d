package domain

import "strings"

// Scope is the scope of a token (behaviour.md section 8; RFC 6749 section 3.3). Scopes are ordered:
// write includes read, and read includes none.
type Scope string

// The scopes in increasing order. ScopeNone is the scope of guests, and of operations that require
// no scope.
const (
	ScopeNone  Scope = ""
	ScopeRead  Scope = "read"
	ScopeWrite Scope = "write"
)

// Allows reports whether a token with scope s may use an operation that requires needed. Unknown
// scopes are never allowed.
func (s Scope) Allows(needed Scope) bool {
	have, want := s.rank(), needed.rank()
	return have >= 0 && want >= 0 && have >= want
}

func (s Scope) rank() int {
	switch s {
	case ScopeNone:
		return 0
	case ScopeRead:
		return 1
	case ScopeWrite:
		return 2
	}
	return -1
}

// ParseScopes parses a list of scopes in a request, separated by spaces, and returns the highest one.
// Scopes of other servers, such as openid, are ignored (RFC 6749 section 3.3). It returns ScopeNone
// if the list contains no known scope.
func ParseScopes(list string) Scope {
	highest := ScopeNone
	for word := range strings.FieldsSeq(list) {
		if s := Scope(word); s.rank() > highest.rank() {
			highest = s
		}
	}
	return highest
}
