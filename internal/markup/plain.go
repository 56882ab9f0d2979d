package markup

import (
	"bytes"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	nethtml "golang.org/x/net/html"
)

// maxIndent is how many list levels are indented. Without a limit, deep lists would cost their
// depth in spaces on every line.
const maxIndent = 8

// plainWriter converts sanitised HTML to text. It reads the HTML instead of the Markdown, so that
// both forms lack the same parts.
type plainWriter struct {
	out   strings.Builder
	owed  int    // line ends to write before the next text
	fresh bool   // the current block is still empty, so it needs no line ends
	lists []list // open lists, outermost first
	held  string // white space that is only written if text follows on its line
	code  int    // open pre elements, in which line ends count
	first bool   // at the beginning of a pre, where a line end directly after the tag is ignored
	link  string // address of the open link
	mark  int    // where the text of the open link begins
}

type list struct {
	ordered bool
	next    int
}

func plain(safe string) string {
	w := plainWriter{fresh: true}
	z := nethtml.NewTokenizer(strings.NewReader(safe))
	for {
		switch z.Next() {
		case nethtml.ErrorToken:
			return strings.TrimSpace(w.out.String())
		case nethtml.TextToken:
			w.text(string(z.Text()))
		case nethtml.StartTagToken:
			w.start(z.Token())
		case nethtml.EndTagToken:
			w.end(z.Token().Data)
		}
	}
}

func (w *plainWriter) start(token nethtml.Token) {
	w.first = token.Data == "pre"
	switch token.Data {
	case "br":
		w.owed++
	case "p", "div", "blockquote", "hr", "h1", "h2", "h3", "h4", "h5", "h6":
		w.block(2)
	case "pre":
		w.block(2)
		w.code++
	case "ul", "ol":
		w.block(w.listGap())
		first, err := strconv.Atoi(attribute(token, "start"))
		if err != nil {
			first = 1
		}
		w.lists = append(w.lists, list{token.Data == "ol", first})
	case "li":
		w.item()
	case "a":
		w.flush()
		w.link, w.mark = attribute(token, "href"), w.out.Len()
	case "img":
		w.text(imageText(token))
	}
}

func (w *plainWriter) end(name string) {
	switch name {
	case "p", "div", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6":
		w.block(2)
	case "pre":
		w.code--
		w.block(2)
	case "ul", "ol":
		w.lists = w.lists[:len(w.lists)-1]
		w.block(w.listGap())
	case "li":
		w.fresh = false
		w.block(1)
	case "a":
		w.closeLink()
	}
}

// text writes text. Outside of pre, white space around a line end becomes one space, and is
// removed at the beginning and end of a line.
func (w *plainWriter) text(s string) {
	if w.first {
		s, w.first = strings.TrimPrefix(s, "\n"), false
	}
	if w.code > 0 {
		for i, line := range strings.Split(s, "\n") {
			if i > 0 {
				w.owed++
			}
			w.write(line)
		}
		return
	}
	s = joinLines(s)
	if w.fresh || w.owed > 0 || w.held != "" {
		s = strings.TrimLeft(s, " \t")
	}
	body := strings.TrimRight(s, " \t")
	w.write(body)
	w.held += s[len(body):]
}

// joinLines replaces each line end, and the white space around it, with one space.
func joinLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		if i > 0 {
			lines[i] = strings.TrimLeft(lines[i], " \t")
		}
		if i < len(lines)-1 {
			lines[i] = strings.TrimRight(lines[i], " \t")
		}
	}
	inner := lines[:0]
	for i, line := range lines {
		if line != "" || i == 0 || i == len(lines)-1 {
			inner = append(inner, line)
		}
	}
	return strings.Join(inner, " ")
}

func (w *plainWriter) write(s string) {
	if s == "" {
		return
	}
	w.flush()
	w.out.WriteString(w.held + s)
	w.held, w.fresh = "", false
}

// flush writes the pending line ends, and the indentation after them.
func (w *plainWriter) flush() {
	if w.owed == 0 {
		return
	}
	w.held = ""
	w.out.WriteString(strings.Repeat("\n", w.owed))
	w.out.WriteString(strings.Repeat("  ", min(len(w.lists), maxIndent)))
	w.owed = 0
}

// block ensures that at least so many line ends separate the previous text from the next.
func (w *plainWriter) block(lines int) {
	if !w.fresh {
		w.owed = max(w.owed, lines)
	}
}

// listGap returns the distance between a list and its surroundings.
func (w *plainWriter) listGap() int {
	if len(w.lists) > 0 {
		return 1
	}
	return 2
}

// item begins a list item with its bullet or number.
func (w *plainWriter) item() {
	w.block(1)
	marker := "- "
	last := &w.lists[len(w.lists)-1]
	if last.ordered {
		marker = strconv.Itoa(last.next) + ". "
		last.next++
	}
	outer := w.lists
	w.lists = w.lists[:len(w.lists)-1]
	w.write(strings.TrimSuffix(marker, " "))
	w.lists = outer
	w.held, w.fresh = " ", true
}

// closeLink writes the address after the text of a link, unless the text is the address.
func (w *plainWriter) closeLink() {
	w.flush()
	address := strings.TrimPrefix(w.link, "mailto:")
	switch text := strings.TrimSpace(w.out.String()[w.mark:]); {
	case text == "":
		w.write(address)
	case !sameAddress(text, w.link):
		w.write(" (" + address + ")")
	}
	w.link = ""
}

// sameAddress reports whether a text is the address that it links to, like that of an autolink.
// The text may lack the scheme, or the escaping of some characters.
func sameAddress(text, address string) bool {
	text, address = unescape(text), unescape(address)
	for _, scheme := range []string{"", "mailto:", "http://", "https://"} {
		if strings.EqualFold(scheme+text, address) {
			return true
		}
	}
	return false
}

func unescape(s string) string {
	if u, err := url.PathUnescape(s); err == nil {
		return u
	}
	return s
}

func imageText(token nethtml.Token) string {
	if alt := attribute(token, "alt"); alt != "" {
		return alt
	}
	return attribute(token, "src")
}

func attribute(token nethtml.Token, name string) string {
	for _, a := range token.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

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
