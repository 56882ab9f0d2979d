// Package relevance has texts in many languages, queries, and how well each text answers them. Tests compare
// the results of searches with these judgements.
package relevance

import (
	_ "embed"
	"encoding/json"
	"math"
	"slices"
)

// Text is a searchable text.
type Text struct{ ID, Title, Content string }

// Query is a query of a kind, such as "typo", with the texts that it should find: the best ones have the
// highest grade. Texts without a grade should not be found.
type Query struct {
	Kind, Query string
	Grades      map[string]int
}

//go:embed relevance.json
var file []byte

// Set returns all texts and queries.
func Set() (texts []Text, queries []Query, err error) {
	var all struct {
		Texts   []Text
		Queries []Query
	}
	err = json.Unmarshal(file, &all)
	return all.Texts, all.Queries, err
}

// judged is the number of results that are judged.
const judged = 10

// Score returns the normalized discounted cumulative gain of the first ten results, and the fraction of the
// texts with a grade that are among them (at most ten count).
func Score(q Query, found []string) (gain, recall float64) {
	found = found[:min(len(found), judged)]
	best := make([]int, 0, len(q.Grades))
	for _, grade := range q.Grades {
		best = append(best, grade)
	}
	slices.SortFunc(best, func(a, b int) int { return b - a })
	best = best[:min(len(best), judged)]
	ideal, hits := 0.0, 0
	for i, grade := range best {
		ideal += discounted(grade, i)
	}
	for i, id := range found {
		if grade := q.Grades[id]; grade > 0 {
			gain += discounted(grade, i)
			hits++
		}
	}
	return gain / ideal, float64(hits) / float64(len(best))
}

func discounted(grade, at int) float64 {
	return (math.Pow(2, float64(grade)) - 1) / math.Log2(float64(at)+2)
}
