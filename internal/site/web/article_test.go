package web

import (
	"strings"
	"testing"

	"vitrine/internal/domain"
	texts "vitrine/internal/markup"
)

func TestArticle(t *testing.T) {
	t.Parallel()
	for html, want := range map[string]string{
		`<h2>A</h2><p>b <a href="https://example.com">c</a></p>`:                                          `<h2>A</h2><p>b <a href="https://example.com">c</a></p>`,
		`<h3>A</h3><p><img src="https://example.com/a.png" alt="A &gt; b"/> c</p>`:                        `<h2>A</h2><p> c</p>`,
		`<p><a href="https://example.com"><img src="https://example.com/a.png" alt="d"/></a></p><p>e</p>`: `<p>e</p>`,
	} {
		if got := string(Article(&domain.Text{HTML: html}, nil)); got != want {
			t.Errorf("%s becomes %s", html, got)
		}
	}
}

// Marks are in the text that is shown, and never keep an empty link or paragraph.
func TestArticleWithMarks(t *testing.T) {
	t.Parallel()
	html := `<h2>Moss</h2><p><a href="https://example.com"> <img src="https://example.com/a.png"/> </a></p><p>on stone</p>`
	want := `<h2><mark id="h1" data-of="h1">Moss</mark></h2><p><mark data-of="h1">on</mark> stone</p>`
	if got := string(Article(&domain.Text{HTML: html}, []texts.Range{{Name: "h1", Start: 0, End: 8}})); got != want {
		t.Errorf("%s\nwant %s", got, want)
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
