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

// contents are the templates of what entries say.
var contents = template.Must(template.New("").ParseFS(templateFiles, "templates/*.html"))

// maxContent bounds the HTML of a text in a feed, in bytes; of a longer one its beginning
// is shown, as plain text of so many characters.
const (
	maxContent = 64 << 10
	maxExcerpt = 4_000
)

// blockHTML is what an entry says of a block.
func blockHTML(b present.Block) string {
	shown := struct {
		present.Block
		Text, Words template.HTML
		Cut         string // the beginning of a text that is too long
		External    string
		Linked      string // what the link to External says
	}{Block: b, External: b.Source().URL}
	if b.Type == domain.TextBlock && b.Content != nil {
		shown.Text, shown.Cut = whole(b.Content)
	}
	if b.Description != nil {
		shown.Words, _ = whole(b.Description)
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

// whole is the HTML of a text, which was sanitised when it was written, or else its
// beginning.
func whole(t *domain.Text) (html template.HTML, cut string) {
	if len(t.HTML) > maxContent {
		return "", present.Excerpt(t.Plain, maxExcerpt)
	}
	return template.HTML(t.HTML), ""
}

// channelHTML is what an entry says of a channel.
func channelHTML(c present.Channel) string {
	shown := struct {
		present.Channel
		Words template.HTML
	}{Channel: c}
	if c.Description != nil {
		shown.Words, _ = whole(c.Description)
	}
	return execute("channel", shown)
}

// execute runs a template. That it fails is a defect of ours, and the entry is empty then.
func execute(name string, data any) string {
	var b strings.Builder
	if err := contents.ExecuteTemplate(&b, name, data); err != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}
