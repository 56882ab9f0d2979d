package page

import (
	"strings"
	"unicode"
)

// line converts an untrusted text to one line. It collapses white space, removes control characters
// and those that change the direction of neighbouring text, and replaces invalid bytes with U+FFFD.
// It truncates texts longer than limit characters and adds "…".
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

// hidden reports whether a character must be removed from a line.
func hidden(r rune) bool {
	return unicode.IsControl(r) ||
		r >= '\u202A' && r <= '\u202E' || // embeddings and overrides
		r >= '\u2066' && r <= '\u2069' || // isolates
		r == '\u200B' || r == '\u2060' || r == '\uFEFF' // zero-width
}
