package page

import (
	"strings"
	"unicode"
)

// line brings text from outside onto one line: white space collapsed, control
// characters and those that turn the direction of neighbouring text removed,
// invalid bytes replaced by U+FFFD. What is longer than limit characters is cut
// and ends in "…".
func line(s string, limit int) string {
	var kept []rune
	gap := false
	for _, r := range s {
		if unicode.IsSpace(r) {
			gap = len(kept) > 0
			continue
		}
		if hidden(r) {
			continue
		}
		if gap {
			kept = append(kept, ' ')
			gap = false
		}
		if kept = append(kept, r); len(kept) > limit {
			return strings.TrimSpace(string(kept[:limit-1])) + "…"
		}
	}
	return string(kept)
}

// hidden reports whether a character has no place in a line of text.
func hidden(r rune) bool {
	return unicode.IsControl(r) ||
		r >= '\u202A' && r <= '\u202E' || // embeddings and overrides
		r >= '\u2066' && r <= '\u2069' || // isolates
		r == '\u200B' || r == '\u2060' || r == '\uFEFF' // without width
}
