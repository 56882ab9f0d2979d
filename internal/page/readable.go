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
	maxElements  = 50_000  // of a page that is searched for readable text
	maxAttribute = 8 << 10 // bytes
	minProse     = 80      // minimum characters outside of links
)

// readable returns the main text of a page as Markdown, or "". The parser refuses more than 512
// nested elements, which bounds the recursion of everything below.
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
	return asMarkdown(article.Node, base, maxDepth)
}

// Markdown converts a document, such as a mail, to Markdown without looking for its main text. It omits images, which
// mails use to find out who reads them, and relative links. It returns "" for a document that is too large.
func Markdown(text []byte) string {
	doc, err := html.Parse(bytes.NewReader(text))
	if err != nil || !tame(doc) {
		return ""
	}
	var left []*html.Node
	for node := range doc.Descendants() {
		if node.Type == html.ElementNode && slices.Contains([]string{"head", "img", "script", "style", "template", "title"}, node.Data) {
			left = append(left, node)
		}
	}
	for _, node := range left {
		node.Parent.RemoveChild(node)
	}
	return asMarkdown(doc, nil, mailDepth)
}

// asMarkdown converts a tree, which it changes, to Markdown.
func asMarkdown(tree *html.Node, base *url.URL, deepest int) string {
	prune(tree, base, deepest)
	arrange(tree)
	var kept bytes.Buffer
	if err := html.Render(&kept, tree); err != nil {
		return ""
	}
	markdown, err := toMarkdown.ConvertReader(articlePolicy.SanitizeReader(&kept))
	if err != nil {
		return ""
	}
	return shorten(strings.ToValidUTF8(string(markdown), "\uFFFD"))
}

// tame removes attributes that are expensive to process, and reports whether the number of elements
// is within the limit.
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

// prose reports whether an article contains enough text, and more of it outside of links than
// inside. Otherwise it is a menu, or a notice that scripts are required.
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
