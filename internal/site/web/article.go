package web

import (
	"html/template"
	"math"
	"regexp"
	"strings"
	"unicode"

	"vitrine/internal/domain"
	texts "vitrine/internal/markup"
)

var (
	articleImage = regexp.MustCompile(`<img [^>]*>`)
	articleEmpty = regexp.MustCompile(`<a [^>]*>\s*</a>|<p>\s*</p>`)
)

// Article returns the text of a block for a page below a heading of level 1, with some ranges of its characters marked. It
// omits images, which the policy of pages does not load, and the links and paragraphs that contained nothing else.
func Article(t *domain.Text, ranges []texts.Range) template.HTML {
	text := *t
	if len(ranges) > 0 {
		text.HTML = texts.Mark(text.HTML, ranges)
	}
	text.HTML = articleImage.ReplaceAllLiteralString(text.HTML, "")
	for range 2 { // a link first, then its paragraph
		text.HTML = articleEmpty.ReplaceAllLiteralString(text.HTML, "")
	}
	return prose(&text, 1)
}

// How much of a text people read in a minute. Chinese and Japanese have no spaces between words.
const (
	wordsPerMinute      = 230
	charactersPerMinute = 500
)

// readingMinutes estimates the time for reading a text, at least one minute.
func readingMinutes(t *domain.Text) int64 {
	words, characters := countWords(t)
	minutes := float64(words)/wordsPerMinute + float64(characters)/charactersPerMinute
	return max(1, int64(math.Round(minutes)))
}

// wordCount returns the number of words of a text. Of Chinese and Japanese it counts characters.
func wordCount(t *domain.Text) int {
	words, characters := countWords(t)
	return words + characters
}

func countWords(t *domain.Text) (words, characters int) {
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
	return words, characters
}
