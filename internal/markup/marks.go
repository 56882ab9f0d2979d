package markup

import (
	"slices"
	"strings"
	"unicode/utf8"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Range is a part of the characters of a text, from Start to before End. Name identifies it.
type Range struct {
	Name       string
	Start, End int
}

// Characters returns the text nodes of sanitised HTML, one after the other. It is what scripts read as
// textContent, and what positions in a text refer to.
func Characters(safe string) string {
	var b strings.Builder
	for _, n := range fragment(safe) {
		for n := range textNodes(n) {
			b.WriteString(n.Data)
		}
	}
	return b.String()
}

// Mark returns sanitised HTML in which mark elements contain the given ranges of its characters. The first element
// of a range has its name as id. Where ranges overlap, the elements have the name of the one that starts last.
func Mark(safe string, ranges []Range) string {
	nodes, at := fragment(safe), 0
	started := map[string]bool{}
	var all []*nethtml.Node
	for _, n := range nodes {
		all = slices.AppendSeq(all, textNodes(n))
	}
	root := &nethtml.Node{Type: nethtml.ElementNode, Data: "div", DataAtom: atom.Div}
	for _, n := range nodes {
		root.AppendChild(n)
	}
	for _, n := range all {
		length := utf8.RuneCountInString(n.Data)
		markNode(n, at, length, ranges, started)
		at += length
	}
	var b strings.Builder
	for n := range root.ChildNodes() {
		_ = nethtml.Render(&b, n) // writing to a Builder never fails
	}
	return b.String()
}

// markNode replaces a text node by pieces, some of them in mark elements.
func markNode(n *nethtml.Node, at, length int, ranges []Range, started map[string]bool) {
	if strings.TrimSpace(n.Data) == "" { // between blocks
		return
	}
	edges, touched := []int{0, length}, false
	for _, r := range ranges {
		if r.Start >= at+length || r.End <= at || r.Start >= r.End {
			continue
		}
		touched = true
		for _, edge := range []int{r.Start - at, r.End - at} {
			if edge > 0 && edge < length {
				edges = append(edges, edge)
			}
		}
	}
	if !touched {
		return
	}
	slices.Sort(edges)
	edges = slices.Compact(edges)
	letters := []rune(n.Data)
	for i, from := range edges[:len(edges)-1] {
		piece := &nethtml.Node{Type: nethtml.TextNode, Data: string(letters[from:edges[i+1]])}
		n.Parent.InsertBefore(marked(piece, at+from, ranges, started), n)
	}
	n.Parent.RemoveChild(n)
}

// marked returns a piece of text in mark elements: one for each range that starts here, or else one for the range
// that started last.
func marked(piece *nethtml.Node, at int, ranges []Range, started map[string]bool) *nethtml.Node {
	var over *Range
	var fresh []string
	for i, r := range ranges {
		if r.Start > at || r.End <= at {
			continue
		}
		if over == nil || r.Start >= over.Start {
			over = &ranges[i]
		}
		if !started[r.Name] {
			started[r.Name] = true
			fresh = append(fresh, r.Name)
		}
	}
	if over == nil {
		return piece
	}
	if len(fresh) == 0 {
		return around(piece, nethtml.Attribute{Key: "data-of", Val: over.Name})
	}
	for _, name := range fresh {
		piece = around(piece, nethtml.Attribute{Key: "id", Val: name}, nethtml.Attribute{Key: "data-of", Val: name})
	}
	return piece
}

func around(n *nethtml.Node, attributes ...nethtml.Attribute) *nethtml.Node {
	m := &nethtml.Node{Type: nethtml.ElementNode, Data: "mark", DataAtom: atom.Mark, Attr: attributes}
	m.AppendChild(n)
	return m
}

// fragment parses sanitised HTML.
func fragment(safe string) []*nethtml.Node {
	// Reading from a string never fails.
	nodes, _ := nethtml.ParseFragment(strings.NewReader(safe), &nethtml.Node{Type: nethtml.ElementNode, Data: "div", DataAtom: atom.Div})
	return nodes
}

// textNodes visits the text nodes of a tree in their order.
func textNodes(root *nethtml.Node) func(yield func(*nethtml.Node) bool) {
	return func(yield func(*nethtml.Node) bool) {
		if root.Type == nethtml.TextNode {
			yield(root)
			return
		}
		for n := range root.Descendants() {
			if n.Type == nethtml.TextNode && !yield(n) {
				return
			}
		}
	}
}
