package words

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"
)

// language is a language in Latin script whose words have stems.
type language struct {
	code      string
	stem      func(*snowballstem.Env) bool
	compounds bool   // writes words together
	letters   string // that few of the others use
	common    string // words by which a text is recognised
}

// latin lists the languages.
var latin = []language{
	{"en", english.Stem, false, "", "the of and to in is that for with on as by from this are an was how what not"},
	{"de", german.Stem, true, "äöüß", "der die das und von zu mit ist im für auf ein eine des dem den nicht am aus wie zum zur über"},
	{"fr", french.Stem, false, "éèêàçœùîïëû", "le la les de des et du en un une est pour dans sur au qui que par avec aux"},
	{"es", spanish.Stem, false, "ñ¿¡áíóú", "el la los las de y en un una del que por con para es al como su"},
	{"it", italian.Stem, false, "òìà", "il la di che e in un una del della per con gli dei le alla nel dal sono"},
	{"pt", portuguese.Stem, false, "ãõçâê", "o a os as de e do da em um uma que para com dos das no na não"},
	{"nl", dutch.Stem, true, "ĳ", "de het een van en in op te met voor zijn is dat aan bij uit"},
	{"sv", swedish.Stem, true, "åäö", "och i att en det som på är för med av till den ett om"},
	{"da", danish.Stem, true, "æøå", "og i at en det som på er for med af til den et om fra"},
	{"no", norwegian.Stem, true, "æøå", "og i å en det som på er for med av til den et om fra"},
	{"fi", finnish.Stem, true, "äö", "ja on ei se että oli joka mutta kun sekä"},
	{"hu", hungarian.Stem, true, "őűáéíóöúü", "a az és egy hogy nem is de meg csak"},
	{"tr", turkish.Stem, false, "ğşıç", "ve bir bu için ile da de olarak çok"},
	{"ro", romanian.Stem, false, "ășțţşâî", "și în de la pe cu din un o care pentru este"},
}

// usual are the languages of a text that is not recognised, and of every query: English and German.
var usual = latin[:2]

// maxLanguages is the maximum number of languages of a text besides English.
const maxLanguages = 2

// recognised is the number of bytes of a text by which its language is recognised.
const recognised = 500

var (
	commonWords = listLanguages(func(l language) []string { return strings.Fields(l.common) })
	ownLetters  = listLanguages(func(l language) []rune { return []rune(l.letters) })
)

// listLanguages returns the numbers of the languages that have each word or letter.
func listLanguages[T comparable](of func(language) []T) map[T][]int {
	lists := map[T][]int{}
	for i, l := range latin {
		for _, word := range of(l) {
			lists[word] = append(lists[word], i)
		}
	}
	return lists
}

// languagesOf recognises the languages of texts by common words and letters. English is always one of them, because
// plurals with s are frequent elsewhere too.
func languagesOf(texts ...lower) []language {
	scores := make([]int, len(latin))
	left := recognised
	for _, t := range texts {
		for _, word := range t.runs {
			if left -= len(word.text); left < 0 {
				break
			}
			for _, i := range commonWords[word.text] {
				scores[i] += 2
			}
			for _, r := range word.text {
				if r >= utf8.RuneSelf {
					for _, i := range ownLetters[r] {
						scores[i]++
					}
				}
			}
		}
	}
	best := slices.Max(scores)
	if best == 0 {
		return usual
	}
	all := usual[:1:1]
	for i, score := range scores {
		if score == best && i > 0 && len(all) <= maxLanguages {
			all = append(all, latin[i])
		}
	}
	return all
}

// languagesOfQuery returns the languages of a word in a query, which is too short to be recognised except by its letters.
func languagesOfQuery(text lower) []language {
	all := slices.Clone(usual)
	for _, l := range languagesOf(text) {
		if !slices.ContainsFunc(all, func(known language) bool { return known.code == l.code }) {
			all = append(all, l)
		}
	}
	return all
}

// stems returns the stems of a word in lower case: in the given languages if it is in Latin script, and
// otherwise in the language of its script.
func stems(word string, in []language) []string {
	first, _ := utf8.DecodeRuneInString(word)
	switch {
	case first < utf8.RuneSelf && !unicode.IsLetter(first):
		return nil
	case first < utf8.RuneSelf || unicode.Is(unicode.Latin, first):
		all := make([]string, 0, len(in))
		for _, l := range in {
			all = append(all, stem(l.code, l.stem, word))
		}
		return all
	case unicode.Is(unicode.Cyrillic, first):
		return []string{stem("ru", russian.Stem, word)}
	case unicode.Is(unicode.Arabic, first):
		return []string{stem("ar", arabic.Stem, Fold(word))}
	case unicode.Is(unicode.Tamil, first):
		return []string{stem("ta", tamil.Stem, word)}
	case unicode.Is(unicode.Hebrew, first):
		return withoutPrefixes(Fold(word))
	}
	return nil
}

// stemmed remembers stems, because computing one takes several microseconds.
var stemmed, _ = lru.New[stemKey, string](20_000) // fails only for a size below 1

type stemKey struct{ language, word string }

// longestStemmed is the length of the longest word that has a stem.
const longestStemmed = 64

func stem(language string, by func(*snowballstem.Env) bool, word string) string {
	if len(word) > longestStemmed {
		return word
	}
	key := stemKey{language, word}
	if s, ok := stemmed.Get(key); ok {
		return s
	}
	env := snowballstem.NewEnv(word)
	by(env)
	s := strings.Clone(env.Current())
	stemmed.Add(stemKey{language, strings.Clone(word)}, s)
	return s
}

// withoutPrefixes returns a Hebrew word without one and two letters that stand for an article, a
// preposition or a conjunction.
func withoutPrefixes(word string) (all []string) {
	const prefixes, shortest = "הובכלמש", 3
	letters := []rune(word)
	for n := 1; n <= 2 && len(letters)-n >= shortest && strings.ContainsRune(prefixes, letters[n-1]); n++ {
		all = append(all, string(letters[n:]))
	}
	return all
}
