package page

import (
	"fmt"
	"strings"
	"testing"
)

// typical returns a page of about 200 KB: mostly menus, scripts and attributes, and an article of
// about 1,500 words.
func typical() []byte {
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>The river | The Paper</title><meta property="og:title" content="The river">
		<meta property="og:image" content="/river.jpg"><script type="application/ld+json">{"@type":"NewsArticle","headline":"The river"}</script>`)
	for range 100 {
		b.WriteString(`<script>` + strings.Repeat("window.x=function(a){return a<1};", 16) + `</script>`)
	}
	b.WriteString(`</head><body><nav>`)
	for i := range 750 {
		fmt.Fprintf(&b, `<div class="menu-item item-%d" data-tracking="menu:%d"><a class="link link--menu" href="/section/%d">Section %d</a></div>`, i, i, i, i)
	}
	b.WriteString(`</nav><main><article><h1>The river</h1>`)
	for i := range 40 {
		fmt.Fprintf(&b, `<p class="paragraph">%s<a href="/more/%d">More</a>, <em>they say</em>.</p>`, strings.Repeat(sentence, 3), i)
	}
	b.WriteString(`</article></main><footer>`)
	for i := range 250 {
		fmt.Fprintf(&b, `<div class="teaser"><a href="/t/%d"><img src="/t/%d.jpg" alt="Teaser" width="100" height="100"><span>Something else</span></a></div>`, i, i)
	}
	return []byte(b.String())
}

func BenchmarkRead(b *testing.B) {
	body := typical()
	at := address(b, here)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		p, err := Read(at, "text/html; charset=utf-8", body)
		if err != nil || p.Markdown == "" {
			b.Fatal("nothing read")
		}
	}
}

func BenchmarkScan(b *testing.B) {
	body := typical()
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		scan(body)
	}
}
