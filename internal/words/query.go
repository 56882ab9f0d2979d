package words

import (
	"slices"
	"sort"
	"strings"
)

// Limits of a query.
const (
	maxTerms  = 100
	maxTokens = 400
)

// Term is a sequence of consecutive words. With Prefix, the last one is a prefix. Expansions, if known, are
// all words with this prefix, including the prefix itself. A document with one of the Forms also has the
// term, in another form. With Title, the words must be in the title. A document with one of the terms in Or
// also matches.
type Term struct {
	Words      []string
	Prefix     bool
	Expansions []string
	Forms      []string
	Title      bool
	Or         []Term
}

// Query is a parsed query. All of its terms must match, and none of Without.
type Query struct {
	Everything bool // there are no terms because the query has no words, or is "*"
	Terms      []Term
	Without    []Term
	Marks      [][]string // results have one of each
	Filters    Filters    // other operators
	Plain      string     // the query without operators, for names and addresses; "" if operators restrict the words
	Parts      []Part     // the query as it was written
	TooLong    bool       // the query has too many words
	Inexact    bool       // at least one term must match in another form only
}

// All returns the terms, and those that may stand for them.
func (q Query) All() (all []*Term) {
	for i := range q.Terms {
		all = append(all, &q.Terms[i])
		for j := range q.Terms[i].Or {
			all = append(all, &q.Terms[i].Or[j])
		}
	}
	return all
}

// Clone returns a copy whose terms can be changed.
func (q Query) Clone() Query {
	q.Terms = slices.Clone(q.Terms)
	for i := range q.Terms {
		q.Terms[i].Or = slices.Clone(q.Terms[i].Or)
	}
	return q
}

// Restricted reports whether results must have more than the terms.
func (q Query) Restricted() bool { return len(q.Without) > 0 || len(q.Marks) > 0 }

// Unwanted returns the query for everything that Without leaves out.
func (q Query) Unwanted() Query { return Query{Terms: []Term{anyOf(q.Without)}} }

// anyOf returns a term that matches wherever one of these terms does.
func anyOf(all []Term) Term {
	t := all[0]
	t.Or = all[1:]
	return t
}

// HasForms reports whether a term may match in another form.
func (q Query) HasForms() bool {
	return slices.ContainsFunc(q.All(), func(t *Term) bool { return len(t.Forms) > 0 })
}

// HasSigns reports whether the query has a word such as C#, which keys of titles do not distinguish from C.
func (q Query) HasSigns() bool {
	return slices.ContainsFunc(q.Terms, func(t Term) bool { return strings.HasPrefix(t.Words[0], formMark) })
}

// Exact returns the query without other forms of its terms.
func (q Query) Exact() Query {
	q = q.Clone()
	for _, t := range q.All() {
		t.Forms = nil
	}
	return q
}

// Parse parses a query. Text in double quotes is one term, and otherwise text between spaces. Other
// punctuation only separates words within a term, except in C#, C++ and #fog. The last word is a prefix,
// unless a quote ends it. Terms in quotes have no other forms. A query with a malformed operator has none:
// all of its text is words.
func Parse(query string) Query {
	parts := split(query)
	q, ok := operated(parts)
	if !ok {
		q = plainly(query, parts, true)
	}
	return q.finished()
}

// ParseExact is Parse without other forms and operators. It reads C# as the word C.
func ParseExact(query string) Query { return plainly(query, split(query), false).finished() }

// plainly parses a query without operators.
func plainly(query string, parts []part, forms bool) Query {
	if trimmed := strings.TrimSpace(query); trimmed == "" || trimmed == "*" {
		return Query{Everything: true}
	}
	q := Query{Plain: query}
	for i, p := range parts {
		shown := Part{Text: p.written, Operator: p.quoted && p.closed, Word: p.word(), term: len(q.Terms)}
		for _, p := range p.words() {
			if t, ok := term(p.text, i == len(parts)-1 && !p.closed, forms && !p.quoted); ok {
				q.Terms = append(q.Terms, t)
			}
		}
		q.Parts = append(q.Parts, shown)
	}
	return q
}

// finished checks the length of a query.
func (q Query) finished() Query {
	tokens, terms := 0, len(q.Without)
	for _, t := range q.All() {
		tokens, terms = tokens+len(t.Words), terms+1
	}
	for _, t := range q.Without {
		tokens += len(t.Words)
	}
	q.TooLong = terms > maxTerms || tokens > maxTokens
	return q
}

// Cut returns the longest beginning of a query that does not have too many words.
func Cut(query string) string {
	if !Parse(query).TooLong {
		return query
	}
	runes := []rune(query)
	first := sort.Search(len(runes), func(n int) bool { return Parse(string(runes[:n])).TooLong }) // shortest that is too long
	return string(runes[:first-1])
}

// term returns a part of a query as one term, if it contains words.
func term(text string, last, forms bool) (t Term, ok bool) {
	all := runs(Fold(text))
	if len(all) == 0 {
		return t, false
	}
	if word := signed(text); forms && word != "" {
		return Term{Words: []string{word}}, true
	}
	t.Prefix = last && !separated(text)
	for i, r := range all {
		t.Words = append(t.Words, r.tokens(i < len(all)-1)...)
	}
	if end := all[len(all)-1]; end.unspaced {
		t.Prefix = len([]rune(end.text)) == 1
	}
	if forms {
		t.Forms = formsOf(text)
	}
	return t, true
}

// signed returns the form of a single word with a sign, or "".
func signed(text string) string {
	if t := lowerCase(text); len(t.runs) == 1 && !t.runs[0].unspaced {
		return sign(t.text, t.runs[0])
	}
	return ""
}

// formsOf returns the forms of a word of a query, which may be written in several parts.
func formsOf(text string) []string {
	t := lowerCase(text)
	parts := t.parts(0)
	if len(parts) < len(t.runs) || len(parts) > maxParts {
		return nil
	}
	f := newForms(languagesOfQuery(t))
	f.queried = true
	switch {
	case len(parts) == 1:
		f.word(parts[0])
	default:
		f.together(parts)
	}
	return f.out
}

// separated reports whether a text ends with a character that ends its last word.
func separated(text string) bool {
	all := runs(Fold(text))
	return !strings.HasSuffix(Fold(text), all[len(all)-1].text)
}
