// Package words splits texts and queries into words for search. Both databases store its results, so that
// a query returns the same results on both.
package words

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// letters maps letters without a decomposition to similar ones.
var letters = strings.NewReplacer("ø", "o", "ł", "l", "đ", "d", "ð", "d", "ħ", "h", "ı", "i", "ŧ", "t",
	"æ", "ae", "œ", "oe", "þ", "th")

// Fold removes differences of case, diacritics and compatibility forms: it applies case folding (Unicode,
// section 3.13), NFKD without marks that any letter can have, and NFC. Marks that form a different letter
// (Devanagari vowels, Thai tones, the voicing of kana) stay.
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
	// Fold the case again, because a compatibility form may stand for a capital letter.
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

// dropped reports whether Fold removes a mark or an invisible character.
func dropped(r rune) bool {
	const voiced, semiVoiced = '\u3099', '\u309A'
	if r == voiced || r == semiVoiced {
		return false
	}
	return unicode.In(r, unicode.Cf) ||
		unicode.Is(unicode.Mn, r) && unicode.In(r, unicode.Inherited, unicode.Hebrew, unicode.Arabic, unicode.Latin,
			unicode.Greek, unicode.Cyrillic, unicode.Syriac)
}
