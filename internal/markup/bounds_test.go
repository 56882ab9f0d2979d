package markup

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/heavy"
)

// fill repeats a unit up to n bytes.
func fill(unit string) func(n int) string {
	return func(n int) string { return strings.Repeat(unit, n/len(unit)+1)[:n] }
}

// pair repeats one unit over the first half and another over the second.
func pair(first, second string) func(n int) string {
	return func(n int) string { return fill(first)(n/2) + fill(second)(n/2) }
}

// hostile maps names to functions that return texts of a given length. For these texts, an
// unlimited Markdown parser needs more than linear time, or its output is longer than linear.
var hostile = map[string]func(n int) string{
	"brackets":             fill("["),
	"nested brackets":      pair("[", "]"),
	"nested images":        pair("![", "](b)"),
	"link beginnings":      fill("[a]("),
	"empty link begins":    fill("[]("),
	"link destinations":    fill("[a](<b"),
	"links over lines":     fill("[a](b\n"),
	"reference begins":     fill("[a]["),
	"emphasis":             fill("*a "),
	"mixed emphasis":       fill("*a _b "),
	"crossed emphasis":     pair("*a ", "a_ "),
	"strong and not":       fill("a**b c* "),
	"underscores":          fill("*_"),
	"emphasis in links":    fill("[*a](b)"),
	"quotes":               fill("> "),
	"tight quotes":         fill(">"),
	"lists":                fill("- "),
	"numbers":              fill("1. "),
	"quoted lists":         fill("> - "),
	"deep list, blanks":    pair("- ", "\n"),
	"deep list, lines":     pair("- ", "b\n"),
	"deep quote, lines":    pair("> ", "b\n"),
	"comments":             fill("<!--"),
	"comments in text":     fill("a <!-- b\n"),
	"declarations":         fill("a <!A"),
	"instructions":         fill("a <?"),
	"sections":             fill("a <![CDATA["),
	"backticks":            fill("`"),
	"single backticks":     fill("` "),
	"escaped backticks":    fill("\\``\n"),
	"unequal backticks":    unequalBackticks,
	"tags":                 fill("<b>"),
	"lists of tags":        fill("<ul><li>"),
	"unclosed then closed": pair("<b>", "</i>"),
	"scripts":              fill("a<script>"),
	"paragraph tags":       fill("<b><p>"),
	"attributes":           fill("<a x='"),
	"entities":             fill("&#x1;"),
	"definitions":          fill("[a]: b\n"),
	"definitions and uses": fill("[x]: y\n[x] "),
	"definition titles":    fill("[a]: b\n\"c\n"),
	"one large definition": func(n int) string {
		return "[a]: /" + fill("u")(n/2) + "\n\n" + fill("[a] ")(n/2)
	},
	"paragraph of lines": fill("a\n"),
	"line ends":          fill("\n"),
	"hard breaks":        fill("a\\\n"),
	"addresses":          fill(" a@b.c"),
	"domains":            fill("*www.a.b"),
	"URLs":               fill("(http://a.b/("),
	"rules":              fill("- - -\n"),
	"NUL":                fill("\x00"),
	"not UTF-8":          fill("\xff"),
}

func unequalBackticks(n int) string {
	var b strings.Builder
	for i := 1; b.Len() < n; i++ {
		b.WriteString(strings.Repeat("`", i) + "a")
	}
	return b.String()
}

// TestHostileInput does not measure time. Quadratic work at this length exceeds the time limit of
// the package's tests.
func TestHostileInput(t *testing.T) {
	t.Parallel()
	length := heavy.Count(20_000, 200_000)
	for name, generate := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Render(generate(length))
			if len(got.HTML) > 20*length || len(got.Plain) > 20*length {
				t.Errorf("%d bytes of HTML, %d of text", len(got.HTML), len(got.Plain))
			}
			short := generate(length / 20)
			checkSafe(t, short, Render(short).HTML)
		})
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, source string
		tag          string
		want         int
	}{
		{"quotes, allowed", strings.Repeat("> ", 20) + "a", "<blockquote>", 20},
		{"quotes", strings.Repeat("> ", 200) + "a", "<blockquote>", maxOpenBlocks},
		{"lists, allowed", strings.Repeat("- ", 10) + "a", "<ul>", 10},
		{"lists", strings.Repeat("- ", 200) + "a", "<ul>", maxOpenBlocks / 2},
		{"emphasis", strings.Repeat("*a* ", 2000), "<em>", maxDelimiters / 2},
		{"emphasis by paragraph", strings.Repeat("*a* *b*\n\n", 2000), "<em>", 4000},
		{"open brackets", strings.Repeat("[", 50) + "[a](http://b.example)", "<a ", 1},
		{"too many open brackets", strings.Repeat("[", 200) + "[a](/b)", "<a ", 0},
		{"links", strings.Repeat("[a](http://b.example) ", 3000), "<a ", 3000},
		{"failed links", strings.Repeat("[a](b\n", 99) + "[c](http://d.example)", "<a ", 1},
		{"too many failed links", strings.Repeat("[a](b\n", 200) + "[c](http://d.example)", "<a ", 0},
		{"failed links by paragraph", strings.Repeat("[a](b\n", 200) + "\n[c](http://d.example)", "<a ", 1},
		{"paragraph", strings.Repeat("a\n", 1000), "<p>", 1},
		{"long paragraph", strings.Repeat("a\n", 2001), "<p>", 3},
		{"long paragraph, indented", "a\n" + strings.Repeat("      a\n", 1500), "<p>", 2},
		{"code after unclosed code", "`` a ` b `", "<code>", 1},
		{"code in the next paragraph", "`` a\n\n`` b ``", "<code>", 1},
		{"tags", strings.Repeat("<b>", 300) + "a", "<b>", maxDepth - 1},
		{"beyond any limit", strings.Repeat("*a*\n\n", maxBytes/5+1), "<em>", 0},
	}
	for _, test := range tests {
		got := Render(test.source)
		checkSafe(t, test.source, got.HTML)
		if n := strings.Count(got.HTML, test.tag); n != test.want {
			t.Errorf("%s: %d times %s, want %d", test.name, n, test.tag, test.want)
		}
	}
}

func TestReferenceAllowance(t *testing.T) {
	t.Parallel()
	address := "http://a.example/" + strings.Repeat("x", 983)
	source := fmt.Sprintf("[a]: %s\n\n%s", address, strings.Repeat("[a]\n\n", 1000))
	uses := strings.Count(Render(source).HTML, "<a ")
	if want := (len(source) + referenceAllowance) / 1000; uses != want {
		t.Errorf("%d uses of one definition, want %d", uses, want)
	}
}

// The limits must not change the parsing of ordinary text.
func TestLimitsLeaveOrdinaryTextAlone(t *testing.T) {
	t.Parallel()
	tests := []struct{ source, want string }{
		{"> a\nb", "<blockquote>\n<p>a<br>\nb</p>\n</blockquote>"},
		{"- a\nb", "<ul>\n<li>a<br>\nb</li>\n</ul>"},
		{"a\n    b", "<p>a<br>\nb</p>"},
		{"a\n> b", "<p>a</p>\n<blockquote>\n<p>b</p>\n</blockquote>"},
		{"a\n- b", "<p>a</p>\n<ul>\n<li>b</li>\n</ul>"},
		{"a\n===\nb", "<h1>a</h1>\n<p>b</p>"},
		{"    a\nb", "<pre><code>a\n</code></pre>\n<p>b</p>"},
		{"[a]: http://b.example\n[a]", `<p><a href="http://b.example" target="_blank" rel="nofollow noopener">a</a></p>`},
		{"- a\n\n      b\n\n  c", "<ul>\n<li>\n<p>a</p>\n<pre><code>b\n</code></pre>\n<p>c</p>\n</li>\n</ul>"},
	}
	for _, test := range tests {
		if got := Render(test.source).HTML; got != test.want {
			t.Errorf("%q gives\n%s\nwant\n%s", test.source, got, test.want)
		}
	}
}
