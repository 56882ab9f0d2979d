package rowmap

import (
	"testing"

	"vitrine/internal/domain"
)

// Older versions stored URLs as they were sent.
func TestStoredURLs(t *testing.T) {
	t.Parallel()
	for stored, want := range map[string]string{
		"http://exämple.org/ä":    "http://xn--exmple-cua.org/%C3%A4",
		`http://x/a"b{c}`:         "http://x/a%22b%7Bc%7D",
		"https://example.org?a=b": "https://example.org?a=b",
		"http://a*b|c/":           "",
	} {
		got := ""
		if link := canonical(&stored); link != nil {
			got = *link
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", stored, got, want)
		}
		if e, err := embedValue(EmbedColumn(domain.Block{Embed: &domain.Embed{URL: stored}})); err != nil || e.URL != want {
			t.Errorf("%s in an Embed: got %v, %v", stored, e, err)
		}
	}
}
