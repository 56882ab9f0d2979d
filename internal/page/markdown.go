package page

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
)

const (
	maxArticle = 1 << 20 // approximate bytes of HTML that are converted to Markdown
	maxDepth   = 40      // of its elements: the cost of nested lists is quadratic
	mailDepth  = 100     // of the elements of a mail, whose layout is often made of nested tables
)

var (
	articlePolicy = newArticlePolicy()
	toMarkdown    = newConverter()
)

// newArticlePolicy allows the elements that Markdown supports.
func newArticlePolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "div", "br", "hr", "blockquote", "pre", "h1", "h2", "h3", "h4", "h5", "h6",
		"ul", "ol", "li", "em", "strong", "b", "i", "code", "figure", "dl", "dt", "dd")
	p.AllowURLSchemes("http", "https", "mailto")
	p.RequireParseableURLs(true)
	p.AllowAttrs("href").OnElements("a")
	p.AllowAttrs("start").Matching(regexp.MustCompile(`^[0-9]{1,6}$`)).OnElements("ol")
	p.AllowAttrs("src", "alt").OnElements("img")
	return p
}

// newConverter returns a converter that escapes every "[". The library's own escaping searches the
// rest of the line for each.
func newConverter() *converter.Converter {
	c := converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(),
		commonmark.NewCommonmarkPlugin(commonmark.WithListEndComment(false)),
	))
	c.Register.UnEscaper(func(text []byte, index int) int {
		if text[index] == '[' {
			return 1
		}
		return -1
	}, converter.PriorityEarly)
	return c
}

// prune truncates an article that is too long or too deep. It removes addresses that Markdown must
// not contain, and control and private-use characters, which the converter would mistake for its
// own markers.
func prune(article *html.Node, base *url.URL, deepest int) {
	left := maxArticle
	var walk func(node *html.Node, depth int)
	walk = func(node *html.Node, depth int) {
		for child := node.FirstChild; child != nil; {
			next := child.NextSibling
			left -= weight(child)
			if left < 0 || depth > deepest {
				node.RemoveChild(child)
			} else {
				clean(child, base)
				walk(child, depth+1)
			}
			child = next
		}
	}
	walk(article, 0)
}

// weight estimates the bytes of HTML of a node without its children.
func weight(node *html.Node) int {
	bytes := 2*len(node.Data) + len("<></>")
	for _, a := range node.Attr {
		bytes += len(a.Key) + len(a.Val)
	}
	return bytes
}

func clean(node *html.Node, base *url.URL) {
	if node.Type == html.TextNode {
		node.Data = unmarked(node.Data)
	}
	node.Attr = slices.DeleteFunc(node.Attr, func(a html.Attribute) bool {
		return (a.Key == "href" || a.Key == "src") && !linkable(base, a.Val)
	})
	for i, a := range node.Attr {
		node.Attr[i].Val = unmarked(a.Val)
		if a.Key == "alt" {
			node.Attr[i].Val = altEscapes.Replace(node.Attr[i].Val)
		}
	}
}

// altEscapes escapes markup in the text of an image, since the converter escapes only brackets
// there.
var altEscapes = strings.NewReplacer("<", "&lt;", ">", "&gt;", `\`, "&#92;", "`", "&#96;")

// linkable reports whether an address is an HTTP URL or a mailbox.
func linkable(base *url.URL, address string) bool {
	if u, err := url.Parse(strings.TrimSpace(address)); err == nil && u.Scheme == "mailto" {
		return len(address) <= maxAddress
	}
	_, ok := absolute(base, address)
	return ok
}

func unmarked(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Co, r) {
			return -1
		}
		return r
	}, s)
}

// shorten truncates long Markdown between two paragraphs, and not within a code block.
func shorten(markdown string) string {
	if utf8.RuneCountInString(markdown) <= maxMarkdown {
		return markdown
	}
	end := 0
	for range maxMarkdown {
		_, size := utf8.DecodeRuneInString(markdown[end:])
		end += size
	}
	cut, fenced, at := 0, false, 0
	for text := range strings.Lines(markdown[:end]) {
		switch {
		case strings.HasPrefix(strings.TrimSpace(text), "```"):
			fenced = !fenced
		case strings.TrimSpace(text) == "" && !fenced:
			cut = at
		}
		at += len(text)
	}
	if cut == 0 { // a single huge paragraph
		cut = max(strings.LastIndexAny(markdown[:end], " \n"), 0)
	}
	return strings.TrimSpace(markdown[:cut])
}
