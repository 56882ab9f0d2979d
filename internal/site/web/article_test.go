package web

import (
	"strings"
	"testing"

	"vitrine/internal/domain"
)

func TestArticle(t *testing.T) {
	t.Parallel()
	for html, want := range map[string]string{
		`<h2>A</h2><p>b <a href="https://example.com">c</a></p>`:                                          `<h2>A</h2><p>b <a href="https://example.com">c</a></p>`,
		`<h3>A</h3><p><img src="https://example.com/a.png" alt="A &gt; b"/> c</p>`:                        `<h2>A</h2><p> c</p>`,
		`<p><a href="https://example.com"><img src="https://example.com/a.png" alt="d"/></a></p><p>e</p>`: `<p>e</p>`,
	} {
		if got := string(article(&domain.Text{HTML: html}, 1)); got != want {
			t.Errorf("%s becomes %s", html, got)
		}
	}
}

func TestReadingMinutes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"": 1, "a short text": 1, strings.Repeat("word ", 920): 4, strings.Repeat("苔は湿った場所に生える。", 200): 4, // 11 of 12 characters count
	} {
		if got := readingMinutes(&domain.Text{Plain: text}); got != want {
			t.Errorf("%d minutes for %.12q…, want %d", got, text, want)
		}
	}
}
