package capture

import (
	"cmp"
	"context"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"vitrine/internal/page"
)

// policy keeps a browser from requests and scripts, even if it reads the file differently than we do.
const policy = "default-src 'none'; img-src data:; font-src data:; media-src data:; style-src 'unsafe-inline'; frame-src data:; " +
	"form-action 'none'; base-uri 'none'"

// document is a page, or one in a frame, while it is rewritten.
type document struct {
	*capture
	ctx    context.Context
	base   *url.URL
	around []string // addresses of this page and of those around it
	icon   bool     // an icon was found
	body   *html.Node

	sprites map[*part]*html.Node // parsed
	symbols map[string]string    // ids in the file, by address

	// The steps wait for parts, which are all requested before. Style sheets come first, so that pages with very many
	// images keep their looks.
	styles, steps []func()
}

// document returns a page as a tree that refers to no other file. around are the addresses of the pages that contain it.
func (c *capture) document(ctx context.Context, at *url.URL, text []byte, around []string) (*html.Node, error) {
	root, err := c.parse(ctx, text)
	if err != nil {
		return nil, err
	}
	c.pages++
	own := *at
	own.Fragment, own.RawFragment = "", ""
	d := &document{capture: c, ctx: ctx, base: at, around: append(slices.Clone(around), own.String()), sprites: map[*part]*html.Node{},
		symbols: map[string]string{}}
	d.unhide(root)
	d.findBase(root)
	if err := d.walk(root); err != nil {
		return nil, err
	}
	d.run()
	d.head(root)
	return root, nil
}

// run runs the steps, which may add others.
func (d *document) run() {
	for len(d.styles)+len(d.steps) > 0 {
		from := &d.steps
		if len(d.styles) > 0 {
			from = &d.styles
		}
		step := (*from)[0]
		*from = (*from)[1:]
		step()
	}
}

// walk rewrites the elements below a node. The parser limits their depth.
func (d *document) walk(n *html.Node) error {
	for child := n.FirstChild; child != nil; {
		following := child.NextSibling
		switch child.Type {
		case html.CommentNode:
			remove(child)
		case html.TextNode:
			d.show(child.Data)
		case html.ElementNode:
			d.element(child)
		}
		if child.Parent == n {
			if err := d.walk(child); err != nil {
				return err
			}
		}
		child = following
	}
	return d.ctx.Err()
}

// show adds the characters of a text, in both cases, since styles may change it.
func (d *document) show(text string) {
	for _, r := range text {
		if !d.shown[r] {
			d.shown[r], d.shown[unicode.ToUpper(r)], d.shown[unicode.ToLower(r)] = true, true, true
		}
	}
}

// unhide replaces each <noscript> by its content, which a browser without scripts shows.
func (d *document) unhide(root *html.Node) {
	for _, n := range slices.Collect(root.Descendants()) {
		if n.Type != html.ElementNode || n.DataAtom != atom.Noscript {
			continue
		}
		if repeats(n) {
			n.Parent.RemoveChild(n)
			continue
		}
		unwrap(n)
	}
}

// repeats reports whether a <noscript> only contains the image that the element before it loads by a script.
func repeats(n *html.Node) bool {
	var image *html.Node
	for child := range n.Descendants() {
		if child.Type == html.TextNode && strings.TrimSpace(child.Data) != "" || image != nil && child.DataAtom == atom.Img {
			return false
		}
		if child.DataAtom == atom.Img {
			image = child
		}
	}
	before := n.PrevSibling
	for before != nil && before.Type != html.ElementNode {
		before = before.PrevSibling
	}
	if image == nil || before == nil || before.DataAtom != atom.Img {
		return false
	}
	lazy, _ := imageSource(before.Attr)
	plain, _ := imageSource(image.Attr)
	return lazy == plain
}

// unwrap replaces an element by its children.
func unwrap(n *html.Node) {
	for child := n.FirstChild; child != nil; child = n.FirstChild {
		n.RemoveChild(child)
		n.Parent.InsertBefore(child, n)
	}
	n.Parent.RemoveChild(n)
}

// maxBase limits the length of a base address, since resolving takes time that grows with its square.
const maxBase = 2_048

// findBase determines the address that references are relative to.
func (d *document) findBase(root *html.Node) {
	for n := range root.Descendants() {
		if href, ok := attribute(n.Attr, "href"); ok && n.Type == html.ElementNode && n.DataAtom == atom.Base {
			if base, err := resolve(d.base, strings.TrimSpace(href)); err == nil && len(base.String()) <= maxBase {
				d.base = base
			}
			return
		}
	}
}

// attribute returns the value of an attribute.
func attribute(attributes []html.Attribute, key string) (string, bool) {
	for _, a := range attributes {
		if a.Key == key && a.Namespace == "" {
			return a.Val, true
		}
	}
	return "", false
}

// first returns the first value of several attributes that is not empty.
func first(attributes []html.Attribute, keys ...string) string {
	for _, key := range keys {
		if value, _ := attribute(attributes, key); strings.TrimSpace(value) != "" {
			return value
		}
	}
	return ""
}

func set(n *html.Node, key, value string) {
	for i := range n.Attr {
		if n.Attr[i].Key == key && n.Attr[i].Namespace == "" {
			n.Attr[i].Val = value
			return
		}
	}
	n.Attr = append(n.Attr, html.Attribute{Key: key, Val: value})
}

// become turns an element into another one without attributes, except those given.
func become(n *html.Node, name atom.Atom, attributes ...html.Attribute) {
	n.Data, n.DataAtom, n.Namespace, n.Attr = name.String(), name, "", attributes
}

// remove removes a node from the tree.
func remove(n *html.Node) {
	if n.Parent != nil {
		n.Parent.RemoveChild(n)
	}
}

// empty removes the children of a node.
func empty(n *html.Node) {
	for n.FirstChild != nil {
		n.RemoveChild(n.FirstChild)
	}
}

// setText makes a text the only child of a node.
func setText(n *html.Node, text string) {
	empty(n)
	n.AppendChild(&html.Node{Type: html.TextNode, Data: text})
}

// embed puts an image into an attribute once it is fetched.
func (d *document) embed(n *html.Node, key, reference string) {
	d.embedPart(n, key, reference, imagePart)
}

// embedPart puts a part into an attribute once it is fetched.
func (d *document) embedPart(n *html.Node, key, reference string, k kind) {
	p := d.loader.want(k, d.base, reference)
	_, fragment, _ := strings.Cut(reference, "#")
	d.steps = append(d.steps, func() {
		if data, ok := d.loader.embed(p); ok {
			if fragment != "" && strings.HasPrefix(data, "data:image/svg") && !isData(reference) {
				data += "#" + fragment
			}
			set(n, key, data)
		}
	})
}

// declarations rewrites a style attribute, or another one with references of styles.
func (d *document) declarations(n *html.Node, key, text string) {
	d.request(text, d.base, false)
	d.steps = append(d.steps, func() { set(n, key, d.sheet(d.base, nil).rewritten(text, false)) })
}

// request begins to fetch the parts of a style sheet.
func (d *document) request(text string, base *url.URL, top bool) {
	s := &sheet{shows: d.shows}
	s.embed = func(k kind, reference string) string {
		if !isData(reference) {
			d.loader.want(k, base, reference)
		}
		return ""
	}
	s.insert = func(i importRule) {
		if !isData(i.reference) {
			d.loader.want(stylePart, base, i.reference)
		}
	}
	s.write(text, top)
}

func (d *document) shows(ranges string) bool { return inRanges(d.shown, ranges) }

// sheet returns the rewriter for a style sheet. around are the addresses of those that import it.
func (d *document) sheet(base *url.URL, around []string) *sheet {
	s := &sheet{shows: d.shows}
	s.embed = func(k kind, reference string) string {
		data, _ := d.loader.embed(d.loader.want(k, base, reference))
		return data
	}
	s.insert = func(i importRule) { d.insert(s, i, base, around) }
	return s
}

// insert writes an imported style sheet in place of its @import.
func (d *document) insert(s *sheet, i importRule, base *url.URL, around []string) {
	p := d.loader.want(stylePart, base, i.reference)
	if d.loader.wait(p) != nil || slices.Contains(around, p.address) {
		return
	}
	if err := d.mayInsert(len(p.body), len(around)); err != nil {
		d.loader.miss(&part{address: p.address, err: err})
		return
	}
	if p.url != nil {
		base = p.url
	}
	text := d.decodedStyle(p)
	inner := d.sheet(base, append(slices.Clone(around), p.address))
	d.request(text, base, true)
	begin, end := i.wrap()
	s.out.WriteString(begin + inner.rewritten(text, true) + end)
}

// mayInsert counts a style sheet as part of the file. depth counts those around it.
func (d *document) mayInsert(size, depth int) error {
	switch {
	case d.ctx.Err() != nil:
		return errTime
	case depth > d.limits.Imports:
		return errDeep
	case !d.loader.charge(size):
		return errBytes
	}
	return nil
}

var atCharset = regexp.MustCompile(`^@charset "([A-Za-z0-9_:.-]{1,40})";`)

// decodedStyle returns the text of a style sheet.
func (d *document) decodedStyle(p *part) string {
	contentType := p.contentType
	if found := atCharset.FindSubmatch(p.body); found != nil && !strings.Contains(contentType, "charset=") {
		contentType = "text/css; charset=" + string(found[1])
	}
	return string(page.Decode(contentType, p.body))
}

var endOfStyle = regexp.MustCompile(`(?i)</(style)`)

// style makes an element the style sheet with a text, once the parts of the text are fetched.
func (d *document) style(n *html.Node, text string, base *url.URL, around []string) {
	if err := d.mayInsert(len(text), 0); err != nil {
		d.loader.miss(&part{address: d.base.String(), err: err})
		remove(n)
		return
	}
	d.request(text, base, true)
	text = d.sheet(base, around).rewritten(text, true)
	if n.Namespace == "" {
		text = endOfStyle.ReplaceAllString(text, `<\/$1`) // the same to CSS
	}
	setText(n, text)
}

// head begins the head of a page with the declarations that the file needs.
func (d *document) head(root *html.Node) {
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.DataAtom != atom.Head || n.Namespace != "" {
			continue
		}
		meta := func(attributes ...html.Attribute) *html.Node {
			return &html.Node{Type: html.ElementNode, Data: "meta", DataAtom: atom.Meta, Attr: attributes}
		}
		nodes := []*html.Node{
			meta(html.Attribute{Key: "charset", Val: "utf-8"}),
			meta(html.Attribute{Key: "http-equiv", Val: "Content-Security-Policy"}, html.Attribute{Key: "content", Val: policy}),
			meta(html.Attribute{Key: "name", Val: "referrer"}, html.Attribute{Key: "content", Val: "no-referrer"}),
		}
		if !d.icon && len(d.around) == 1 { // browsers would request /favicon.ico
			nodes = append(nodes, &html.Node{Type: html.ElementNode, Data: "link", DataAtom: atom.Link,
				Attr: []html.Attribute{{Key: "rel", Val: "icon"}, {Key: "href", Val: nothing}}})
		}
		before := n.FirstChild
		for _, node := range nodes {
			n.InsertBefore(node, before)
		}
		return
	}
}

// lazyImages are the attributes that scripts load images from, best first.
var (
	lazySets   = []string{"data-srcset", "data-lazy-srcset", "data-original-set"}
	lazyImages = []string{"data-src", "data-lazy-src", "data-original", "data-lazy", "data-original-src", "data-hi-res-src", "data-full-src", "data-url"}
)

// imageSource returns the address of an image, and whether a script would load it.
func imageSource(attributes []html.Attribute) (address string, lazy bool) {
	lazySet := page.Largest(first(attributes, lazySets...))
	if address = cmp.Or(lazySet, first(attributes, lazyImages...)); address != "" {
		return address, true
	}
	return cmp.Or(page.Largest(first(attributes, "srcset")), first(attributes, "src")), false
}
