package page

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"golang.org/x/net/html"
)

const sentence = "The river rose in the night, and in the morning the lower fields were under water. "

// article wraps parts of a text in a typical page.
func article(parts string) string {
	prose := "<p>" + strings.Repeat(sentence, 4) + "</p>"
	return `<!doctype html><html><head><title>The river</title></head><body>
		<nav class="menu"><ul><li><a href="/">Home</a><li><a href="/about">About us</a></ul></nav>
		<article><h1>The river</h1>` + prose + parts + prose + `</article>
		<aside class="sidebar"><a href="/ad">Buy a boat</a></aside><footer>Imprint</footer></body></html>`
}

func TestReadMarkdown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, html, want string }{
		{"inline", `<p>It <em>rose</em>, <strong>fast</strong>, <code>x*y</code>.</p>`, "It *rose*, **fast**, `x*y`."},
		{"heading", `<h2>Later, at noon</h2><p>` + sentence + `</p>`, "\n## Later, at noon\n"},
		{"list", `<p>They took:</p><ul><li>one boat, old</li><li>two oars, new</li></ul>`, "- one boat, old\n- two oars, new"},
		{"two lists", `<ul><li>one boat, old</li></ul><ul><li>two oars, new</li></ul>`, "- two oars, new"},
		{"quote", `<blockquote><p>We saw it, and ran.</p></blockquote>`, "> We saw it, and ran."},
		{"code", "<pre><code>a := <b>1</b>\n  b &lt; 2</code></pre>", "```\na := 1\n  b < 2\n```"},
		{"relative link", `<p>See <a href="../map?a=1&amp;b=(2)">the map</a>, please.</p>`, "[the map](https://www.a.example/map?a=1&b=%282%29)"},
		{"relative image", `<p>Look at it, here: <img src="/i.png" alt="The [river]"></p>`, `![The \[river\]](https://www.a.example/i.png)`},
		{"markup in the text of an image", "<p>Look at it, here: <img src=/i.png alt='<b>\\\\](javascript:x)`'></p>",
			"![&lt;b&gt;&#92;&#92;\\](javascript:x)&#96;](https://www.a.example/i.png)"},
		{"script link", `<p>See <a href="javascript:alert(1)">the map</a>, please.</p>`, "See the map, please."},
		{"data link", `<p>See <a href="data:text/html,x">the map</a>, please.</p>`, "See the map, please."},
		{"opaque link", `<p>See <a href="http:0<x">the map</a>, please.</p>`, "See the map, please."},
		{"mail", `<p>Ask <a href="mailto:ada@a.example">Ada</a>, please.</p>`, "Ask [Ada](mailto:ada@a.example), please."},
		{"telephone", `<p>Call <a href="tel:1">Ada</a>, please.</p>`, "Call Ada, please."},
		{"base", `<base href="https://b.example/x/"><p>See <a href="map">the map</a>, please.</p>`, "[the map](https://b.example/x/map)"},
		{"data image", `<p>See this, <img src="data:image/svg+xml,x" alt="x">please.</p>`, "See this, please."},
		{"markup as text", `<p>Write &lt;script&gt;alert(1)&lt;/script&gt; and *stars* and [x](y), please.</p>`,
			`Write &lt;script&gt;alert(1)&lt;/script&gt; and \*stars* and \[x](y), please.`},
		{"bell", "<p>Write \a[x](\a\uf002javascript:y), please.</p>", `Write \[x](javascript:y), please.`},
		{"number that is no list", `<p>1. It rose, and rose, and rose.</p>`, `1\. It rose`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := read(t, article(c.html))
			if !strings.Contains(p.Markdown, c.want) {
				t.Errorf("no %q in:\n%s", c.want, p.Markdown)
			}
			for _, outside := range []string{"About us", "Buy a boat", "Imprint"} {
				if strings.Contains(p.Markdown, outside) {
					t.Errorf("%q is no part of the article", outside)
				}
			}
			if problem := wrongMarkdown(p.Markdown); problem != "" {
				t.Error(problem)
			}
		})
	}
}

func TestReadNothingReadable(t *testing.T) {
	t.Parallel()
	for name, html := range map[string]string{
		"empty":   ``,
		"notice":  `<body><noscript>You need to enable JavaScript to run this app.</noscript><div id=root></div>`,
		"short":   `<p>Loading, please wait.</p>`,
		"menu":    `<div>` + strings.Repeat(`<p><a href=/x>`+sentence+`</a></p>`, 20) + `</div>`,
		"scripts": `<script>` + strings.Repeat(sentence, 20) + `</script>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if p := read(t, html); p.Markdown != "" {
				t.Errorf("got %q", p.Markdown)
			}
		})
	}
}

func TestProse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want bool
	}{
		{"<p>" + sentence + sentence, true},
		{"<p>" + sentence + sentence + "<a>" + sentence + "</a>", true},
		{"<p>" + sentence + sentence + "<a><b>" + sentence + sentence + sentence + "</b></a>", false},
		{"<p>" + strings.Repeat(" ", 100) + "Words.", false},
	} {
		doc, err := html.Parse(strings.NewReader(c.text))
		if err != nil {
			t.Fatal(err)
		}
		if got := prose(doc); got != c.want {
			t.Errorf("%s: got %t", c.text, got)
		}
	}
}

func TestReadLongMarkdown(t *testing.T) {
	t.Parallel()
	p := read(t, article(strings.Repeat("<p>"+strings.Repeat("é", 990)+", é</p>", 300)))
	if n := utf8.RuneCountInString(p.Markdown); n > maxMarkdown || n < maxMarkdown-2000 {
		t.Errorf("%d characters", n)
	}
	if !strings.HasSuffix(p.Markdown, "é, é") {
		t.Error("not cut at a paragraph")
	}
	code := read(t, article("<p>Now, code:</p><pre>"+strings.Repeat("x := 1\n\n", 20_000)+"</pre>"))
	if !strings.HasSuffix(code.Markdown, "Now, code:") {
		t.Errorf("cut within code: …%q", code.Markdown[max(len(code.Markdown)-50, 0):])
	}
}

// wrongMarkdown returns what is invalid about a page's Markdown, "" if nothing is.
func wrongMarkdown(markdown string) string {
	if !utf8.ValidString(markdown) || utf8.RuneCountInString(markdown) > maxMarkdown {
		return "the Markdown is not valid or too long"
	}
	source := []byte(markdown)
	problem := ""
	check := func(destination []byte) {
		u, err := url.Parse(string(destination))
		if err != nil || !web(u) && u.Scheme != "mailto" {
			problem = fmt.Sprintf("the Markdown links to %q", destination)
		}
	}
	_ = ast.Walk(goldmark.New().Parser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.RawHTML:
			problem = fmt.Sprintf("the Markdown has raw HTML: %q", n.Segments.Value(source))
		case *ast.HTMLBlock:
			problem = "the Markdown has a block of raw HTML"
		case *ast.Link:
			check(n.Destination)
		case *ast.Image:
			check(n.Destination)
		}
		return ast.WalkContinue, nil
	})
	return problem
}
