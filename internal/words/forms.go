package words

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A form is another way to write a word: its stem, its parts written together, or its letters without
// diacritics spelled out. Documents store forms with a mark in front, so that they are not mistaken for
// words. A query finds a word by the forms that they share.
const formMark = "_"

// Limits of forms.
const (
	maxForms     = 4_000 // of a document
	maxParts     = 6     // of a word with hyphens: an ISBN has five
	shortestForm = 2

	shortestInflected = 4 // of words with a plural
)

// forms collects the forms of words.
type forms struct {
	languages []language
	queried   bool            // also collect forms without a mark: words of documents
	seen      map[string]bool // forms and, with a space in front, words
	out       []string
}

func newForms(languages []language) *forms {
	return &forms{languages: languages, seen: map[string]bool{}}
}

// take returns the forms since the last call, each once.
func (f *forms) take() []string {
	out := f.out
	f.out = nil
	return out
}

// lower is a text in lower case, with its words.
type lower struct {
	text string
	runs []run
}

func lowerCase(text string) lower {
	if !plain(text) {
		text = norm.NFC.String(text)
	}
	text = strings.ToLower(text)
	return lower{text, runs(text)}
}

// text adds the forms of all words of a text.
func (f *forms) text(t lower) {
	for i, r := range t.runs {
		if len(f.seen) > maxForms {
			return
		}
		if !r.unspaced {
			f.word(r.text)
			f.add(sign(t.text, r))
		}
		f.joined(t.parts(i))
	}
}

// word adds the forms of a single word in lower case.
func (f *forms) word(word string) {
	if f.seen[" "+word] {
		return
	}
	f.seen[" "+word] = true
	folded := shorten(Fold(word))
	if f.queried && len(folded) >= shortestForm {
		f.add(formMark + folded)
	}
	variants := []string{word}
	if spelled := spellOut(word); Fold(spelled) != folded {
		f.variant(folded, spelled)
		variants = append(variants, spelled)
	}
	if utf8.RuneCountInString(word) < shortestInflected {
		return
	}
	for _, v := range variants {
		for _, stem := range stems(v, f.languages) {
			f.variant(folded, stem)
		}
	}
	if !f.queried {
		f.endings(word)
	}
}

// variant adds a form of a word unless both are the same.
func (f *forms) variant(folded, form string) {
	if form = shorten(Fold(form)); form != folded && len(form) >= shortestForm {
		f.add(formMark + form)
		if f.queried {
			f.add(form)
		}
	}
}

func (f *forms) add(form string) {
	if form != "" && !f.seen[form] && len(f.out) < maxForms {
		f.seen[form] = true
		f.out = append(f.out, form)
	}
}

// joined adds words that are written together: both first parts, and all parts, as in U-Bahn, Node.js, O'Brien's and
// 1,000.
func (f *forms) joined(parts []string) {
	if len(parts) < 2 || len(parts) > maxParts {
		return
	}
	if len(parts) > 2 {
		f.together(parts[:2])
	}
	f.together(parts)
}

// parts returns the parts of the word that starts with a run. Parts above the limit are not all returned.
func (t lower) parts(first int) (parts []string) {
	for i, r := range t.runs[first:] {
		if r.unspaced || i > 0 && !connected(t.text, t.runs[first+i-1], r) || len(parts) > maxParts {
			break
		}
		parts = append(parts, r.text)
	}
	return parts
}

// together adds a word that the text writes in several parts, and one without the ending of a genitive.
func (f *forms) together(parts []string) {
	for n := len(parts); n == len(parts) || n > 1 && parts[n] == "s"; n-- {
		word := strings.Join(parts[:n], "")
		folded := Fold(word)
		if folded != shorten(folded) {
			return
		}
		f.add(formMark + folded)
		if f.queried {
			f.add(folded)
		}
		f.word(word)
	}
}

// connected reports whether a single character connects two runs to one word.
func connected(text string, a, b run) bool {
	between := text[a.at+len(a.text) : b.at]
	switch between {
	case "-", "\u2010", "\u2011", "'", "\u2019", "\u02bc", ".", "\u00b7":
		return true
	case ",", "\u00a0", "\u202f", "\u2009":
		return digit(a.text[len(a.text)-1]) && digit(b.text[0])
	}
	return false
}

func digit(b byte) bool { return b >= '0' && b <= '9' }

// sign returns the form of a word with a sign that belongs to it, as in C#, C++ and #fog, or "".
func sign(text string, r run) string {
	before, after := text[:r.at], text[r.at+len(r.text):]
	word := shorten(Fold(r.text))
	switch {
	case strings.HasPrefix(after, "++") && !strings.HasPrefix(after, "+++"):
		return formMark + word + "_p_p"
	case strings.HasPrefix(after, "#") && !strings.HasPrefix(after, "##"):
		return formMark + word + "_h"
	case strings.HasSuffix(before, "#"):
		previous, size := utf8.DecodeLastRuneInString(before[:len(before)-1])
		if size == 0 || previous != '#' && classOf(previous) == separator {
			return formMark + "h_" + word
		}
	}
	return ""
}

// Lengths of words that languages such as German write together from others, of the other words that
// begin within these, and of the shortest ending that is a form.
const (
	longCompound   = 13
	firstPart      = 4
	shortestEnding = 5
	maxCompound    = 40
)

// endings adds the endings of a long word in a language that writes words together, without the ending of
// a plural or a case.
func (f *forms) endings(word string) {
	at := slices.IndexFunc(f.languages, func(l language) bool { return l.compounds })
	if at < 0 || len(word) < longCompound {
		return
	}
	l := f.languages[at]
	letters := []rune(stem(l.code, l.stem, word))
	if len(letters) < longCompound || len(letters) > maxCompound || !unicode.Is(unicode.Latin, letters[0]) {
		return
	}
	for at := firstPart; at <= len(letters)-shortestEnding; at++ {
		f.add(formMark + Fold(string(letters[at:])))
	}
}

// spellOut writes letters with diacritics as two letters, as is usual where they are not available.
func spellOut(word string) string {
	if plain(word) {
		return word
	}
	return twoLetters.Replace(word)
}

var twoLetters = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "å", "aa", "ø", "oe")
