package source

import (
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"

	"vitrine/internal/domain"
)

// TextOfHTML returns the text of HTML, with an empty line between paragraphs. It stops soon after the length of a block.
func TextOfHTML(markup string) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(markup))
	hidden := ""
	for b.Len() < domain.MaxMarkdown*utf8.UTFMax {
		switch z.Next() {
		case html.ErrorToken:
			return tidy(b.String())
		case html.TextToken:
			if hidden == "" {
				_, _ = io.WriteString(&b, strings.Join(strings.FieldsFunc(string(z.Text()), func(r rune) bool { return r == '\n' || r == '\r' || r == '\t' }), " "))
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			switch name, _ := z.TagName(); string(name) {
			case "script", "style":
				hidden = string(name)
			case "br", "tr":
				b.WriteString("\n")
			case "td", "th":
				b.WriteString(" ")
			case "li":
				b.WriteString("\n- ")
			default:
				if paragraphs[string(name)] {
					b.WriteString("\n\n")
				}
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			if string(name) == hidden {
				hidden = ""
			}
			if paragraphs[string(name)] {
				b.WriteString("\n\n")
			}
		}
	}
	return tidy(b.String())
}

var paragraphs = map[string]bool{"p": true, "div": true, "section": true, "article": true, "blockquote": true, "pre": true, "ul": true, "ol": true,
	"table": true, "figure": true, "h1": true, "h2": true, "h3": true, "h4": true, "h5": true, "h6": true}

// tidy removes superfluous white space.
func tidy(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.Join(strings.Fields(line), " ")
		if line == "" && (len(lines) == 0 || lines[len(lines)-1] == "") {
			continue
		}
		lines = append(lines, line)
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
