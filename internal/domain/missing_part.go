package domain

import (
	"strings"
	"unicode/utf8"
)

// MissingPart is a part of a page that its copy lacks, such as an image that was too large.
type MissingPart struct {
	Address string `json:"url"`
	Reason  string `json:"reason"` // a sentence without its full stop, for users
}

// Limits of the list of missing parts of a copy, which bound its size in the database.
const (
	maxMissingParts   = 100
	maxMissingAddress = 300 // bytes
	maxMissingReason  = 200 // bytes
)

// ListedParts returns the parts that are stored with a copy, and their number including those that are not listed.
func ListedParts(all []MissingPart, omitted int64) ([]MissingPart, int64) {
	omitted = max(omitted, int64(len(all)))
	listed := make([]MissingPart, 0, min(len(all), maxMissingParts))
	for _, p := range all[:min(len(all), maxMissingParts)] {
		listed = append(listed, MissingPart{shortened(p.Address, maxMissingAddress), shortened(p.Reason, maxMissingReason)})
	}
	return listed, omitted
}

// shortened returns a valid text of at most limit bytes and an ellipsis.
func shortened(text string, limit int) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", "")
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + "…"
}
