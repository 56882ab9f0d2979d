package markup

import (
	"bytes"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
	nethtml "golang.org/x/net/html"

	"vitrine/internal/weburl"
)

// maxDepth is the maximum depth of elements in the output. Browsers and parsers stop at 512.
const maxDepth = 100

// tidier rewrites HTML into a form that cannot affect the page around it: only allowed elements,
// each closed in its place, list items only in lists, no link within a link, and links with the
// attributes that the API promises.
type tidier struct {
	z      *nethtml.Tokenizer
	out    strings.Builder
	stack  []element
	open   map[string]int // how often each name is in stack
	hidden map[string]int // position of the last end tag of each opaque element
	offset int            // bytes read
}

type element struct {
	name    string
	written bool
}

// Elements whose content browsers do not parse as markup. None is allowed, and their content is
// not text either.
var opaque = []string{
	"script", "style", "iframe", "noscript", "noembed", "noframes",
	"textarea", "title", "xmp", "plaintext",
}

// Elements that are not allowed, but that separate their text from the surrounding text.
var apart = []string{
	"address", "article", "aside", "body", "button", "caption", "center", "dd", "details", "dl", "dt",
	"fieldset", "figcaption", "figure", "footer", "form", "head", "header", "legend", "main", "nav",
	"option", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr",
}

func tidy(source string) string {
	t := tidier{
		z:      nethtml.NewTokenizer(strings.NewReader(source)),
		open:   map[string]int{},
		hidden: map[string]int{},
	}
	folded := asciiLower(source)
	for _, name := range opaque {
		if name != "plaintext" { // no end tag can close it
			t.hidden[name] = strings.LastIndex(folded, "</"+name)
		}
	}
	for t.next() {
	}
	for len(t.stack) > 0 {
		t.pop()
	}
	return t.out.String()
}

// next rewrites one token and reports whether there was one.
func (t *tidier) next() bool {
	kind := t.z.Next()
	t.offset += len(t.z.Raw())
	switch kind {
	case nethtml.ErrorToken:
		return false
	case nethtml.TextToken:
		t.out.WriteString(html.EscapeString(string(t.z.Text())))
	case nethtml.StartTagToken, nethtml.SelfClosingTagToken:
		t.start(t.z.Token())
	case nethtml.EndTagToken:
		name, _ := t.z.TagName()
		t.end(string(name))
	}
	return true
}

func (t *tidier) start(token nethtml.Token) {
	name := token.Data
	if slices.Contains(opaque, name) {
		t.skip(name)
		return
	}
	if _, ok := allowed[name]; !ok {
		t.separate(name)
		return
	}
	if t.prepare(name) {
		t.push(name, token.Attr)
	}
}

// skip omits an element with its content, or only the tag if the element never ends: then the rest
// of the document is not its content.
func (t *tidier) skip(name string) {
	if t.hidden[name] < t.offset {
		t.z.NextIsNotRawText()
		return
	}
	t.z.Next() // its content, or its end tag if it is empty
	t.offset += len(t.z.Raw())
}

// prepare closes what ends before an element with this name, like browsers do, and reports whether
// the element is allowed here.
func (t *tidier) prepare(name string) bool {
	switch name {
	case "li":
		for t.open["ul"]+t.open["ol"] > 0 {
			switch t.innermost("ul", "ol", "li") {
			case "li":
				t.end("li")
			default:
				t.end("p")
				return true
			}
		}
		return false
	case "h1", "h2", "h3", "h4", "h5", "h6":
		t.end("p")
		if name := t.current(); isHeading(name) {
			t.end(name)
		}
	case "p", "div", "hr", "blockquote", "pre", "ul", "ol":
		t.end("p")
	}
	return true
}

func (t *tidier) push(name string, given []nethtml.Attribute) {
	void := name == "br" || name == "hr" || name == "img"
	if !void && len(t.stack) >= maxDepth {
		return // its end tag then closes an outer one too early, but nobody writes this
	}
	attributes, ok := t.attributes(name, given)
	if ok {
		t.out.WriteString("<" + name + attributes + ">")
	}
	if void {
		return
	}
	t.stack = append(t.stack, element{name, ok})
	t.open[name]++
}

// attributes returns the text after the name of an element. ok is false if the element makes no
// sense without a missing attribute.
func (t *tidier) attributes(name string, given []nethtml.Attribute) (text string, ok bool) {
	var b strings.Builder
	has := map[string]bool{}
	for _, a := range given {
		value := strings.TrimSpace(a.Val)
		if a.Key == "href" || a.Key == "src" {
			value = readByAll(value)
		}
		if slices.Contains(allowed[name], a.Key) && !has[a.Key] && acceptable(a.Key, value) {
			has[a.Key] = true
			b.WriteString(" " + a.Key + `="` + html.EscapeString(value) + `"`)
		}
	}
	switch name {
	case "a":
		b.WriteString(` target="_blank" rel="nofollow noopener"`)
		return b.String(), has["href"] && t.open["a"] == 0
	case "img":
		return b.String(), has["src"]
	}
	return b.String(), true
}

// readByAll returns the canonical form of a URL that browsers accept but url.Parse does not, such
// as "http://example.org/100%". The policy relies on url.Parse.
func readByAll(value string) string {
	if _, err := url.Parse(value); err != nil {
		if link, err := weburl.Canonical(value); err == nil {
			return link
		}
	}
	return value
}

// end closes the innermost element with that name and everything within it. If no such element is
// open, it writes at most a line break.
func (t *tidier) end(name string) {
	if t.open[name] == 0 {
		t.separate(name)
		return
	}
	for t.pop() != name {
	}
}

func (t *tidier) pop() string {
	last := t.stack[len(t.stack)-1]
	t.stack = t.stack[:len(t.stack)-1]
	t.open[last.name]--
	if last.written {
		t.out.WriteString("</" + last.name + ">")
	}
	return last.name
}

// current returns the innermost element of the output, "" outside of all elements.
func (t *tidier) current() string {
	for _, e := range slices.Backward(t.stack) {
		if e.written {
			return e.name
		}
	}
	return ""
}

func (t *tidier) innermost(names ...string) string {
	for _, e := range slices.Backward(t.stack) {
		if slices.Contains(names, e.name) {
			return e.name
		}
	}
	return ""
}

// separate separates words whose elements were removed.
func (t *tidier) separate(name string) {
	if slices.Contains(apart, name) {
		t.out.WriteString("\n")
	}
}

func isHeading(name string) bool {
	return len(name) == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6'
}

// asciiLower only folds ASCII, so that offsets stay the same.
func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// allowed lists every element of the output with its attributes: what CommonMark produces, and the
// formatting that people write by hand. None loads anything except images, and none has a meaning
// of its own in a page.
var allowed = map[string][]string{
	"p": nil, "div": nil, "br": nil, "hr": nil, "blockquote": nil, "pre": nil,
	"h1": nil, "h2": nil, "h3": nil, "h4": nil, "h5": nil, "h6": nil,
	"ul": nil, "ol": {"start"}, "li": nil,
	"em": nil, "strong": nil, "b": nil, "i": nil, "u": nil, "s": nil, "del": nil, "ins": nil,
	"sub": nil, "sup": nil, "small": nil, "mark": nil, "code": {"class"}, "kbd": nil, "samp": nil,
	"var": nil, "q": nil, "cite": nil, "dfn": nil,
	"a":   {"href", "title"},
	"img": {"src", "alt", "title"},
}

// values restricts the values of attributes. All others may have any text.
var values = map[string]*regexp.Regexp{
	"start":  regexp.MustCompile(`^[0-9]{1,9}$`),
	"class":  regexp.MustCompile(`^language-[\w.+#-]{1,40}$`),
	"src":    regexp.MustCompile(`(?i)^https?://`),
	"href":   regexp.MustCompile(`(?i)^(?:https?://|mailto:)`),
	"target": regexp.MustCompile(`^_blank$`),
	"rel":    regexp.MustCompile(`^nofollow noopener$`),
}

// policy is the security boundary. For any input, it allows only the elements and attributes in the
// tables above.
var policy = newPolicy()

func newPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowURLSchemes("http", "https", "mailto")
	for element, attributes := range allowed {
		p.AllowElements(element)
		if element != "a" && element != "img" {
			p.AllowNoAttrs().OnElements(element)
		}
		for _, name := range attributes {
			allowAttribute(p, element, name)
		}
	}
	allowAttribute(p, "a", "target")
	allowAttribute(p, "a", "rel")
	return p
}

func allowAttribute(p *bluemonday.Policy, element, name string) {
	if pattern, ok := values[name]; ok {
		p.AllowAttrs(name).Matching(pattern).OnElements(element)
		return
	}
	p.AllowAttrs(name).OnElements(element)
}

// acceptable reports whether an attribute of an allowed element may stay. An address must be one
// that the policy accepts; otherwise the element would remain without it.
func acceptable(name, value string) bool {
	if pattern, ok := values[name]; ok && !pattern.MatchString(value) {
		return false
	}
	if name != "href" && name != "src" {
		return true
	}
	if _, err := url.Parse(value); err != nil { // the policy uses the same parser
		return false
	}
	return !strings.ContainsAny(value, " \t\n")
}

// rawHTML renders the HTML in a Markdown source so that it only affects its own place. Otherwise
// an unclosed tag or comment would swallow the text after it.
type rawHTML struct{}

func (r rawHTML) RegisterFuncs(register renderer.NodeRendererFuncRegisterer) {
	register.Register(ast.KindRawHTML, r.inline)
	register.Register(ast.KindHTMLBlock, r.block)
}

func (rawHTML) inline(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		writeTags(w, node.(*ast.RawHTML).Segments.Value(source))
	}
	return ast.WalkSkipChildren, nil
}

func (rawHTML) block(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		n := node.(*ast.HTMLBlock)
		fragment := n.Lines().Value(source)
		if n.HasClosure() {
			fragment = append(fragment, n.ClosureLine.Value(source)...)
		}
		writeTags(w, fragment)
		_ = w.WriteByte('\n')
	}
	return ast.WalkSkipChildren, nil
}

// writeTags writes the complete tags and the text of a fragment. It removes comments and
// declarations, and an incomplete tag becomes text.
func writeTags(w util.BufWriter, fragment []byte) {
	z := nethtml.NewTokenizer(bytes.NewReader(fragment))
	done := 0
	for {
		kind := z.Next()
		raw := z.Raw()
		switch kind {
		case nethtml.ErrorToken:
			_, _ = w.WriteString(html.EscapeString(string(fragment[done:])))
			return
		case nethtml.TextToken, nethtml.StartTagToken, nethtml.EndTagToken, nethtml.SelfClosingTagToken:
			_, _ = w.Write(raw)
		}
		done += len(raw)
	}
}
