package page

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

var htmlTag = regexp.MustCompile(`(?i)<(?:!doctype html|html|head|title|meta|body)[\s/>]`)

// IsHTML reports whether the beginning of a body is that of an HTML page.
func IsHTML(contentType string, head []byte) bool { return htmlTag.Match(Decode(contentType, head)) }

// unseen are elements whose text browsers do not show, and breaking those that begin a new line.
var (
	unseen   = elements("title script style noscript template svg math iframe object audio video select textarea")
	breaking = elements(`address article aside blockquote br dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4
		h5 h6 header hr li main nav ol p pre section summary table td th tr ul`)
)

func elements(names string) map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		set[name] = true
	}
	return set
}

// Text returns the text that a page shows, with a line for each paragraph or cell, and at most 100,000 characters. Only the
// first 5 MiB of a body are read.
func Text(contentType string, body []byte) string {
	t := html.NewTokenizer(bytes.NewReader(Decode(contentType, body[:min(len(body), maxBody)])))
	var text, current strings.Builder
	count, depth := 0, 0
	end := func() {
		words := line(current.String(), maxMarkdown)
		current.Reset()
		if words != "" {
			count += utf8.RuneCountInString(words) + 1
			text.WriteString(words + "\n")
		}
	}
	for count < maxMarkdown {
		kind := t.Next()
		name, _ := t.TagName()
		switch kind {
		case html.ErrorToken:
			end()
			return shorten(strings.TrimSpace(text.String()))
		case html.TextToken:
			if depth == 0 {
				current.Write(t.Text())
			}
		case html.StartTagToken:
			if unseen[string(name)] {
				depth++
			}
		case html.EndTagToken:
			if unseen[string(name)] {
				depth = max(depth-1, 0)
			}
		case html.SelfClosingTagToken, html.CommentToken, html.DoctypeToken:
		}
		if breaking[string(name)] {
			end()
		}
	}
	return shorten(strings.TrimSpace(text.String()))
}
