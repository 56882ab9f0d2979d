package words

import (
	"sort"
	"strings"
)

// The bounds of a query.
const (
	maxTerms  = 100
	maxTokens = 400
)

// Term is words that follow each other; with Prefix the last one may go on. Expansions, if
// known, are all words that begin with the last one, and it.
type Term struct {
	Words      []string
	Prefix     bool
	Expansions []string
}

// Query is what a query asks for: all of its terms.
type Query struct {
	Everything bool // it is blank or "*"
	Terms      []Term
	TooLong    bool // it has more words than are taken
}

// Parse reads a query. What stands between double quotes is one term, else what stands
// between blanks; all other punctuation only separates words, which then must follow
// each other. The last word may go on, unless a quote ends it. Nothing is an operator.
func Parse(query string) Query {
	if trimmed := strings.TrimSpace(query); trimmed == "" || trimmed == "*" {
		return Query{Everything: true}
	}
	var q Query
	parts := strings.Split(query, `"`)
	for i, part := range parts {
		if i%2 == 1 { // an open quote runs to the end
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

// Cut gives the beginning of a query that has as many words as are taken.
func Cut(query string) string {
	if !Parse(query).TooLong {
		return query
	}
	runes := []rune(query)
	first := sort.Search(len(runes), func(n int) bool { return Parse(string(runes[:n])).TooLong }) // of the too long ones
	return string(runes[:first-1])
}

// add takes a stretch of the query as one term, if it has words.
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

// separated reports whether a text ends with something that ends its last word.
func separated(text string) bool {
	all := runs(Fold(text))
	return !strings.HasSuffix(Fold(text), all[len(all)-1].text)
}
