// Package words splits texts and queries into words for search. Both databases store its results, so that
// a query returns the same results on both.
package words

import (
	"crypto/sha256"
	"encoding/binary"
	"net"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"vitrine/internal/weburl"
)

// FormsVersion changes whenever documents get other forms of their words or other spellings, so that the store writes
// them again.
const FormsVersion = "1"

// letters maps letters without a decomposition to similar ones.
var letters = strings.NewReplacer("ø", "o", "ł", "l", "đ", "d", "ð", "d", "ħ", "h", "ı", "i", "ŧ", "t",
	"æ", "ae", "œ", "oe", "þ", "th")

// Fold removes differences of case, diacritics and compatibility forms: it applies case folding (Unicode,
// section 3.13), NFKD without marks that any letter can have, and NFC. Marks that form a different letter
// (Devanagari vowels, Thai tones, the voicing of kana) stay. Katakana become hiragana.
func Fold(text string) string {
	text = foldCase(text)
	if plain(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if r >= 'ァ' && r <= 'ヶ' {
			return r - 'ァ' + 'ぁ'
		}
		return r
	}, text)
}

// foldCase is Fold that keeps katakana.
func foldCase(text string) string {
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

// longestWord is the number of significant characters of a word. PostgreSQL limits lexemes to 2,046 bytes.
const longestWord = 64

// unspaced are scripts without spaces between words. Their words are found as parts of a run.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
	unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Bopomofo, unicode.Yi}

// run is a sequence of characters without a separator: a word, or text of a script without spaces.
type run struct {
	text     string
	unspaced bool
	at       int // offset in the text
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
			all = append(all, run{text[start:at], kind == joined, start})
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
// contains only the beginning of long titles, and keeps katakana, as in keys that are already stored.
func Key(title string) string {
	var b strings.Builder
	for _, r := range runs(foldCase(title)) {
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

// Limits of a document. PostgreSQL ignores positions above 16,383 and more than 255 positions of a word,
// and limits a tsvector to 1 MB.
const (
	maxPositions = 16_000
	maxOfWord    = 255
	maxBytes     = 400_000
	gap          = 4 // positions between two texts, so that phrases do not span them
)

// Token is a word with its position, counted from 1.
type Token struct {
	Word string
	At   int
}

// Document is the searchable content of an entity: the words of its title and of further texts, and their
// forms that are not words of it. Forms of the title are not repeated.
type Document struct {
	Title, Body           []Token
	TitleForms, BodyForms []string
}

// Title returns the words of a title.
func Title(title string) []Token {
	w := writer{seen: map[string]int{}}
	return w.add(title)
}

// Make returns the document of a title and further texts. It ignores the end of very long texts, and all
// but the first 255 occurrences of a word.
func Make(title string, body ...string) Document {
	var d Document
	w := writer{seen: map[string]int{}}
	d.Title = w.add(title)
	w.out = nil
	for _, text := range body {
		w.add(text)
	}
	d.Body = w.out
	texts := []lower{lowerCase(beginning(title))}
	for _, text := range body {
		texts = append(texts, lowerCase(beginning(text)))
	}
	f := newForms(languagesOf(texts...))
	f.text(texts[0])
	d.TitleForms = f.take()
	for _, t := range texts[1:] {
		f.text(t)
	}
	d.BodyForms = f.take()
	return d
}

type writer struct {
	seen  map[string]int
	at    int // positions continue from the title to the body
	bytes int
	out   []Token
}

func (w *writer) add(text string) []Token {
	if text == "" {
		return w.out
	}
	for _, r := range runs(Fold(beginning(text))) {
		for _, t := range r.tokens(true) {
			w.at++
			if w.at > maxPositions || w.bytes > maxBytes {
				return w.out
			}
			if w.seen[t]++; w.seen[t] <= maxOfWord {
				w.out = append(w.out, Token{t, w.at})
				w.bytes += len(t) + 4
			}
		}
	}
	w.at += gap
	return w.out
}

// beginning returns the part of a text that is not too long to be used.
func beginning(text string) string {
	const most = 1 << 20
	if len(text) > most {
		return text[:most]
	}
	return text
}

// Source returns a number for the page at a URL. URLs of the same page may differ in the scheme, `www.`, a
// slash at the end, the order of parameters, parameters that only say where the reader came from, and the
// fragment, unless it is a route. It returns 0 if the text is not a single absolute http(s) URL.
func Source(address string) int64 {
	key := sourceKey(address)
	if key == "" {
		return 0
	}
	sum := sha256.Sum256([]byte(key))
	return max(int64(binary.BigEndian.Uint64(sum[:8])>>1), 1)
}

func sourceKey(address string) string {
	address = strings.TrimSpace(address)
	if strings.ContainsAny(address, " \t\r\n") { // a search query may start with a URL
		return ""
	}
	u, err := weburl.Parse(address)
	if err != nil {
		return ""
	}
	host := strings.TrimPrefix(strings.TrimSuffix(u.Hostname(), "."), "www.")
	if port := u.Port(); port != "" {
		host = net.JoinHostPort(host, port)
	}
	key := host + strings.TrimRight(u.EscapedPath(), "/")
	if params := Parameters(u.RawQuery); len(params) > 0 {
		key += "?" + strings.Join(params, "&")
	}
	if IsRoute(u.Fragment) {
		key += "#" + u.EscapedFragment()
	}
	return key
}

// IsRoute reports whether a fragment names a page of an application that runs in the browser, as in
// `#/board/17` and `#!/inbox`. Other fragments are places on the page.
func IsRoute(fragment string) bool {
	return len(fragment) > 1 && (fragment[0] == '/' || fragment[0] == '!')
}

// Parameters returns the parameters of a query that distinguish pages, sorted.
func Parameters(query string) (kept []string) {
	for pair := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if pair != "" && !tracking(strings.ToLower(name)) {
			kept = append(kept, pair)
		}
	}
	slices.Sort(kept)
	return kept
}

// tracking reports whether a parameter is used for tracking.
func tracking(name string) bool {
	return strings.HasPrefix(name, "utm_") || slices.Contains([]string{"fbclid", "gclid", "dclid", "gbraid", "wbraid",
		"msclkid", "yclid", "twclid", "ttclid", "igshid", "igsh", "mc_cid", "mc_eid", "_ga", "_gl", "ref_src"}, name)
}

// Place returns the host and path of a URL as searchable text, in readable form.
func Place(address string) string {
	u, err := weburl.Parse(address)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(weburl.ReadableHost(u.Hostname()), "www.") + " " + u.Path
}
