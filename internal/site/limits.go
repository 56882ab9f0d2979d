package site

import (
	"strconv"
	"unicode/utf8"

	"vitrine/internal/domain"
)

// longestBio is how many characters a bio has, as the description says.
const longestBio = 20_000

// checkProfile holds a profile against the limits that the description has for what
// comes through the API.
func checkProfile(f *form, name, bio string) {
	if name == "" {
		f.wrong("name", "must not be blank")
	}
	if utf8.RuneCountInString(name) > domain.MaxTitle {
		f.wrong("name", "must have at most "+strconv.Itoa(domain.MaxTitle)+" characters")
	}
	if utf8.RuneCountInString(bio) > longestBio {
		f.wrong("bio", "must have at most "+strconv.Itoa(longestBio)+" characters")
	}
}
