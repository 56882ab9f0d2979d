package markup

import (
	"strings"
	"testing"
)

func TestCharacters(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"", ""},
		{"<p>Moss &amp; <em>fern</em></p>\n<p>grow</p>", "Moss & fern\ngrow"},
		{`<p>Ä<img src="https://x.example/a.png" alt="A fern"><br>ö</p>`, "Äö"},
		{"Just text", "Just text"},
	} {
		if got := Characters(c[0]); got != c[1] {
			t.Errorf("%q: %q, want %q", c[0], got, c[1])
		}
	}
}

func TestMark(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		html   string
		ranges []Range
		want   string
	}{
		"none":           {"<p>Moss</p>", nil, "<p>Moss</p>"},
		"inside":         {"<p>Möss grows</p>", []Range{{"h1", 1, 4}}, `<p>M<mark id="h1" data-of="h1">öss</mark> grows</p>`},
		"over elements":  {"<p>a <em>b</em></p>\n<p>c</p>", []Range{{"h1", 0, 5}}, `<p><mark id="h1" data-of="h1">a </mark><em><mark data-of="h1">b</mark></em></p>` + "\n" + `<p><mark data-of="h1">c</mark></p>`},
		"overlap":        {"<p>abcd</p>", []Range{{"h1", 0, 3}, {"h2", 1, 4}}, `<p><mark id="h1" data-of="h1">a</mark><mark id="h2" data-of="h2">bc</mark><mark data-of="h2">d</mark></p>`},
		"same":           {"<p>ab</p>", []Range{{"h1", 0, 2}, {"h2", 0, 2}}, `<p><mark id="h2" data-of="h2"><mark id="h1" data-of="h1">ab</mark></mark></p>`},
		"escaped":        {"<p>a &lt;b&gt; c</p>", []Range{{"h1", 2, 5}}, `<p>a <mark id="h1" data-of="h1">&lt;b&gt;</mark> c</p>`},
		"beyond the end": {"<p>ab</p>", []Range{{"h1", 1, 9}, {"h2", 7, 9}, {"h3", 1, 1}}, `<p>a<mark id="h1" data-of="h1">b</mark></p>`},
		"top level":      {"ab", []Range{{"h1", 0, 1}}, `<mark id="h1" data-of="h1">a</mark>b`},
	} {
		got := Mark(c.html, c.ranges)
		if got != c.want {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
		if Characters(got) != Characters(c.html) {
			t.Errorf("%s: the characters changed", name)
		}
	}
}

// A long text with many highlights is marked in a moment.
func TestMarkMuch(t *testing.T) {
	t.Parallel()
	html := strings.Repeat("<p>moss <b>fern</b></p>", 20_000)
	var ranges []Range
	for i := range 200 {
		ranges = append(ranges, Range{"h" + strings.Repeat("x", i), i * 10, 180_000 - i*10})
	}
	if got := Mark(html, ranges); Characters(got) != Characters(html) {
		t.Error("the characters changed")
	}
}
