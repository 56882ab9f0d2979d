package markup

import (
	"bytes"
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

// Limits on everything that goldmark parses in more than linear time or renders to more than
// linear length. Beyond them, the rest stays literal text.
const (
	// Open lists, items and quotes at any point. Each of them is asked about every line, and blank
	// lines after deep lists take cubic time.
	maxOpenBlocks = 24
	// Runs of * or _ in a paragraph: every closer searches all openers.
	maxDelimiters = 1000
	// Brackets in a paragraph that look like links, "](" or "][", but are not. Each may require
	// scanning the whole rest.
	maxFailedLinks = 100
	// Brackets open at a time: every closing one searches all in between.
	maxOpenBrackets = 100
	// Lines of a paragraph; the next line begins another. Link definitions and brackets each search
	// all of them.
	maxParagraphLines = 1000
	// Bytes that reference links may expand to in addition to the length of the source: one long
	// definition can be used many times.
	referenceAllowance = 100_000
)

// budget is the state of one run: that of goldmark, and what remains of the limits.
type budget struct {
	parser.Context
	references  int          // bytes, for the document
	delimiters  int          // for the current paragraph
	brackets    int          // open in the current paragraph
	failedLinks int          // for the current paragraph
	unclosed    map[int]bool // lengths of backtick runs without a match in the rest of it
}

func newBudget(length int) *budget {
	return &budget{
		Context:    parser.NewContext(),
		references: length + referenceAllowance,
		unclosed:   map[int]bool{},
	}
}

// Reference returns a definition until the allowance is used up.
func (b *budget) Reference(label string) (parser.Reference, bool) {
	reference, ok := b.Context.Reference(label)
	if !ok {
		return nil, false
	}
	b.references -= len(reference.Destination()) + len(reference.Title())
	if b.references < 0 {
		return nil, false
	}
	return reference, true
}

// shallow prevents a container block from nesting too deeply.
type shallow struct{ parser.BlockParser }

func (p shallow) Open(parent ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if len(pc.OpenedBlocks()) >= maxOpenBlocks {
		return nil, parser.NoChildren
	}
	return p.BlockParser.Open(parent, r, pc)
}

// closingParser is an inline parser that is notified when a block ends.
type closingParser interface {
	parser.InlineParser
	parser.CloseBlocker
}

// limitedLinks stops parsing links in a paragraph with too many failed links or too many open
// brackets.
type limitedLinks struct{ closingParser }

func (p limitedLinks) Parse(parent ast.Node, r text.Reader, pc parser.Context) ast.Node {
	b := pc.(*budget)
	line, _ := r.PeekLine()
	if line[0] != ']' {
		if b.brackets >= maxOpenBrackets {
			return nil
		}
		node := p.closingParser.Parse(parent, r, pc)
		if node != nil {
			b.brackets++
		}
		return node
	}
	costly := len(line) > 1 && (line[1] == '(' || line[1] == '[')
	if costly && b.failedLinks >= maxFailedLinks {
		return nil
	}
	b.brackets = max(b.brackets-1, 0)
	node := p.closingParser.Parse(parent, r, pc)
	if node == nil && costly {
		b.failedLinks++
	}
	return node
}

func (p limitedLinks) CloseBlock(parent ast.Node, r text.Reader, pc parser.Context) {
	b := pc.(*budget)
	b.brackets, b.failedLinks = 0, 0
	p.closingParser.CloseBlock(parent, r, pc)
}

// limitedDelimiters stops parsing emphasis in a paragraph with too many delimiters.
type limitedDelimiters struct{ parser.InlineParser }

func (p limitedDelimiters) Parse(parent ast.Node, r text.Reader, pc parser.Context) ast.Node {
	b := pc.(*budget)
	if b.delimiters >= maxDelimiters {
		return nil
	}
	node := p.InlineParser.Parse(parent, r, pc)
	if node != nil {
		b.delimiters++
	}
	return node
}

func (p limitedDelimiters) CloseBlock(_ ast.Node, _ text.Reader, pc parser.Context) {
	pc.(*budget).delimiters = 0
}

// onceUnclosed searches for the end of a code span once per number of backticks: if one span has
// no end, the next has none either.
type onceUnclosed struct{ parser.InlineParser }

func (p onceUnclosed) Parse(parent ast.Node, r text.Reader, pc parser.Context) ast.Node {
	b := pc.(*budget)
	line, segment := r.PeekLine()
	length := len(line) - len(bytes.TrimLeft(line, "`"))
	if b.unclosed[length] {
		r.Advance(length)
		return ast.NewTextSegment(segment.WithStop(segment.Start + length))
	}
	node := p.InlineParser.Parse(parent, r, pc)
	b.unclosed[length] = node.Kind() == ast.KindText
	return node
}

func (p onceUnclosed) CloseBlock(_ ast.Node, _ text.Reader, pc parser.Context) {
	clear(pc.(*budget).unclosed)
}

// shortParagraph begins another paragraph if one gets too long. It claims to interrupt paragraphs
// so that the parser calls it for every line.
type shortParagraph struct{ parser.BlockParser }

func (p shortParagraph) CanInterruptParagraph() bool { return true }

func (p shortParagraph) CanAcceptIndentedLine() bool { return true }

func (p shortParagraph) Open(parent ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	last := pc.LastOpenedBlock().Node
	if last != nil && ast.IsParagraph(last) && last.Lines().Len() < maxParagraphLines {
		return nil, parser.NoChildren
	}
	return p.BlockParser.Open(parent, r, pc)
}
