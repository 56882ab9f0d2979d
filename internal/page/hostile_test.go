package page

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"
)

// hostile returns pages that are designed to be expensive.
func hostile() map[string]string {
	many := func(n int, part string) string { return strings.Repeat(part, n/len(part)) }
	counted := func(n int, format string) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	const much = 1 << 16 // bytes
	prose := "<p>" + many(2000, "Some ordinary words, and more of them. ") + "</p>"
	return map[string]string{
		"depth 100,000":          many(5*100_000, "<div>") + prose,
		"depth 500":              many(5*490, "<div>") + prose,
		"depth 500, wide":        many(much, many(5*400, "<div>")+"some words, and more"+many(6*400, "</div>")),
		"quotes in depth":        many(12*480, "<blockquote>") + prose,
		"lists in depth":         many(8*240, "<ul><li>") + prose,
		"lists in depth, many":   many(much/4, many(8*200, "<ul><li>")+"some words, and more"+many(10*200, "</li></ul>")),
		"one tag of attributes":  "<div " + counted(5*much, "a%d=b ") + ">" + prose,
		"same attribute":         "<meta " + many(5*much, "content=a ") + "name=description>" + prose,
		"one long attribute":     `<meta name=description content="` + many(5*much, "word ") + `">` + prose,
		"a tag that never ends":  prose + "<a href=\"" + many(5*much, "<a href="),
		"scripts of JSON-LD":     many(5*much, `<script type="application/ld+json">{"@type":"Article","headline":"x"}</script>`),
		"depth in JSON-LD":       `<script type="application/ld+json">` + many(much, `{"@graph":[`) + `</script>`,
		"things in JSON-LD":      `<script type="application/ld+json">[` + many(much-100, `{"@type":"Article"},`) + `0]</script>`,
		"metas":                  many(5*much, `<meta property="og:image" content="/a">`),
		"images":                 counted(5*much, `<meta property="og:image" content="/%d">`),
		"bases":                  many(5*much, `<base href="/a">`),
		"links":                  many(5*much, `<a href=x>y</a>`),
		"open links":             many(much, `<a href=x>y`),
		"open formatting":        counted(much, `<b id=%d>`),
		"formatting, paragraphs": counted(50_000, `<font id=%d>x<p>`),
		"misnested":              many(much, `<a><b></a></b>`),
		"tables":                 many(much, `<table><tr><td>x`),
		"foster parents":         "<table>" + many(much, `<b>x</b><td>`),
		"selects":                many(much, `<select><option>`),
		"paragraphs":             many(5*much, "<p>"+many(200, "Words, words. ")+"</p>"),
		"short paragraphs":       many(5*much, "<p>a, b</p>"),
		"breaks":                 prose + many(5*much, "<br>"),
		"breaks in a paragraph":  "<p>" + many(500_000, "x<br><br>"),
		"blank heading":          "<h1>" + many(maxHeading-1, " ") + "<b>" + many(maxHeading, " ") + many(10*much, "<p>"),
		"white space":            "<title>" + many(5*much, " \n"),
		"brackets":               "<article><p>" + many(much/2, "[") + "</p></article>",
		"stars":                  "<article><p>" + many(much/2, "*a _b ") + "</p></article>",
		"backticks":              "<article><p>words, " + many(much/2, "` `` ") + "</p></article>",
		"code":                   "<article><pre>" + many(much/2, "``` \n") + "</pre></article>",
		"one text":               "<article><p>" + many(5*much, "word, ") + "</p></article>",
		"text without an end":    "<article><p>" + many(5*much, "w") + "</p></article>",
		"spans":                  "<article><p>" + many(much, "<span>word, </span>") + "</p></article>",
		"emphasis":               "<article><p>" + many(much, "<em>a</em>") + "</p></article>",
		"items":                  "<article><ul>" + many(much, "<li>words, words") + "</ul></article>",
		"rows":                   "<article><table>" + many(much, "<tr><td>words, words<td>2</tr>") + "</table></article>",
		"columns":                "<article><table><tr><td colspan=99999999 rowspan=99999999>x</table>" + prose,
		"entities":               "<title>" + many(5*much, "&amp;") + "</title>",
		"comments":               prose + many(5*much, "<!-- x -->"),
		"noscripts":              many(much, "<noscript><img src=x></noscript>"),
		"templates":              many(much, "<template>"),
		"drawings":               many(much, "<svg><title>x</title>"),
		"unlikely":               many(much, `<div class="comment sidebar" style="display: none">`+many(100, "word, ")+"</div>"),
		"titles to compare":      "<title>" + many(much, "a | b - ") + "</title><h1>" + many(much, "a | ") + "</h1>" + prose,
		"headings":               "<title>" + many(100_000, "word ") + "</title>" + many(much, "<h2>"+many(1000, "word ")+"</h2>"),
	}
}

func address(t testing.TB, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// Without limits, any of these would take minutes or crash the program.
func TestHostile(t *testing.T) {
	t.Parallel()
	at := address(t, "https://a.example/x")
	for name, body := range hostile() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := Read(at, "text/html", []byte(body))
			if err != nil {
				t.Fatal(err)
			}
			if problem := wrong(p, at); problem != "" {
				t.Error(problem)
			}
			if n := utf8.RuneCountInString(p.Markdown); n > maxMarkdown {
				t.Errorf("%d characters of Markdown", n)
			}
		})
	}
}
