package rowmap

import (
	"testing"

	"vitrine/internal/domain"
)

// The facts about a page are read from the columns of all versions. Earlier ones also stored the URL of the author.
func TestStoredPages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		stored string
		want   domain.PageMetadata
	}{
		{`{"type":"link","source_url":"https://example.org/a","author_name":"Ada","author_url":"https://example.org/ada"}`,
			domain.PageMetadata{Canonical: "https://example.org/a", AuthorName: "Ada"}},
		{*embedColumn(domain.Block{Type: domain.LinkBlock, Page: &domain.PageMetadata{AuthorName: "Bob"}}), domain.PageMetadata{AuthorName: "Bob"}},
		{`{}`, domain.PageMetadata{}},
	} {
		if got, err := PageValue(&c.stored); err != nil || *got != c.want {
			t.Errorf("%s: got %+v, %v", c.stored, got, err)
		}
	}
	if got, err := PageValue(nil); got != nil || err != nil {
		t.Errorf("NULL: got %+v, %v", got, err)
	}
	broken := "{"
	if _, err := PageValue(&broken); err == nil {
		t.Error("broken JSON is accepted")
	}
}

// The column of an attachment has what its audio file says about itself, or an Embed.
func TestStoredSounds(t *testing.T) {
	t.Parallel()
	moss := domain.Sound{Artist: "Ada", Seconds: 61}
	if got, err := soundValue(embedColumn(domain.Block{Type: domain.AttachmentBlock, Sound: &moss})); err != nil || got == nil || *got != moss {
		t.Errorf("got %+v, %v, want %+v", got, err, moss)
	}
	other := embedColumn(domain.Block{Type: domain.AttachmentBlock, Embed: &domain.Embed{Type: "video", URL: "https://example.org/1"}})
	for _, stored := range []*string{nil, other} {
		if got, err := soundValue(stored); got != nil || err != nil {
			t.Errorf("got %+v, %v for no sound", got, err)
		}
	}
	broken := "{"
	if _, err := soundValue(&broken); err == nil {
		t.Error("broken JSON is accepted")
	}
}

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
		if link := Canonical(&stored); link != nil {
			got = *link
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", stored, got, want)
		}
		if e, err := embedValue(embedColumn(domain.Block{Embed: &domain.Embed{URL: stored}})); err != nil || e.URL != want {
			t.Errorf("%s in an Embed: got %v, %v", stored, e, err)
		}
	}
}
