package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestWord is the number of significant characters of a word. PostgreSQL limits lexemes to 2,046 bytes.
const longestWord = 64

// unspaced are scripts without spaces between words. Their words are found as parts of a run.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
	unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Bopomofo, unicode.Yi}

// run is a sequence of characters without a separator: a word, or text of a script without spaces.
type run struct {
	text     string
	unspaced bool
}

type class int

const (
	separator class = iota
	spaced          // part of a word
	joined          // part of a script without spaces
	symbol          // a word of its own, such as an emoji
	mark            // belongs to the previous character
)

func classOf(r rune) class {
	switch {
	case r < utf8.RuneSelf:
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' {
			return spaced
		}
		return separator
	case unicode.In(r, unspaced...) || r == 'ー':
		return joined
	case unicode.IsLetter(r) || unicode.IsNumber(r):
		return spaced
	case unicode.IsMark(r):
		return mark
	case unicode.Is(unicode.So, r):
		return symbol
	}
	return separator
}

// runs splits a folded text.
func runs(text string) (all []run) {
	start, kind := 0, separator
	end := func(at int) {
		if kind != separator {
			all = append(all, run{text[start:at], kind == joined})
		}
		start = at
	}
	for at, r := range text {
		c := classOf(r)
		if c == mark && kind != separator || c == kind && c != symbol {
			continue
		}
		if c == mark {
			c = separator
		}
		end(at)
		kind = c
	}
	end(len(text))
	return all
}

// tokens returns the search tokens of a run. A run of a script without spaces is split into overlapping
// pairs of characters and its last character. So any part of it is a sequence of pairs, or the beginning of
// one. whole omits the last character, because the run may not end there.
func (r run) tokens(whole bool) []string {
	if !r.unspaced {
		return []string{shorten(r.text)}
	}
	chars := []rune(r.text)
	pairs := make([]string, 0, len(chars))
	for i := range len(chars) - 1 {
		pairs = append(pairs, string(chars[i:i+2]))
	}
	if whole || len(chars) == 1 {
		pairs = append(pairs, string(chars[len(chars)-1:]))
	}
	return pairs
}

func shorten(word string) string {
	if len(word) <= longestWord {
		return word
	}
	n := 0
	for i := range word {
		if n == longestWord {
			return word[:i]
		}
		n++
	}
	return word
}

// LongestKey is the maximum length of a key in bytes.
const LongestKey = 200

// Key returns the words of a title in folded form, for sorting by name and comparing whole titles. It
// contains only the beginning of long titles.
func Key(title string) string {
	var b strings.Builder
	for _, r := range runs(Fold(title)) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(r.text)
		if b.Len() > LongestKey {
			break
		}
	}
	key := b.String()
	for len(key) > LongestKey {
		_, size := utf8.DecodeLastRuneInString(key)
		key = key[:len(key)-size]
	}
	return key
}
