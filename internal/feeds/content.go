package feeds

import (
	"embed"
	"html/template"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/present"
)

//go:embed templates
var templateFiles embed.FS

// contents are the templates of the entries' HTML.
var contents = template.Must(template.New("").ParseFS(templateFiles, "templates/*.html"))

// maxContent limits the HTML of a text in a feed, in bytes. Longer texts are replaced by their
// first maxExcerpt characters as plain text.
const (
	maxContent = 64 << 10
	maxExcerpt = 4_000
)

// blockHTML returns the HTML of a block's entry.
func blockHTML(b present.Block) string {
	shown := struct {
		present.Block
		Text, Words template.HTML
		Cut         string // excerpt of a text that is too long
		External    string
		Linked      string // text of the link to External
	}{Block: b, External: b.Source().URL}
	if b.Type == domain.TextBlock && b.Content != nil {
		shown.Text, shown.Cut = fullContent(b.Content)
	}
	if b.Description != nil {
		shown.Words, _ = fullContent(b.Description)
	}
	if shown.External != "" {
		shown.Linked = b.Source().Provider.Shown()
		if b.Type == domain.LinkBlock {
			shown.Linked = b.Source().Place()
		}
		if title := b.Source().Title; title != nil && strings.TrimSpace(*title) != "" {
			shown.Linked = *title
		}
	}
	return execute("block", shown)
}

// fullContent returns the HTML of a text, which was sanitized when it was saved, or an excerpt if it is
// too long.
func fullContent(t *domain.Text) (html template.HTML, cut string) {
	if len(t.HTML) > maxContent {
		return "", present.Excerpt(t.Plain, maxExcerpt)
	}
	return template.HTML(t.HTML), ""
}

// channelHTML returns the HTML of a channel's entry.
func channelHTML(c present.Channel) string {
	shown := struct {
		present.Channel
		Words template.HTML
	}{Channel: c}
	if c.Description != nil {
		shown.Words, _ = fullContent(c.Description)
	}
	return execute("channel", shown)
}

// execute runs a template. If it fails, which is a bug, the entry is empty.
func execute(name string, data any) string {
	var b strings.Builder
	if err := contents.ExecuteTemplate(&b, name, data); err != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}
