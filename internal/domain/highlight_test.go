package domain

import (
	"strings"
	"testing"
)

func TestQuoteIn(t *testing.T) {
	t.Parallel()
	const text = "Moss grows on stone.\nÄltere moss grows\non wood, and moss dies."
	for name, c := range map[string]struct {
		q     Quote
		exact string // "" if it is not found
		start int
	}{
		"at its place":            {Quote{Exact: "on stone", Start: 11, End: 19}, "on stone", 11},
		"moved":                   {Quote{Exact: "on wood", Start: 5, End: 12}, "on wood", 39},
		"without a place":         {Quote{Exact: "dies."}, "dies.", 57},
		"other white space":       {Quote{Exact: "moss grows on wood"}, "moss grows\non wood", 28},
		"white space around":      {Quote{Exact: " \n Moss\t"}, "Moss", 0},
		"by prefix":               {Quote{Exact: "moss", Prefix: "and "}, "moss", 52},
		"by suffix":               {Quote{Exact: "moss", Suffix: " dies"}, "moss", 52},
		"nearest":                 {Quote{Exact: "moss", Start: 48}, "moss", 52},
		"first":                   {Quote{Exact: "moss"}, "moss", 28},
		"a wrong place":           {Quote{Exact: "stone", Start: 1 << 40, End: 1 << 41}, "stone", 14},
		"after other letters":     {Quote{Exact: "ltere"}, "ltere", 22},
		"missing":                 {Quote{Exact: "fern"}, "", 0},
		"white space":             {Quote{Exact: " \n", Start: 4, End: 5}, "", 0},
		"only white space stored": {Quote{Exact: " ", Start: 4, End: 5}, "", 0},
		"longer than the text":    {Quote{Exact: text + "x"}, "", 0},
	} {
		got, ok := c.q.In(text)
		if ok != (c.exact != "") || got.Exact != c.exact || got.Start != c.start {
			t.Errorf("%s: %+v %v, want %q at %d", name, got, ok, c.exact, c.start)
		}
		if ok && string([]rune(text)[got.Start:got.End]) != got.Exact {
			t.Errorf("%s: the positions %d to %d do not match %q", name, got.Start, got.End, got.Exact)
		}
	}
	got, _ := Quote{Exact: "stone"}.In(text)
	if got.Prefix != "Moss grows on " || got.Suffix != ".\nÄltere moss grows\non wood, and" {
		t.Errorf("context %q, %q", got.Prefix, got.Suffix)
	}
}

// Finding again what was found leads to the same place, even in a text that repeats itself.
func TestQuoteInIsStable(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("a ", 50_000)
	first, ok := Quote{Exact: strings.Repeat("a", 500), Start: 1_001}.In(text)
	if !ok || first.Start != 1_000 && first.Start != 1_002 {
		t.Fatalf("%d, %v", first.Start, ok)
	}
	if again, _ := first.In(text); again != first {
		t.Errorf("%d, then %d", first.Start, again.Start)
	}
}
