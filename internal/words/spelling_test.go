package words

import (
	"slices"
	"strings"
	"testing"
)

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"moss", "moss", 0}, {"moss", "mos", 1}, {"mos", "moss", 1}, {"moss", "miss", 1}, {"moss", "omss", 1}, {"langauge", "language", 1},
		{"abcd", "acbd", 1}, {"ca", "abc", 3}, {"teh", "the", 1}, {"architecure", "architecture", 1}, {"gesellschfat", "gesellschaft", 1},
		{"typograhpy", "typography", 1}, {"sittin", "kitten", 2}, {"городд", "город", 1}, {"Müsik", "Musik", 1}, {"", "ab", 2}, {"abc", "xyz", 3},
		{"abcdefgh", "badcefgh", 2}, {"한국어", "한국", 1},
	} {
		for most := range 4 {
			want := min(row.want, most+1)
			if got := min(Distance([]rune(row.a), []rune(row.b), most), most+1); got != want {
				t.Errorf("from %q to %q: %d of at most %d, want %d", row.a, row.b, got, most, want)
			}
			if got := min(Distance([]rune(row.b), []rune(row.a), most), most+1); got != want {
				t.Errorf("from %q to %q: %d of at most %d, want %d", row.b, row.a, got, most, want)
			}
		}
	}
	if got := Distance([]rune(strings.Repeat("ab", 50)), []rune(strings.Repeat("ba", 50)), 200); got != 201 {
		t.Errorf("words that are too long have the distance %d", got)
	}
}

func TestSpellings(t *testing.T) {
	t.Parallel()
	d := Make("Die Häuser an der U-Bahn", "die Häuser, 東京 tower 1984 x2y Ærø हिन्दी 한국어 "+strings.Repeat("a", 41))
	if got, want := d.Spellings(), []string{"die", "hauser", "der", "bahn", "tower", "aero", "हिन्दी", "한국어"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Only plain words of a query can be misspelled.
func TestMisspelledParts(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"langauge": "langauge", "Die Häusre, langauge!": "hausre langauge", "cat": "", "x2yz": "", "1984": "", "nothing more": "nothing more",
		`"langauge"`: "", `"langauge`: "", `mossy "langauge"`: "mossy", "-langauge moss": "moss", "langauge -moss": "langauge",
		"title:langauge": "", "site:langauge.org": "", "in:langauge moss": "moss", "by:langauge moss": "moss", "moss OR langauge": "", "moss OR fern langauge": "langauge",
		"https://langauge.example": "", "langauge.example": "", "@langauge": "", "#langauge": "", "don't": "", "C++ moss": "moss", "東京 moss": "moss",
		"before:langauge moss": "moss", "(langauge)": "", "-langauge before:never": "", "*": "", "": "", strings.Repeat("a", 41): "",
	} {
		var got []string
		q := Parse(query)
		for i, p := range q.Parts {
			if p.Word == "" {
				continue
			}
			got = append(got, p.Word)
			if single := q.Only(i); !slices.Equal(single.Terms[0].Words, []string{p.Word}) || len(single.Terms) != 1 {
				t.Errorf("%q: the term of %q is %+v", query, p.Word, single.Terms)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q has %q, want %q", query, got, want)
		}
	}
}

func TestReplacing(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		query string
		with  map[int][]string
		want  string
	}{
		{"langauge", map[int][]string{0: {"language"}}, "language"},
		{"langauge", map[int][]string{0: nil}, ""},
		{"modern langauge", map[int][]string{1: {"language", "languages"}}, "modern language|languages"},
		{"langauge modern", map[int][]string{0: {"language"}}, "language modern*"},
		{"x OR y langauge title:modern -moss", map[int][]string{1: {"language"}}, "x|y language title modern -moss"},
		{`"old moss" fren mrdern`, map[int][]string{1: {"fern"}, 2: nil}, "old+moss fern"},
	} {
		q := Parse(row.query)
		if got := explain(q.Replacing(row.with)); got != row.want {
			t.Errorf("%q: %q, want %q", row.query, got, row.want)
		}
	}
	if got := Rewritten(Parse(`"old moss"  fren site:x.example`).Parts, map[int]string{1: "fern"}); got != `"old moss" fern site:x.example` {
		t.Errorf("rewritten as %q", got)
	}
}
