package capture

import (
	"bytes"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// use lets a <use> show a drawing of another file, which browsers do not take from a data: address. The drawing moves
// into the page.
func (d *document) use(n *html.Node, reference string) {
	p := d.loader.want(imagePart, d.base, reference)
	_, id, _ := strings.Cut(reference, "#")
	d.steps = append(d.steps, func() {
		if name := d.symbol(p, id); name != "" {
			set(n, "href", "#"+name)
		}
	})
}

// symbol returns the id, in this page, of a drawing in a file of several. It is "" if the file has no such drawing.
func (d *document) symbol(p *part, id string) string {
	key := p.address + "#" + id
	if name, ok := d.symbols[key]; ok {
		return name
	}
	d.symbols[key] = ""
	found := find(d.sprite(p), id)
	if found == nil || d.body == nil {
		return ""
	}
	remove(found)
	name := "copied-" + strconv.Itoa(len(d.symbols)) + "-" + id
	set(found, "id", name)
	holder := &html.Node{Type: html.ElementNode, Data: "svg", DataAtom: atom.Svg, Namespace: "svg",
		Attr: []html.Attribute{{Key: "hidden"}, {Key: "style", Val: "display:none"}}}
	holder.AppendChild(found)
	d.body.AppendChild(holder)
	if d.walk(holder) != nil {
		return ""
	}
	d.symbols[key] = name
	return name
}

// sprite returns the elements of a drawing, or nil.
func (d *document) sprite(p *part) *html.Node {
	if root, ok := d.sprites[p]; ok {
		return root
	}
	d.sprites[p] = nil
	data, ok := d.loader.embed(p)
	if !ok {
		return nil
	}
	_, _, text, ok := decodeData(data)
	if !ok || !bytes.HasPrefix(text, []byte("<svg")) {
		return nil
	}
	root, err := d.parse(d.ctx, text)
	if err != nil {
		return nil
	}
	d.sprites[p] = root
	return root
}

// find returns the element of a drawing with an id, or nil.
func find(root *html.Node, id string) *html.Node {
	if root == nil {
		return nil
	}
	for n := range root.Descendants() {
		if own, ok := attribute(n.Attr, "id"); ok && own == id && n.Type == html.ElementNode && n.Namespace == "svg" {
			return n
		}
	}
	return nil
}
