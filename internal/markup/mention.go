package markup

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// mentionPattern matches `@` and a slug. mentionsIn checks the characters before and after it.
var mentionPattern = regexp.MustCompile(`@([a-z0-9]+(?:-[a-z0-9]+)*)`)

// Mention is a mention of a slug in a text: from the @ at Start to Stop, in characters.
type Mention struct {
	Slug        string
	Start, Stop int
}

// MentionsAt returns every mention in a Markdown text, in the order of the text, under the rules
// of Mentions.
func MentionsAt(markdown string) (all []Mention) {
	source := []byte(newlines(markdown))
	if len(source) > maxBytes || !bytes.Contains(source, []byte("@")) {
		return nil
	}
	for _, t := range runningText(parse(source)) {
		for _, m := range mentionsIn(t.Segment, source) {
			start := utf8.RuneCount(source[:m.Start])
			all = append(all, Mention{string(source[m.Start+1 : m.Stop]), start, start + m.Len()})
		}
	}
	return all
}

// Mentions returns the slugs that a Markdown text mentions as `@slug`, each once, in the order of
// their first mention. It looks for them in running text, not in code, links or email addresses.
func Mentions(markdown string) (slugs []string) {
	for _, m := range MentionsAt(markdown) {
		if !slices.Contains(slugs, m.Slug) {
			slugs = append(slugs, m.Slug)
		}
	}
	return slugs
}

// RenderMentions is Render, and turns the mentions of some slugs into links to their addresses in
// href. The plain form keeps them as written.
func RenderMentions(markdown string, href map[string]string) Text {
	t := Render(markdown)
	source := []byte(newlines(t.Markdown))
	if len(href) == 0 || len(source) > maxBytes {
		return t
	}
	tree := parse(source)
	for _, node := range runningText(tree) {
		linkMentions(node, source, href)
	}
	var b bytes.Buffer
	_ = writer.Render(&b, source, tree) // writing to a bytes.Buffer never fails
	t.HTML = strings.TrimSpace(policy.Sanitize(tidy(b.String())))
	return t
}

// newlines converts all line ends to those of Unix.
func newlines(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// runningText lists the text nodes that are not in code or links.
func runningText(tree ast.Node) []*ast.Text {
	var found []*ast.Text
	_ = ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.CodeSpan, *ast.CodeBlock, *ast.FencedCodeBlock, *ast.Link, *ast.AutoLink, *ast.Image:
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			if entering {
				found = append(found, n)
			}
		}
		return ast.WalkContinue, nil
	})
	return found
}

// mentionsIn returns the mentions in a segment of the source. A mention must not follow a letter,
// digit or one of `@/._-`, and no letter, digit, `_` or `@` may follow it.
func mentionsIn(s text.Segment, source []byte) []text.Segment {
	var found []text.Segment
	for _, m := range mentionPattern.FindAllIndex(source[s.Start:s.Stop], -1) {
		start, stop := s.Start+m[0], s.Start+m[1]
		if start > 0 && (wordByte(source[start-1]) || strings.IndexByte("@/.-", source[start-1]) >= 0) {
			continue
		}
		if stop < len(source) && (wordByte(source[stop]) || source[stop] == '@') {
			continue
		}
		found = append(found, text.NewSegment(start, stop))
	}
	return found
}

// wordByte reports whether a byte is a letter, a digit, `_` or part of a non-ASCII character.
func wordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

// linkMentions splits a text node at its mentions and inserts links.
func linkMentions(node *ast.Text, source []byte, href map[string]string) {
	parent := node.Parent()
	for _, m := range mentionsIn(node.Segment, source) {
		target, ok := href[string(source[m.Start+1:m.Stop])]
		if !ok {
			continue
		}
		before := ast.NewTextSegment(text.NewSegment(node.Segment.Start, m.Start))
		link := ast.NewLink()
		link.Destination = []byte(target)
		link.AppendChild(link, ast.NewTextSegment(m))
		parent.InsertBefore(parent, node, before)
		parent.InsertBefore(parent, node, link)
		node.Segment = text.NewSegment(m.Stop, node.Segment.Stop) // the rest, with its line break
	}
}
