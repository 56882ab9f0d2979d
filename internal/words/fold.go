// Package words cuts texts and queries into the words that search compares. Both
// databases store what it makes, so that the same query finds the same on both.
package words

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// letters are those that have no decomposition but are read as others.
var letters = strings.NewReplacer("ø", "o", "ł", "l", "đ", "d", "ð", "d", "ħ", "h", "ı", "i", "ŧ", "t",
	"æ", "ae", "œ", "oe", "þ", "th")

// Fold gives a text without differences of case, diacritics and compatibility forms:
// case folding (Unicode, section 3.13), NFKD without marks that any letter can carry,
// then NFC. Marks that make another letter (Devanagari vowels, Thai tones, the voicing
// of kana) stay.
func Fold(text string) string {
	if plain(text) {
		return strings.ToLower(text)
	}
	text = norm.NFKD.String(cases.Fold().String(text))
	text = strings.Map(func(r rune) rune {
		if dropped(r) {
			return -1
		}
		return r
	}, text)
	// Folding once more: a compatibility form may stand for a capital.
	return letters.Replace(norm.NFC.String(cases.Fold().String(text)))
}

func plain(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}

// dropped reports whether a mark folds away or a character is not visible.
func dropped(r rune) bool {
	const voiced, semiVoiced = '\u3099', '\u309A'
	if r == voiced || r == semiVoiced {
		return false
	}
	return unicode.In(r, unicode.Cf) ||
		unicode.Is(unicode.Mn, r) && unicode.In(r, unicode.Inherited, unicode.Hebrew, unicode.Arabic, unicode.Latin,
			unicode.Greek, unicode.Cyrillic, unicode.Syriac)
}
