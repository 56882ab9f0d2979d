package words

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// sampled is the number of bytes of a text by which Written judges it.
const sampled = 4_000

// Written returns the language of a text, as a code of BCP 47, or "" if it is not recognised, and whether most of its
// letters are written from right to left.
func Written(text string) (language string, rightToLeft bool) {
	sample := strings.ToValidUTF8(text[:min(len(text), sampled)], "")
	letters, right := 0, 0
	scripts := map[string]int{}
	for _, r := range sample {
		if !unicode.IsLetter(r) {
			continue
		}
		letters++
		if unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko) {
			right++
		}
		for code, script := range scriptLanguages {
			if unicode.Is(script, r) {
				scripts[code]++
			}
		}
	}
	if scripts["ja"]*20 > letters { // Japanese is mostly Han
		return "ja", false
	}
	for code, n := range scripts {
		if n*2 > letters {
			return code, right*2 > letters
		}
	}
	return latinLanguage(sample), right*2 > letters
}

// scriptLanguages are the scripts by which a language is recognised. Arabic and Cyrillic are written by many.
var scriptLanguages = map[string]*unicode.RangeTable{"el": unicode.Greek, "he": unicode.Hebrew, "ko": unicode.Hangul, "zh": unicode.Han,
	"ja": japanese, "th": unicode.Thai, "ta": unicode.Tamil, "hy": unicode.Armenian, "ka": unicode.Georgian}

// japanese are the syllables of Japanese.
var japanese = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x3041, Hi: 0x3096, Stride: 1}, {Lo: 0x30A1, Hi: 0x30FA, Stride: 1}}}

// latinLanguage recognises a language in Latin script by its common words: at least one word in twelve is one, and no
// other language has as many.
func latinLanguage(sample string) string {
	words := lowerCase(sample).runs
	scores := make([]int, len(latin))
	for _, word := range words {
		for _, i := range commonWords[word.text] {
			scores[i]++
		}
	}
	order := make([]int, len(latin))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	best := order[0]
	if scores[best]*12 < len(words) || scores[best] == 0 || scores[best] == scores[order[1]] {
		return ""
	}
	return latin[best].code
}
