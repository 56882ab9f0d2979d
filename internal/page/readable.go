package page

import (
	"bytes"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
)

const (
	maxMarkdown  = 100_000 // characters
	maxElements  = 50_000  // of a page that is looked for readable text
	maxAttribute = 8 << 10 // bytes
	minProse     = 80      // characters outside of links, or there is nothing to read
)

// readable returns the text that a page is there for as Markdown, or "". A page
// that nests deeper than 512 elements is refused by the parser, which bounds the
// recursion of all that follows.
func readable(text []byte, base *url.URL) string {
	doc, err := html.Parse(bytes.NewReader(text))
	if err != nil || !tame(doc) {
		return ""
	}
	parser := readability.NewParser()
	parser.DisableJSONLD = true
	article, err := parser.ParseAndMutate(doc, base)
	if err != nil || article.Node == nil || !prose(article.Node) {
		return ""
	}
	prune(article.Node, base)
	arrange(article.Node)
	var kept bytes.Buffer
	if err := html.Render(&kept, article.Node); err != nil {
		return ""
	}
	markdown, err := toMarkdown.ConvertReader(articlePolicy.SanitizeReader(&kept))
	if err != nil {
		return ""
	}
	return shorten(strings.ToValidUTF8(string(markdown), "\uFFFD"))
}

// tame drops attributes that cost much to look at, and reports whether there are few
// enough elements to look at.
func tame(doc *html.Node) bool {
	count := 0
	for node := range doc.Descendants() {
		if node.Type != html.ElementNode {
			continue
		}
		count++
		node.Attr = slices.DeleteFunc(node.Attr, func(a html.Attribute) bool { return len(a.Val) > maxAttribute })
	}
	return count <= maxElements
}

// prose reports whether there is enough text in an article, and more of it outside
// of links than inside: otherwise it is a menu, or a notice that scripts are needed.
func prose(article *html.Node) bool {
	outside, inside := 0, 0
	for node := range article.Descendants() {
		if node.Type != html.TextNode {
			continue
		}
		length := 0
		for word := range strings.FieldsSeq(node.Data) {
			length += utf8.RuneCountInString(word) + 1
		}
		if inLink(node) {
			inside += length
		} else {
			outside += length
		}
	}
	return outside >= minProse && outside >= inside
}

func inLink(node *html.Node) bool {
	for ancestor := range node.Ancestors() {
		if ancestor.Data == "a" {
			return true
		}
	}
	return false
}
