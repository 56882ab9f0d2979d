package markup

import (
	"regexp"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// What ends a bare address: white space, quotes, angle brackets, and the
// punctuation of Chinese and Japanese, which is written without a space before.
const addressEnd = "\\s\\p{Z}<>\"`\\x{3001}-\\x{303F}\\x{FF01}-\\x{FF0F}\\x{FF1A}-\\x{FF20}"

// goldmark's own patterns end an address at the first letter that is not ASCII
// and want a dot in every host; copied addresses have neither.
var (
	bareURL = regexp.MustCompile(`^(?i:https?)://[\p{L}\p{N}][^` + addressEnd + `]*`)
	bareWWW = regexp.MustCompile(`^www\.[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)+(?:[:/?#][^` + addressEnd + `]*)?`)
)

// The one parser and the one renderer. Both are safe for concurrent use: what
// a run needs to remember is in its parser.Context.
var (
	reader = newParser()
	writer = newRenderer()
)

// newParser returns CommonMark plus bare addresses, with the parsers of
// everything that nests or looks back held to the limits in bounds.go.
func newParser() parser.Parser {
	linkify := extension.NewLinkifyParser(
		extension.WithLinkifyAllowedProtocols([]string{"http:", "https:", "Http:", "Https:", "HTTP:", "HTTPS:"}),
		extension.WithLinkifyURLRegexp(bareURL),
		extension.WithLinkifyWWWRegexp(bareWWW),
	)
	blocks := parser.DefaultBlockParsers()
	for i, p := range blocks {
		switch p.Value {
		case parser.NewListParser(), parser.NewBlockquoteParser():
			blocks[i].Value = shallow{p.Value.(parser.BlockParser)}
		case parser.NewParagraphParser():
			blocks[i].Value = shortParagraph{p.Value.(parser.BlockParser)}
		}
	}
	inlines := parser.DefaultInlineParsers()
	for i, p := range inlines {
		switch p.Value {
		case parser.NewLinkParser():
			inlines[i].Value = fewLinks{p.Value.(closingParser)}
		case parser.NewCodeSpanParser():
			inlines[i].Value = onceUnclosed{p.Value.(parser.InlineParser)}
		case parser.NewEmphasisParser():
			inlines[i].Value = fewDelimiters{p.Value.(parser.InlineParser)}
		}
	}
	return parser.NewParser(
		parser.WithBlockParsers(blocks...),
		parser.WithInlineParsers(append(inlines, util.Prioritized(linkify, 999))...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)
}

// newRenderer returns goldmark's renderer with line breaks kept and our own
// treatment of raw HTML.
func newRenderer() renderer.Renderer {
	standard := html.NewRenderer(html.WithHardWraps(), html.WithUnsafe())
	return renderer.NewRenderer(renderer.WithNodeRenderers(
		util.Prioritized(rawHTML{}, 500),
		util.Prioritized(standard, 1000),
	))
}

// parse returns the tree of a source.
func parse(source []byte) ast.Node {
	return reader.Parse(text.NewReader(source), parser.WithContext(newBudget(len(source))))
}
