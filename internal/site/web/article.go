package web

import (
	"html/template"
	"math"
	"regexp"
	"strings"
	"unicode"

	"vitrine/internal/domain"
)

var (
	articleImage = regexp.MustCompile(`<img [^>]*>`)
	articleEmpty = regexp.MustCompile(`<a [^>]*>\s*</a>|<p>\s*</p>`)
)

// article returns the text of a web page like prose, without its images, which the policy of pages does not load, and
// without the links and paragraphs that contained nothing else.
func article(t *domain.Text, level int) template.HTML {
	text := *t
	text.HTML = articleImage.ReplaceAllLiteralString(text.HTML, "")
	for range 2 { // a link first, then its paragraph
		text.HTML = articleEmpty.ReplaceAllLiteralString(text.HTML, "")
	}
	return prose(&text, level)
}

// How much of a text people read in a minute. Chinese and Japanese have no spaces between words.
const (
	wordsPerMinute      = 230
	charactersPerMinute = 500
)

// readingMinutes estimates the time for reading a text, at least one minute.
func readingMinutes(t *domain.Text) int64 {
	words, characters := 0, 0
	for word := range strings.FieldsSeq(t.Plain) {
		n := 0
		for _, r := range word {
			if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
				n++
			}
		}
		if characters += n; n == 0 {
			words++
		}
	}
	minutes := float64(words)/wordsPerMinute + float64(characters)/charactersPerMinute
	return max(1, int64(math.Round(minutes)))
}
