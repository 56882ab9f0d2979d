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

// The end of a bare address: white space, quotes, angle brackets, and the punctuation of Chinese
// and Japanese, which is written without a preceding space.
const addressEnd = "\\s\\p{Z}<>\"`\\x{3001}-\\x{303F}\\x{FF01}-\\x{FF0F}\\x{FF1A}-\\x{FF20}"

// goldmark's own patterns end an address at the first non-ASCII letter and require a dot in every
// host. Copied addresses do not follow either rule.
var (
	bareURL = regexp.MustCompile(`^(?i:https?)://[\p{L}\p{N}][^` + addressEnd + `]*`)
	bareWWW = regexp.MustCompile(`^www\.[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)+(?:[:/?#][^` + addressEnd + `]*)?`)
)

// The only parser and renderer. Both are safe for concurrent use, because the state of a run is in
// its parser.Context.
var (
	reader = newParser()
	writer = newRenderer()
)

// newParser returns a parser for CommonMark with bare addresses, in which the limits of bounds.go
// apply to everything that nests or looks back.
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
			inlines[i].Value = limitedLinks{p.Value.(closingParser)}
		case parser.NewCodeSpanParser():
			inlines[i].Value = onceUnclosed{p.Value.(parser.InlineParser)}
		case parser.NewEmphasisParser():
			inlines[i].Value = limitedDelimiters{p.Value.(parser.InlineParser)}
		}
	}
	return parser.NewParser(
		parser.WithBlockParsers(blocks...),
		parser.WithInlineParsers(append(inlines, util.Prioritized(linkify, 999))...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)
}

// newRenderer returns goldmark's renderer, but keeps line breaks and renders raw HTML with
// rawHTML.
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
