package words

import (
	"sort"
	"strings"
)

// Limits of a query.
const (
	maxTerms  = 100
	maxTokens = 400
)

// Term is a sequence of consecutive words. With Prefix, the last one is a prefix. Expansions, if known, are
// all words with this prefix, including the prefix itself.
type Term struct {
	Words      []string
	Prefix     bool
	Expansions []string
}

// Query is a parsed query. All of its terms must match.
type Query struct {
	Everything bool // the query is empty or "*"
	Terms      []Term
	TooLong    bool // the query has too many words
}

// Parse parses a query. Text in double quotes is one term, and otherwise text between spaces. Other
// punctuation only separates words within a term. The last word is a prefix, unless a quote ends it. There
// are no operators.
func Parse(query string) Query {
	if trimmed := strings.TrimSpace(query); trimmed == "" || trimmed == "*" {
		return Query{Everything: true}
	}
	var q Query
	parts := strings.Split(query, `"`)
	for i, part := range parts {
		if i%2 == 1 { // an unclosed quote extends to the end
			q.add(part, i == len(parts)-1)
			continue
		}
		fields := strings.Fields(part)
		for j, field := range fields {
			q.add(field, i == len(parts)-1 && j == len(fields)-1)
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
func (q *Query) add(text string, last bool) {
	all := runs(Fold(text))
	if len(all) == 0 {
		return
	}
	t := Term{Prefix: last && !separated(text)}
	for i, r := range all {
		t.Words = append(t.Words, r.tokens(i < len(all)-1)...)
	}
	if end := all[len(all)-1]; end.unspaced {
		t.Prefix = len([]rune(end.text)) == 1
	}
	q.Terms = append(q.Terms, t)
}

// separated reports whether a text ends with a character that ends its last word.
func separated(text string) bool {
	all := runs(Fold(text))
	return !strings.HasSuffix(Fold(text), all[len(all)-1].text)
}
