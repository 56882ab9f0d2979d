package capture

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// dropped are attributes that cause requests or behaviour. Those with images return once the image is fetched.
var dropped = map[string]bool{"src": true, "srcset": true, "sizes": true, "imagesrcset": true, "imagesizes": true, "srcdoc": true, "data": true,
	"poster": true, "background": true, "lowsrc": true, "dynsrc": true, "action": true, "formaction": true, "ping": true, "attributionsrc": true,
	"integrity": true, "nonce": true, "crossorigin": true, "manifest": true, "archive": true, "code": true, "codebase": true, "classid": true,
	"object": true, "profile": true, "icon": true, "loading": true, "fetchpriority": true, "autofocus": true, "autoplay": true, "base": true,
	"referrerpolicy": true, "sandbox": true, "allow": true, "http-equiv": true}

// element rewrites one element of a page.
func (d *document) element(n *html.Node) {
	old := n.Attr
	n.Attr = nil
	for _, a := range old {
		key := strings.ToLower(localName(a.Key))
		switch {
		case strings.HasPrefix(key, "on"), dropped[key], key == "href" && a.Namespace != "xmlns":
		case key == "style", n.Namespace == "svg" && a.Namespace == "" && strings.ContainsAny(a.Val, `(\`):
			n.Attr = append(n.Attr, a)
			d.declarations(n, a.Key, a.Val)
		default:
			n.Attr = append(n.Attr, a)
		}
	}
	if n.Namespace != "" {
		d.foreign(n, old)
		return
	}
	switch n.DataAtom {
	case atom.Script, atom.Base, atom.Noembed, atom.Noframes, atom.Param, atom.Track:
		remove(n)
	case atom.Plaintext, atom.Xmp:
		become(n, atom.Pre)
	case atom.Template:
		if _, ok := attribute(old, "shadowrootmode"); !ok {
			remove(n)
		}
	case atom.Meta:
		d.meta(n, old)
	case atom.Link:
		d.link(n, old)
	case atom.Style:
		d.inlineStyle(n, old)
	case atom.A, atom.Area:
		d.anchor(n, old)
	case atom.Picture:
		d.picture(n)
	case atom.Img:
		d.image(n, old)
	case atom.Input:
		if src := first(old, "src"); src != "" && strings.EqualFold(first(old, "type"), "image") {
			d.embed(n, "src", src)
		}
	case atom.Source:
		remove(n)
	case atom.Video, atom.Audio:
		d.media(n, old)
	case atom.Iframe, atom.Frame:
		d.frame(n, old)
	case atom.Object, atom.Embed:
		d.object(n, old)
	case atom.Applet:
		become(n, atom.Div)
	case atom.Body:
		d.body = n
		d.background(n, old)
	case atom.Table, atom.Thead, atom.Tbody, atom.Tfoot, atom.Tr, atom.Td, atom.Th:
		d.background(n, old)
	default:
		switch n.Data {
		case "portal", "fencedframe", "bgsound":
			remove(n)
		}
	}
	if background := first(old, "data-bg", "data-background", "data-background-image"); background != "" && !strings.ContainsAny(background, "(;{") {
		style, _ := attribute(n.Attr, "style")
		d.declarations(n, "style", style+";background-image:url("+quote(background)+")")
	}
}

func (d *document) background(n *html.Node, old []html.Attribute) {
	if background := first(old, "background"); background != "" {
		d.embed(n, "background", background)
	}
}

// foreign rewrites an element of a drawing or a formula.
func (d *document) foreign(n *html.Node, old []html.Attribute) {
	name := strings.ToLower(n.Data)
	href, prefixed := "", html.Attribute{Key: "href"}
	for _, a := range old {
		if strings.EqualFold(localName(a.Key), "href") && a.Namespace != "xmlns" && href == "" {
			href = strings.TrimSpace(a.Val)
			prefixed.Namespace = a.Namespace
		}
		if strings.EqualFold(a.Key, "attributeName") && isReference(a.Val) {
			remove(n)
			return
		}
	}
	switch {
	case foreign[name]:
		remove(n)
	case name == "style":
		d.inlineStyle(n, old)
	case name == "a":
		d.anchor(n, []html.Attribute{{Key: "href", Val: href}})
	case strings.HasPrefix(href, "#"):
		prefixed.Val = href
		n.Attr = append(n.Attr, prefixed)
	case href != "" && (name == "image" || name == "feimage"):
		d.embed(n, "href", href)
	case name == "use" && strings.Contains(href, "#"):
		d.use(n, href)
	}
}

// meta keeps descriptions of the page, but nothing that changes what browsers do.
func (d *document) meta(n *html.Node, old []html.Attribute) {
	_, charset := attribute(old, "charset")
	_, equivalent := attribute(old, "http-equiv")
	if name := strings.ToLower(first(old, "name")); charset || equivalent || name == "referrer" || name == "monetization" {
		remove(n)
	}
}

// linked are relations that cause no request.
var linked = []string{"canonical", "author", "license"}

func (d *document) link(n *html.Node, old []html.Attribute) {
	relations := strings.Fields(strings.ToLower(first(old, "rel")))
	href := first(old, "href")
	has := func(name string) bool { return slices.Contains(relations, name) }
	load := strings.ToLower(first(old, "onload"))
	_, disabled := attribute(old, "disabled")
	switch {
	case href == "":
		remove(n)
	case has("stylesheet") && !has("alternate") && !disabled,
		has("preload") && strings.EqualFold(first(old, "as"), "style") && strings.Contains(load, "stylesheet"):
		media := first(old, "media")
		if strings.Contains(load, "media") { // styles that load late
			media = ""
		}
		d.styleSheet(n, href, media)
	case has("icon") && !d.icon:
		d.icon = true
		n.Attr = []html.Attribute{{Key: "rel", Val: "icon"}, {Key: "href", Val: nothing}}
		d.embed(n, "href", href)
	case slices.ContainsFunc(linked, has) && len(relations) == 1:
		d.anchor(n, old)
	default:
		remove(n)
	}
}

// styleSheet replaces a link by the style sheet that it leads to.
func (d *document) styleSheet(n *html.Node, href, media string) {
	p := d.loader.want(stylePart, d.base, href)
	become(n, atom.Style)
	if media != "" {
		set(n, "media", media)
	}
	d.styles = append(d.styles, func() {
		if d.loader.wait(p) != nil {
			remove(n)
			return
		}
		base := d.base
		if p.url != nil {
			base = p.url
		}
		d.style(n, d.decodedStyle(p), base, []string{p.address})
	})
}

func (d *document) inlineStyle(n *html.Node, old []html.Attribute) {
	if kind := strings.TrimSpace(first(old, "type")); kind != "" && !strings.EqualFold(kind, "text/css") {
		remove(n)
		return
	}
	var text strings.Builder
	for child := range n.Descendants() {
		if child.Type == html.TextNode {
			text.WriteString(child.Data)
		}
	}
	d.styles = append(d.styles, func() { d.style(n, text.String(), d.base, nil) })
}

// schemes are those that links may have besides http and https.
var schemes = []string{"mailto", "tel", "sms", "geo", "magnet", "xmpp", "ftp"}

// anchor makes the address of a link absolute. It removes addresses that are scripts or documents.
func (d *document) anchor(n *html.Node, old []html.Attribute) {
	href := strings.TrimSpace(first(old, "href"))
	if href == "" {
		return
	}
	if strings.HasPrefix(href, "#") {
		set(n, "href", href)
		return
	}
	if to, err := resolve(d.base, href); err == nil {
		set(n, "href", d.within(to))
		return
	}
	if scheme, _, ok := strings.Cut(href, ":"); ok && slices.Contains(schemes, strings.ToLower(scheme)) {
		set(n, "href", href)
	}
}

// within returns the address of a link, without the page's own address if it leads to a place in the page.
func (d *document) within(to *url.URL) string {
	page, fragment, ok := strings.Cut(to.String(), "#")
	if ok && page == d.around[len(d.around)-1] {
		return "#" + fragment
	}
	return to.String()
}

// picture sets the image of an <img> to that of the first <source>, if it has none itself.
func (d *document) picture(n *html.Node) {
	source := ""
	for child := range n.ChildNodes() {
		switch child.DataAtom {
		case atom.Source:
			found, _ := imageSource(child.Attr)
			source = cmp.Or(source, found)
		case atom.Img:
			if own, _ := imageSource(child.Attr); source != "" && (own == "" || isData(own)) {
				set(child, "data-src", source)
			}
		}
	}
}

// image embeds the best image of an <img>, also if scripts would load it.
func (d *document) image(n *html.Node, old []html.Attribute) {
	if tiny(old) {
		remove(n) // it counts readers
		return
	}
	address, lazy := imageSource(old)
	if address == "" {
		return
	}
	if lazy {
		class, _ := attribute(n.Attr, "class")
		set(n, "class", strings.Join(slices.DeleteFunc(strings.Fields(class), func(name string) bool { return late[name] }), " ")+" lazyloaded")
	}
	d.embed(n, "src", address)
}

// late are classes that hide images until scripts load them.
var late = map[string]bool{"lazy": true, "lazyload": true, "lazyloading": true, "b-lazy": true}

// tiny reports whether an image or a frame is not to be seen.
func tiny(attributes []html.Attribute) bool {
	small := func(key string) bool {
		value, ok := attribute(attributes, key)
		size, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), "px"))
		return ok && err == nil && size <= 1
	}
	return small("width") && small("height")
}

func (d *document) media(n *html.Node, old []html.Attribute) {
	source := first(old, "src", "data-src")
	for child := range n.ChildNodes() {
		if child.DataAtom == atom.Source && source == "" {
			source = first(child.Attr, "src", "data-src")
		}
	}
	empty(n)
	if source != "" {
		k := videoPart
		if n.DataAtom == atom.Audio {
			k = soundPart
		}
		d.embedPart(n, "src", source, k)
	}
	if poster := first(old, "poster", "data-poster"); poster != "" && n.DataAtom == atom.Video {
		d.embed(n, "poster", poster)
	}
}

// absolute returns the address of a reference for reports and links, or the reference if it is not valid.
func (d *document) absolute(reference string) string {
	if to, err := resolve(d.base, strings.TrimSpace(reference)); err == nil {
		return to.String()
	}
	return reference
}

// pictureType reports whether an <object> or <embed> is an image, by its type or its address.
func pictureType(attributes []html.Attribute, reference string) bool {
	if kind := strings.ToLower(first(attributes, "type")); kind != "" {
		return strings.HasPrefix(kind, "image/")
	}
	path, _, _ := strings.Cut(strings.ToLower(reference), "?")
	return slices.ContainsFunc([]string{".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif"}, func(end string) bool { return strings.HasSuffix(path, end) })
}

// object turns an embedded image into an <img>, and anything else into its fallback.
func (d *document) object(n *html.Node, old []html.Attribute) {
	reference := first(old, "data", "src")
	kept := n.Attr
	if n.DataAtom == atom.Object {
		become(n, atom.Span, kept...)
	}
	switch {
	case reference == "":
	case !pictureType(old, reference):
		d.loader.miss(&part{address: d.absolute(reference), err: errKind})
	default:
		p := d.loader.want(imagePart, d.base, reference)
		d.steps = append(d.steps, func() {
			if data, ok := d.loader.embed(p); ok {
				empty(n)
				become(n, atom.Img, append(kept, html.Attribute{Key: "src", Val: data})...)
			}
		})
		if n.DataAtom == atom.Embed {
			become(n, atom.Img, kept...)
		}
		return
	}
	if n.DataAtom == atom.Embed {
		remove(n)
	}
}

// frame replaces a frame by a copy of its page, or by a link to it.
func (d *document) frame(n *html.Node, old []html.Attribute) {
	empty(n)
	reference := first(old, "src", "data-src", "data-lazy-src")
	inside, own := attribute(old, "srcdoc")
	if tiny(old) || hiddenStyle(old) || !own && (reference == "" || strings.HasPrefix(strings.ToLower(strings.TrimSpace(reference)), "about:")) {
		remove(n)
		return
	}
	if own {
		d.steps = append(d.steps, func() { d.fillFrame(n, d.base, []byte(inside), old) })
		return
	}
	if len(d.around) > d.limits.Frames {
		d.loader.miss(&part{address: d.absolute(reference), err: errDeep})
		d.leave(n, d.absolute(reference), old)
		return
	}
	p := d.loader.want(framePart, d.base, reference)
	d.steps = append(d.steps, func() {
		if d.loader.wait(p) != nil || slices.Contains(d.around, p.address) {
			d.leave(n, p.address, old)
			return
		}
		at := d.base
		if p.url != nil {
			at = p.url
		}
		d.fillFrame(n, at, decoded(p.contentType, p.body), old)
	})
}

func hiddenStyle(attributes []html.Attribute) bool {
	style, _ := attribute(attributes, "style")
	style = strings.ReplaceAll(strings.ToLower(style), " ", "")
	return strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden")
}

// fillFrame puts a page into a frame.
func (d *document) fillFrame(n *html.Node, at *url.URL, text []byte, old []html.Attribute) {
	fail := func(err error) {
		d.loader.miss(&part{address: at.String(), err: err})
		d.leave(n, at.String(), old)
	}
	switch {
	case len(d.around) > d.limits.Frames:
		fail(errDeep)
		return
	case d.pages >= d.limits.Pages:
		fail(errParts)
		return
	}
	doc, err := d.document(d.ctx, at, text, d.around)
	if err != nil {
		fail(errDeep)
		return
	}
	inside, err := d.render(doc)
	if err != nil || !d.loader.charge(len(inside)) {
		fail(errBytes)
		return
	}
	if n.DataAtom == atom.Frame {
		set(n, "src", "data:text/html;charset=utf-8;base64,"+base64.StdEncoding.EncodeToString([]byte(inside)))
		return
	}
	set(n, "srcdoc", inside)
	set(n, "sandbox", "")
}

// leave puts a link into the place of a frame.
func (d *document) leave(n *html.Node, address string, old []html.Attribute) {
	if n.DataAtom == atom.Frame {
		set(n, "src", nothing)
		return
	}
	if _, err := resolve(d.base, address); err != nil {
		remove(n)
		return
	}
	label := first(old, "title")
	if label == "" {
		label = address
	}
	become(n, atom.A)
	setText(n, label)
	d.anchor(n, []html.Attribute{{Key: "href", Val: address}})
}
