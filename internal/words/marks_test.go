package words

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// marksOf writes the marks of a query. It shortens ranges to their number of alternatives.
func marksOf(q Query) string {
	var all []string
	for _, m := range q.Marks {
		if len(m) == 1 {
			all = append(all, m[0])
		} else {
			all = append(all, strconv.Itoa(len(m)))
		}
	}
	return strings.Join(all, "+")
}

// has reports whether metadata match a query without words.
func has(q Query, values map[string]string) bool {
	marks := MetadataMarks(values)
	any := func(words []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(marks, w) })
	}
	for _, m := range q.Marks {
		if !any(m) {
			return false
		}
	}
	for _, t := range q.Without {
		if any(t.Words) {
			return false
		}
	}
	return any(q.Terms[0].Words)
}

func TestTags(t *testing.T) {
	t.Parallel()
	for value, want := range map[string][]string{
		"": nil, " , #, -": nil,
		"Moss, fern": {"Moss", "fern"}, "moss,Moss , MÖSS, #moss": {"moss"}, "tree fern, tree-fern, tree_fern": {"tree fern"},
		"C, C#, C++": {"C", "C#", "C++"}, "東京, Привет": {"東京", "Привет"}, "#a  b": {"a b"},
	} {
		if got := Tags(value); !slices.Equal(got, want) {
			t.Errorf("%q has the tags %q, want %q", value, got, want)
		}
	}
	if got := Tags(strings.Repeat("x,", 3) + numbered(200)); len(got) != MaxTags {
		t.Errorf("%d tags", len(got))
	}
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strconv.Itoa(i) + ",")
	}
	return b.String()
}

func TestMetadataQueries(t *testing.T) {
	t.Parallel()
	of := map[string]string{"tags": "Tree fern, Moss, C#", "Year": "1972", "author": "Louis  KAHN", "score": "-0.5", "on": "true"}
	for query, want := range map[string]bool{
		"tag:moss": true, "tag:MOSS": true, "tag:#moss": true, `tag:"tree fern"`: true, "tag:tree-fern": true, "tag:tree": false,
		"tag:c": false, "tag:c#": true, "tag:moss tag:c#": true, "tag:moss tag:bog": false, "tag:moss -tag:c#": false, "tag:moss -tag:bog": true,
		"meta:year=1972": true, "meta:YEAR=1972.0": true, "meta:year=1973": false, "meta:year>1970": true, "meta:year>1972": false, "meta:year>=1972": true,
		"meta:year<1972": false, "meta:year<=1972": true, "meta:year<1972.5": true, "meta:year>-5": true, "meta:year<0": false, "meta:year>1e3": true,
		"meta:year>1970 meta:year<1980": true, "meta:year>1970 meta:year<1971": false, "meta:year!=1972": false, "meta:year!=5": true, "meta:none!=5": false,
		`meta:author="louis kahn"`: true, `meta:"author=louis kahn"`: true, "meta:author=kahn": false, "meta:author!=kahn": true, "meta:author>5": false,
		"meta:score<0": true, "meta:score<-0.5": false, "meta:score>-1": true, "meta:on=TRUE": true, "tag:moss -meta:year=1972": false,
		"tag:moss -meta:year=1": true, "meta:year": true, "meta:none": false, "tag:moss -meta:none": true, "tag:moss -meta:YEAR": false,
	} {
		q := Parse(query)
		if len(q.Terms) != 1 || q.Plain != "" {
			t.Fatalf("%q is %q", query, explain(q))
		}
		if got := has(q, of); got != want {
			t.Errorf("%q matches: %t", query, got)
		}
	}
	for _, malformed := range []string{"tag:", "tag:-", "tag:#", "meta:ye-ar", "-meta:ye-ar", "meta:=5", "meta:year=", "meta:ye-ar=5", "meta:year>soon", "meta:year>NaN",
		"meta:year>0x10", "meta:year>1e999", "-meta:year>5", "tag:a tag:A", strings.Repeat("meta:year>5 ", maxLists+1), strings.Repeat("color:#000 ", maxLists+1),
		strings.Repeat("color:#000 ", maxLists) + "meta:year>5"} {
		if q := Parse(malformed); len(q.Marks) > 0 || len(q.Terms) > 0 && strings.Contains(q.Terms[0].Words[0], markSign) {
			t.Errorf("%q is %q", malformed, explain(q))
		}
	}
}

// A condition of its own restricts each query as the operator does, and leaves the query unchanged.
func TestWhere(t *testing.T) {
	t.Parallel()
	of := map[string]string{"year": "1972", "tags": "moss"}
	for _, query := range []string{"", "*", "tag:moss", "tag:moss -meta:none"} {
		for condition, want := range map[string]bool{"year=1972": true, "YEAR<1972": false, "year>1970": true, "year": true, "none": false, "year!=1972": false} {
			before := Parse(query)
			q, ok := before.Where(condition)
			if !ok || has(q, of) != want || explain(before) != explain(Parse(query)) {
				t.Errorf("%q where %q: %q", query, condition, explain(q))
			}
		}
	}
	for _, malformed := range []string{"", "=", "year=", "year>x", "a b", "a-b=1"} {
		if _, ok := Parse("moss").Where(malformed); ok {
			t.Errorf("%q is a condition", malformed)
		}
	}
	if key := Parse("moss -meta:a meta:Year>5 meta:b").MetadataKey(); key != "year" {
		t.Error(key)
	}
}

// Ranges are about the order of numbers, near and far ones.
func TestRanges(t *testing.T) {
	t.Parallel()
	numbers := []float64{0, 1, -1, 16, 256, 255.9999, 1970, 1969, 1970.5, -1970, math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64}
	for range 60 {
		n := math.Float64frombits(rand.Uint64())
		if !math.IsNaN(n) && !math.IsInf(n, 0) {
			numbers = append(numbers, n, math.Nextafter(n, 0), float64(rand.IntN(5_000)))
		}
	}
	for _, than := range numbers {
		text := strconv.FormatFloat(than, 'g', -1, 64)
		above, least := Parse("meta:n>"+text), Parse("meta:n>="+text)
		below, most := Parse("meta:n<"+text), Parse("meta:n<="+text)
		for _, n := range numbers {
			of := map[string]string{"n": strconv.FormatFloat(n, 'g', -1, 64)}
			if has(above, of) != (n > than) || has(least, of) != (n >= than) || has(below, of) != (n < than) || has(most, of) != (n <= than) {
				t.Fatalf("%v is not compared with %v", n, than)
			}
		}
	}
}

// No word of a text is a mark.
func TestMarksAreNoWords(t *testing.T) {
	t.Parallel()
	for _, m := range append(MetadataMarks(map[string]string{"tags": "moss, c#", "year": "5"}), Sites("https://example.org")...) {
		doc := Make(m, m)
		if slices.Contains(doc.TitleForms, m) || slices.Contains(doc.BodyForms, m) || slices.ContainsFunc(doc.Body, func(t Token) bool { return t.Word == m }) {
			t.Errorf("the text %q has the mark", m)
		}
	}
}

func TestTagQuery(t *testing.T) {
	t.Parallel()
	if !StartsTag("TREE f", "tree-fern") || StartsTag("fern", "tree-fern") || !StartsTag("", "moss") {
		t.Error("the beginnings of tags are wrong")
	}
}
