// Package markup converts Markdown of users to safe HTML and to plain text. Markdown is CommonMark
// with bare addresses linked and line breaks kept (behaviour.md section 3). Texts are rendered
// when they are written, since rendering takes some milliseconds per 10 KB of ordinary text.
package markup

import (
	"bytes"
	"html"
	"strings"
)

// maxBytes is the length beyond which a text is shown literally. It exceeds every limit of the
// API, so it only limits the cost of a mistake.
const maxBytes = 1 << 20

// Text is a text in the three forms of the API. All are valid UTF-8 without NUL, so that any
// database can store them.
type Text struct {
	Markdown string // as written
	HTML     string // sanitised, block level, every element closed
	Plain    string // without markup, a link as "text (url)"
}

// Render renders Markdown. It accepts any input, even a hostile one, in nearly linear time: beyond
// the limits in bounds.go, markup stays literal text. It is safe for concurrent use.
//
// Raw HTML in the Markdown is kept: CommonMark allows it, and people use it for what Markdown
// lacks (sub, mark, br). Like everything else, it is reduced to the allow-list in policy.go;
// script and style are removed completely. Links and images keep only absolute http, https and
// (links) mailto addresses. Every link gets target="_blank" rel="nofollow noopener".
func Render(markdown string) Text {
	markdown = strings.ReplaceAll(strings.ToValidUTF8(markdown, "\uFFFD"), "\x00", "\uFFFD")
	source := newlines(markdown)
	rendered := literal(source)
	if len(source) <= maxBytes {
		rendered = toHTML([]byte(source))
	}
	safe := strings.TrimSpace(policy.Sanitize(tidy(rendered)))
	return Text{Markdown: markdown, HTML: safe, Plain: plain(safe)}
}

// literal renders text without interpreting it.
func literal(source string) string {
	var b strings.Builder
	for paragraph := range strings.SplitSeq(source, "\n\n") {
		if text := strings.Trim(paragraph, "\n"); text != "" {
			b.WriteString("<p>" + strings.ReplaceAll(html.EscapeString(text), "\n", "<br>\n") + "</p>\n")
		}
	}
	return b.String()
}

// toHTML renders Markdown to HTML that is not safe yet.
func toHTML(source []byte) string {
	var b bytes.Buffer
	b.Grow(len(source) + len(source)/2)
	// Writing to a bytes.Buffer never fails, and neither does anything else here.
	_ = writer.Render(&b, source, parse(source))
	return b.String()
}
