// Package markup turns what users write into HTML that is safe to show and
// into plain text. Markdown is CommonMark with bare addresses linked and line
// breaks kept (behaviour.md section 3). Rendering is meant for the moment of writing:
// it costs some milliseconds per 10 KB of ordinary text.
package markup

import (
	"bytes"
	"html"
	"strings"
)

// maxBytes is the length from which text is shown as it was written: longer
// than any limit of the API, so it only bounds what a mistake can cost.
const maxBytes = 1 << 20

// Text is one piece of writing in the three forms that the API shows. All are
// valid UTF-8 without NUL, so that any database can hold them.
type Text struct {
	Markdown string // as written
	HTML     string // sanitised, block level, every element closed
	Plain    string // without mark-up, a link as "text (url)"
}

// Render renders Markdown. It takes any input, however hostile, in time close
// to linear: past the limits in bounds.go mark-up is left as literal text. It
// may be called from any number of goroutines.
//
// Raw HTML in the Markdown goes through: CommonMark has it, and people use it
// for what Markdown cannot say (sub, mark, br). It is reduced to the allow-list
// in policy.go like everything else, with script and style gone to the last
// letter. Links and images keep only absolute http, https and (links) mailto
// addresses; every link gets target="_blank" rel="nofollow noopener".
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

// literal shows text without interpreting it.
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
	// A bytes.Buffer takes every write, and nothing else here can fail.
	_ = writer.Render(&b, source, parse(source))
	return b.String()
}
