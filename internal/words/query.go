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
// term, in another form.
type Term struct {
	Words      []string
	Prefix     bool
	Expansions []string
	Forms      []string
}

// Query is a parsed query. All of its terms must match.
type Query struct {
	Everything bool // the query is empty or "*"
	Terms      []Term
	TooLong    bool // the query has too many words
	Inexact    bool // at least one term must match in another form only
}

// HasForms reports whether a term may match in another form.
func (q Query) HasForms() bool {
	return slices.ContainsFunc(q.Terms, func(t Term) bool { return len(t.Forms) > 0 })
}

// HasSigns reports whether the query has a word such as C#, which keys of titles do not distinguish from C.
func (q Query) HasSigns() bool {
	return slices.ContainsFunc(q.Terms, func(t Term) bool { return strings.HasPrefix(t.Words[0], formMark) })
}

// Exact returns the query without other forms.
func (q Query) Exact() Query {
	q.Terms = slices.Clone(q.Terms)
	for i := range q.Terms {
		q.Terms[i].Forms = nil
	}
	return q
}

// Parse parses a query. Text in double quotes is one term, and otherwise text between spaces. Other
// punctuation only separates words within a term, except in C#, C++ and #fog. The last word is a prefix,
// unless a quote ends it. Terms in quotes have no other forms. There are no operators.
func Parse(query string) Query { return parse(query, true) }

// ParseExact is Parse without other forms. It reads C# as the word C.
func ParseExact(query string) Query { return parse(query, false) }

func parse(query string, forms bool) Query {
	if trimmed := strings.TrimSpace(query); trimmed == "" || trimmed == "*" {
		return Query{Everything: true}
	}
	var q Query
	parts := strings.Split(query, `"`)
	for i, part := range parts {
		if i%2 == 1 { // an unclosed quote extends to the end
			q.add(part, i == len(parts)-1, false)
			continue
		}
		fields := strings.Fields(part)
		for j, field := range fields {
			q.add(field, i == len(parts)-1 && j == len(fields)-1, forms)
		}
	}
	tokens := 0
	for _, t := range q.Terms {
		tokens += len(t.Words)
	}
	q.TooLong = len(q.Terms) > maxTerms || tokens > maxTokens
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

// add adds a part of the query as one term, if it contains words.
func (q *Query) add(text string, last, forms bool) {
	all := runs(Fold(text))
	if len(all) == 0 {
		return
	}
	if word := signed(text); forms && word != "" {
		q.Terms = append(q.Terms, Term{Words: []string{word}})
		return
	}
	t := Term{Prefix: last && !separated(text)}
	for i, r := range all {
		t.Words = append(t.Words, r.tokens(i < len(all)-1)...)
	}
	if end := all[len(all)-1]; end.unspaced {
		t.Prefix = len([]rune(end.text)) == 1
	}
	if forms {
		t.Forms = formsOf(text)
	}
	q.Terms = append(q.Terms, t)
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
