package page

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// hostile are pages that are made to cost much.
func hostile() map[string]string {
	many := func(n int, part string) string { return strings.Repeat(part, n/len(part)) }
	counted := func(n int, format string) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	const mib = 1 << 20
	prose := "<p>" + many(2000, "Some ordinary words, and more of them. ") + "</p>"
	return map[string]string{
		"depth 100,000":          many(5*100_000, "<div>") + prose,
		"depth 500":              many(5*490, "<div>") + prose,
		"depth 500, wide":        many(mib, many(5*400, "<div>")+"some words, and more"+many(6*400, "</div>")),
		"quotes in depth":        many(12*480, "<blockquote>") + prose,
		"lists in depth":         many(8*240, "<ul><li>") + prose,
		"lists in depth, many":   many(mib/4, many(8*200, "<ul><li>")+"some words, and more"+many(10*200, "</li></ul>")),
		"one tag of attributes":  "<div " + counted(5*mib, "a%d=b ") + ">" + prose,
		"same attribute":         "<meta " + many(5*mib, "content=a ") + "name=description>" + prose,
		"one long attribute":     `<meta name=description content="` + many(5*mib, "word ") + `">` + prose,
		"a tag that never ends":  prose + "<a href=\"" + many(5*mib, "<a href="),
		"scripts of JSON-LD":     many(5*mib, `<script type="application/ld+json">{"@type":"Article","headline":"x"}</script>`),
		"depth in JSON-LD":       `<script type="application/ld+json">` + many(mib, `{"@graph":[`) + `</script>`,
		"things in JSON-LD":      `<script type="application/ld+json">[` + many(mib-100, `{"@type":"Article"},`) + `0]</script>`,
		"metas":                  many(5*mib, `<meta property="og:image" content="/a">`),
		"images":                 counted(5*mib, `<meta property="og:image" content="/%d">`),
		"bases":                  many(5*mib, `<base href="/a">`),
		"links":                  many(5*mib, `<a href=x>y</a>`),
		"open links":             many(mib, `<a href=x>y`),
		"open formatting":        counted(mib, `<b id=%d>`),
		"formatting, paragraphs": counted(50_000, `<font id=%d>x<p>`),
		"misnested":              many(mib, `<a><b></a></b>`),
		"tables":                 many(mib, `<table><tr><td>x`),
		"foster parents":         "<table>" + many(mib, `<b>x</b><td>`),
		"selects":                many(mib, `<select><option>`),
		"paragraphs":             many(5*mib, "<p>"+many(200, "Words, words. ")+"</p>"),
		"short paragraphs":       many(5*mib, "<p>a, b</p>"),
		"breaks":                 prose + many(5*mib, "<br>"),
		"breaks in a paragraph":  "<p>" + many(500_000, "x<br><br>"),
		"white space":            "<title>" + many(5*mib, " \n"),
		"brackets":               "<article><p>" + many(mib/2, "[") + "</p></article>",
		"stars":                  "<article><p>" + many(mib/2, "*a _b ") + "</p></article>",
		"backticks":              "<article><p>words, " + many(mib/2, "` `` ") + "</p></article>",
		"code":                   "<article><pre>" + many(mib/2, "``` \n") + "</pre></article>",
		"one text":               "<article><p>" + many(5*mib, "word, ") + "</p></article>",
		"text without an end":    "<article><p>" + many(5*mib, "w") + "</p></article>",
		"spans":                  "<article><p>" + many(mib, "<span>word, </span>") + "</p></article>",
		"emphasis":               "<article><p>" + many(mib, "<em>a</em>") + "</p></article>",
		"items":                  "<article><ul>" + many(mib, "<li>words, words") + "</ul></article>",
		"rows":                   "<article><table>" + many(mib, "<tr><td>words, words<td>2</tr>") + "</table></article>",
		"columns":                "<article><table><tr><td colspan=99999999 rowspan=99999999>x</table>" + prose,
		"entities":               "<title>" + many(5*mib, "&amp;") + "</title>",
		"comments":               prose + many(5*mib, "<!-- x -->"),
		"noscripts":              many(mib, "<noscript><img src=x></noscript>"),
		"templates":              many(mib, "<template>"),
		"drawings":               many(mib, "<svg><title>x</title>"),
		"unlikely":               many(mib, `<div class="comment sidebar" style="display: none">`+many(100, "word, ")+"</div>"),
		"titles to compare":      "<title>" + many(mib, "a | b - ") + "</title><h1>" + many(mib, "a | ") + "</h1>" + prose,
		"headings":               "<title>" + many(100_000, "word ") + "</title>" + many(mib, "<h2>"+many(1000, "word ")+"</h2>"),
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
