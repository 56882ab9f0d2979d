package site_test

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// voids are elements without an end tag.
var voids = []string{"meta", "link", "img", "input", "br", "source"}

// wellFormed checks what is required of every page: elements are properly nested, there are no
// inline scripts or styles, every field has a label, headings are in order, ids are unique, and
// references to them are valid.
func (p *page) wellFormed() {
	p.t.Helper()
	p.nested()
	doc, err := html.Parse(strings.NewReader(p.body))
	if err != nil {
		p.t.Fatalf("%s: %v", p.from, err)
	}
	p.doc = doc
	c := checker{p: p, ids: map[string]int{}, labels: map[string]bool{}}
	each(doc, c.collect)
	each(doc, c.element)
	if c.h1 != 1 || c.titles != 1 || c.mains != 1 || c.lang != p.header.Get("Content-Language") || c.lang == "" {
		p.t.Errorf("%s: %d headings of the page, %d titles, %d mains, language %q", p.from, c.h1, c.titles, c.mains, c.lang)
	}
	for id, n := range c.ids {
		if n > 1 {
			p.t.Errorf("%s: %d elements have the id %s", p.from, n, id)
		}
	}
}

// nested compares start and end tags, since parsers tolerate errors.
func (p *page) nested() {
	p.t.Helper()
	var open []string
	for z := html.NewTokenizer(strings.NewReader(p.body)); ; {
		kind := z.Next()
		name, _ := z.TagName()
		switch tag := string(name); {
		case kind == html.ErrorToken:
			if len(open) > 0 {
				p.t.Errorf("%s: %v are not closed", p.from, open)
			}
			return
		case kind == html.StartTagToken && !slices.Contains(voids, tag):
			open = append(open, tag)
		case kind == html.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != tag {
				p.t.Errorf("%s: </%s> closes %v", p.from, tag, open)
				return
			}
			open = open[:len(open)-1]
		}
	}
}

// bookmarklet matches the only javascript: address. Users drag it to their bookmarks; on our own
// pages the policy prevents it from running.
var bookmarklet = regexp.MustCompile(`^javascript:location\.href=%27https://[a-z.]+/save\?url=%27\+encodeURIComponent%28location\.href%29\+%27&title=%27\+encodeURIComponent%28document\.title%29\+%27&text=%27\+encodeURIComponent%28getSelection%28%29%29$`)

// checker walks a page.
type checker struct {
	p                        *page
	ids                      map[string]int
	labels                   map[string]bool
	level, h1, titles, mains int
	lang                     string
}

func each(n *html.Node, f func(*html.Node)) {
	f(n)
	for child := range n.ChildNodes() {
		each(child, f)
	}
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// collect records ids and labels.
func (c *checker) collect(n *html.Node) {
	if id := attr(n, "id"); id != "" {
		c.ids[id]++
	}
	if n.Type == html.ElementNode && n.Data == "label" {
		c.labels[attr(n, "for")] = true
	}
}

func (c *checker) element(n *html.Node) {
	if n.Type != html.ElementNode {
		return
	}
	t, from := c.p.t, c.p.from
	for _, a := range n.Attr {
		if a.Key == "style" || strings.HasPrefix(a.Key, "on") || strings.HasPrefix(strings.TrimPrefix(a.Key, "data-"), "hx-on") {
			t.Errorf("%s: <%s> has %s=%q", from, n.Data, a.Key, a.Val)
		}
		if strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Val)), "javascript:") && !bookmarklet.MatchString(a.Val) {
			t.Errorf("%s: <%s> has %s=%q", from, n.Data, a.Key, a.Val)
		}
	}
	for id := range strings.FieldsSeq(attr(n, "aria-describedby")) {
		if c.ids[id] == 0 {
			t.Errorf("%s: nothing has the id %s", from, id)
		}
	}
	switch n.Data {
	case "script":
		if !strings.Contains(attr(n, "src"), "/assets/") || text(n) != "" {
			t.Errorf("%s has a script that is not one of our files", from)
		}
	case "iframe":
		if !strings.HasPrefix(attr(n, "src"), "https://") || !strings.HasPrefix(attr(n, "sandbox"), "allow-scripts") || strings.Contains(attr(n, "sandbox"), "navigation") || attr(n, "title") == "" {
			t.Errorf("%s has a frame that may do too much: %v", from, n.Attr)
		}
	case "style", "object", "embed", "base":
		t.Errorf("%s has a <%s>", from, n.Data)
	case "html":
		c.lang = attr(n, "lang")
	case "title":
		c.titles++
	case "main":
		c.mains++
	case "img":
		if !slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "alt" }) {
			t.Errorf("%s: a picture has no alt", from)
		}
	case "h1", "h2", "h3":
		c.heading(int(n.Data[1] - '0'))
	case "input", "textarea", "select":
		c.field(n)
	case "button":
		if strings.TrimSpace(text(n)) == "" {
			t.Errorf("%s: a button says nothing", from)
		}
	case "form":
		if m := attr(n, "method"); m != "post" && m != "get" {
			t.Errorf("%s: a form has the method %q", from, m)
		}
	}
}

func (c *checker) heading(level int) {
	if level == 1 {
		c.h1++
	}
	if level > c.level+1 {
		c.p.t.Errorf("%s: a heading of level %d follows one of %d", c.p.from, level, c.level)
	}
	c.level = level
}

func (c *checker) field(n *html.Node) {
	if attr(n, "type") == "hidden" {
		return
	}
	if attr(n, "name") == "" || !c.labels[attr(n, "id")] && attr(n, "aria-label") == "" {
		c.p.t.Errorf("%s: the field %q has no label", c.p.from, attr(n, "name"))
	}
	if attr(n, "type") == "password" && (attr(n, "value") != "" || attr(n, "autocomplete") == "") {
		c.p.t.Errorf("%s: a password is shown, or not known to be one", c.p.from)
	}
}

func text(n *html.Node) (s string) {
	each(n, func(n *html.Node) {
		if n.Type == html.TextNode {
			s += n.Data
		}
	})
	return s
}
