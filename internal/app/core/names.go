package core

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"vitrine/internal/domain"
)

// CheckName checks what a person, an application or a token is called.
func CheckName(f *domain.Faults, path, name string) {
	switch l := utf8.RuneCountInString(name); {
	case !utf8.ValidString(name):
		f.Add(path, domain.FieldMalformed, "must be valid UTF-8")
	case strings.ContainsFunc(name, unicode.IsControl):
		f.Add(path, domain.FieldMalformed, "must not contain control characters")
	case strings.ContainsFunc(name, turns):
		f.Add(path, domain.FieldMalformed, "must not contain characters that turn the direction of what follows")
	case l < 1:
		f.Add(path, domain.FieldTooShort, lengthOfName)
	case l > domain.MaxTitle:
		f.Add(path, domain.FieldTooLong, lengthOfName)
	}
}

var lengthOfName = "must be 1 to " + strconv.Itoa(domain.MaxTitle) + " characters long"

// turns reports whether a character turns the direction of the text after it (Unicode
// Standard Annex 9, the explicit ones): with them a name could read as another, or as
// part of the sentence around it.
func turns(r rune) bool { return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 }
