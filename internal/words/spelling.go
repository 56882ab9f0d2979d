package words

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of words that corrections use, in characters.
const (
	shortestSpelling = 3
	longestSpelling  = 40
	shortestWord     = 4 // that is corrected
	shortestTwice    = 8 // that may have two mistakes
)

// IsSpelling reports whether a folded word can correct another one: it consists of letters of a script with spaces.
func IsSpelling(word string) bool {
	n := 0
	for _, r := range word {
		if c := classOf(r); c != spaced && c != mark || unicode.IsNumber(r) {
			return false
		}
		n++
	}
	return n >= shortestSpelling && n <= longestSpelling
}

// Spellings returns the distinct words of the document that can correct others.
func (d Document) Spellings() []string {
	seen := map[string]bool{}
	var all []string
	for _, t := range slices.Concat(d.Title, d.Body) {
		if !seen[t.Word] && IsSpelling(t.Word) {
			all = append(all, t.Word)
		}
		seen[t.Word] = true
	}
	return all
}

// word returns the folded word of a part of a query if it may be misspelled: a single word without quotes, operators and
// signs.
func (p part) word() string {
	if p.quoted || p.before != "" || !leads(p.text) || signed(p.text) != "" {
		return ""
	}
	all := runs(Fold(p.text))
	if len(all) != 1 || !IsSpelling(all[0].text) || utf8.RuneCountInString(all[0].text) < shortestWord {
		return ""
	}
	return all[0].text
}

// Mistakes returns the maximum number of mistakes in a word.
func Mistakes(word string) int {
	if utf8.RuneCountInString(word) < shortestTwice {
		return 1
	}
	return 2
}

// Only returns the query without its other words.
func (q Query) Only(part int) Query {
	q.Terms, q.Plain = []Term{q.Terms[q.Parts[part].term]}, ""
	return q
}

// Replacing returns the query with other words for some of its parts. One of the words for a part must occur exactly. It omits
// parts without other words.
func (q Query) Replacing(parts map[int][]string) Query {
	q.Plain = ""
	terms := q.Terms
	q.Terms = nil
	for i, t := range terms {
		at := slices.IndexFunc(q.Parts, func(p Part) bool { return p.Word != "" && p.term == i })
		others, replaced := parts[at]
		if !replaced {
			q.Terms = append(q.Terms, t)
			continue
		}
		var all []Term
		for _, word := range others {
			all = append(all, Term{Words: []string{word}})
		}
		if len(all) > 0 {
			all[0].Or = all[1:]
			q.Terms = append(q.Terms, all[0])
		}
	}
	return q
}

// Rewritten returns the text of a query with other words for some of its parts.
func Rewritten(parts []Part, words map[int]string) string {
	all := make([]string, len(parts))
	for i, p := range parts {
		all[i] = p.Text
		if word, ok := words[i]; ok {
			all[i] = word
		}
	}
	return strings.Join(all, " ")
}

// Distance returns how many insertions, deletions, replacements and exchanges of neighbouring characters turn one word
// into another, without changing a character twice (optimal string alignment). It returns more than most if there are
// more than that.
func Distance(a, b []rune, most int) int {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if max(len(a), len(b))-min(len(a), len(b)) > most || len(b) > longestSpelling {
		return most + 1
	}
	var before, above, row [longestSpelling + 1]int
	for j := range len(b) + 1 {
		above[j] = j
	}
	for i := range a {
		row[0] = i + 1
		least := row[0]
		for j := range b {
			changed := 1
			if a[i] == b[j] {
				changed = 0
			}
			row[j+1] = min(above[j+1]+1, row[j]+1, above[j]+changed)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
			least = min(least, row[j+1])
		}
		if least > most {
			return most + 1
		}
		before, above = above, row
	}
	return above[len(b)]
}
