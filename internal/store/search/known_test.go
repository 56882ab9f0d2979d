package search

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/words"
)

// The memory for numbers of results is bounded, and numbers of another state of the database have no effect.
func TestKnownIsBounded(t *testing.T) {
	t.Parallel()
	k, stats := NewKnown(), statistics{limits: DefaultLimits, removals: 5, documents: 100_000}
	query := func(text string) Query { return Query{Words: words.Parse(text)} }
	const many = 50_000
	for i := range maxKnown + 10 {
		k.learn(query(fmt.Sprint("word", i)), stats, many, -1)
	}
	if n := k.bounds.Len(); n != maxKnown {
		t.Errorf("%d numbers are remembered", n)
	}
	last := query(fmt.Sprint("word", maxKnown+9))
	b, found := k.find(last)
	if !found {
		t.Fatal("the last number is not remembered")
	}
	for removals, known := range map[int64]bool{4: false, 5: true, 5 + many - DefaultLimits.Counted: false} {
		is := stats
		is.removals = removals
		b.use(last, &is)
		if is.known != known {
			t.Errorf("after %d removals: known %v", removals, is.known)
		}
	}
	k.tooFar(query("word0")) // which was dropped
	if _, found := k.find(query("word0")); found {
		t.Error("a dropped number is remembered again")
	}
	long := query(strings.Repeat("moss ", maxKey))
	k.learn(long, stats, many, -1)
	if _, found := k.find(long); found {
		t.Error("a long query is remembered")
	}
}

// The number of a query is not used for another one with other forms: Größe also finds groesse, and grosse does not.
func TestKnownFormsOfWords(t *testing.T) {
	t.Parallel()
	k, stats := NewKnown(), statistics{limits: DefaultLimits, removals: 5, documents: 100_000}
	k.learn(Query{Words: words.Parse("Größe ")}, stats, 50_000, -1)
	if _, found := k.find(Query{Words: words.Parse("größe ")}); !found {
		t.Error("the same query is not known")
	}
	if _, found := k.find(Query{Words: words.Parse("grosse ")}); found {
		t.Error("the number of another query is used")
	}
}
