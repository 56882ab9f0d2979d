package page

import (
	"strings"
	"testing"
)

// Words of a page stay separate, and items of lists keep their numbers.
func TestReadableStructure(t *testing.T) {
	t.Parallel()
	const filler = "<p>A paragraph of words that is long enough to be taken for the text of an article, since it goes on for a while.</p>"
	for name, c := range map[string]struct{ html, want string }{
		"table": {`<table><caption>Prices</caption><thead><tr><th>Name</th><th>Price</th></tr></thead><tbody><tr><td>Apple</td><td>3</td></tr>
			<tr><td><p>Pear<br>green</p></td><td><a href="/x">4</a></td></tr></tbody></table>`,
			"Prices\n\nName | Price  \nApple | 3  \nPear green | [4](https://www.a.example/x)"},
		"names of elements":   {`<table><tr><td>td</td><td>tr</td><td>th</td></tr></table>`, "td | tr | th"},
		"empty cells":         {`<table><tr><td>a</td><td></td><td>c</td></tr></table>`, "a | | c"},
		"one column":          {`<table><tr><td>one</td></tr><tr><td>two</td></tr></table>`, "one\n\ntwo"},
		"layout":              {`<table><tr><td><p>one</p><p>two</p></td><td>three</td></tr></table>`, "one\n\ntwo\n\nthree"},
		"table in a table":    {`<table><tr><td>x<table><tr><td>a</td><td>b</td></tr></table></td><td>y</td></tr></table>`, "x\n\na | b\n\ny"},
		"start":               {`<ol start="5"><li>five</li><li>six</li></ol>`, "5. five\n6. six"},
		"start at zero":       {`<ol start="0"><li>a</li><li>b</li></ol>`, "0. a\n1. b"},
		"below zero":          {`<ol start="-1"><li>a</li><li>b</li></ol>`, "-1. a\n\n0\\. b"},
		"no number":           {`<ol start="x"><li>a</li></ol>`, "1. a"},
		"reversed":            {`<ol reversed><li>b</li><li>a</li></ol>`, "2\\. b\n\n1\\. a"},
		"reversed from":       {`<ol reversed start=9><li>b</li><li>a</li></ol>`, "9\\. b\n\n8\\. a"},
		"value":               {`<ol><li>one</li><li value="7"><p>seven</p><p>more</p></li><li>eight</li></ol>`, "1\\. one\n\n7\\. seven\n\nmore\n\n8\\. eight"},
		"values in order":     {`<ol><li value=1>one</li><li value=2>two</li></ol>`, "1. one\n2. two"},
		"huge":                {`<ol start="99999999999"><li>a</li></ol>`, "1. a"},
		"lines":               {`<p>line one<br>line two</p>`, "line one  \nline two"},
		"code":                {"<pre>code\n  more\n\n<b>x</b> *a*</pre>", "```\ncode\n  more\n\nx *a*\n```"},
		"definitions":         {`<dl><dt>Term</dt><dd>Meaning</dd><dt>Two</dt><dd>Other</dd></dl>`, "Term\n\nMeaning\n\nTwo\n\nOther"},
		"details":             {`<details><summary>Sum</summary>hidden words</details>`, "Sum\n\nhidden words"},
		"section and address": {`<section>one<address>two</address></section><article>three</article>`, "one\n\ntwo\n\nthree"},
	} {
		got := read(t, "<html><body><article><h1>T</h1>"+filler+c.html+filler+filler+"</article></body></html>").Markdown
		parts := strings.Split(got, strings.TrimSuffix(strings.TrimPrefix(filler, "<p>"), "</p>"))
		if len(parts) != 4 || strings.TrimSpace(parts[1]) != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
