package exporting

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/weburl"
)

// bookWriter writes a channel as an EPUB 3.3 in the order of its page, the top first. Each batch of
// items is a document, so neither documents nor memory grow with the channel. The package and the
// table of contents are collected in spools and written last. We write the format ourselves because
// the available library (DEPENDENCIES.md) builds the book in memory or in files and downloads
// images from their URLs. Everything specific to EPUB is in this file.
type bookWriter struct {
	e        *Exporter
	zip      *archive
	channel  present.Channel
	manifest spool // of the package: all documents and images
	spine    spool // of the package: documents in order
	toc      spool // table of contents
	pages    int
	pictures ids
}

func newBookWriter(e *Exporter, w io.Writer) *bookWriter {
	return &bookWriter{e: e, zip: newArchive(w, e.o.Folder, e.o.Now()), manifest: spool{folder: e.o.Folder},
		spine: spool{folder: e.o.Folder}, toc: spool{folder: e.o.Folder}, pictures: ids{}}
}

func (w *bookWriter) free() {
	w.zip.free()
	w.manifest.close()
	w.spine.close()
	w.toc.close()
}

const (
	containerXML = xml.Header + `<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>` +
		`<rootfile full-path="book/package.opf" media-type="application/oebps-package+xml"/></rootfiles></container>` + "\n"
	bookStyle = "body{font-family:serif;line-height:1.5;margin:1em}h1,h2{line-height:1.2;overflow-wrap:anywhere}" +
		"section{margin:2em 0;padding-top:1em;border-top:1px solid}img{max-width:100%;height:auto}" +
		".about{font-size:.85em;opacity:.75}pre{white-space:pre-wrap}\n"
	documentStart = xml.Header + `<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>%s</title>` +
		`<link rel="stylesheet" type="text/css" href="style.css"/></head><body>` + "\n"
	documentEnd = "</body></html>\n"
)

func (w *bookWriter) begin(full collections.FullChannel, _ int64) error {
	w.channel = w.e.o.Addresses.Channel(&full.Channel)
	if err := w.start(); err != nil {
		return err
	}
	c := w.channel
	var b strings.Builder
	fmt.Fprintf(&b, documentStart, xmlText(c.Title))
	owner := c.Owner()
	fmt.Fprintf(&b, "<h1>%s</h1>\n<p class=\"about\"><a href=\"%s\">%s</a> · <a href=\"%s\">%s</a></p>\n", xmlText(c.Title),
		xmlText(owner.URL()), xmlText(owner.Name), xmlText(c.URL()), xmlText(c.URL()))
	writeProse(&b, c.Description)
	b.WriteString(documentEnd)
	return w.document("title", c.Title, b.String())
}

// start writes the entries with which every book begins.
func (w *bookWriter) start() error {
	if err := w.zip.addPlain("mimetype", "application/epub+zip"); err != nil {
		return err
	}
	if err := w.zip.add("META-INF/container.xml", []byte(containerXML)); err != nil {
		return err
	}
	return w.zip.add("book/style.css", []byte(bookStyle))
}

// document writes a document of the spine.
func (w *bookWriter) document(name, title, text string) error {
	if err := w.zip.add("book/"+name+".xhtml", []byte(text)); err != nil {
		return err
	}
	if title != "" {
		fmt.Fprintf(&w.toc, "<li><a href=\"%s.xhtml\">%s</a></li>\n", name, xmlText(title))
	}
	fmt.Fprintf(&w.manifest, "<item id=\"%s\" href=\"%s.xhtml\" media-type=\"application/xhtml+xml\"/>\n", name, name)
	_, err := fmt.Fprintf(&w.spine, "<itemref idref=\"%s\"/>\n", name)
	return err
}

func (w *bookWriter) add(ctx context.Context, items []placed) error {
	if len(items) == 0 {
		return nil
	}
	w.pages++
	name := fmt.Sprintf("page-%d", w.pages)
	var b strings.Builder
	fmt.Fprintf(&b, documentStart, xmlText(w.channel.Title))
	for _, item := range items {
		if err := w.item(ctx, &b, name, item); err != nil {
			return err
		}
	}
	b.WriteString(documentEnd)
	return w.document(name, "", b.String())
}

func (w *bookWriter) item(ctx context.Context, b *strings.Builder, page string, item placed) error {
	anchor := "c" + itoa(int64(item.Connection.ID))
	if item.Channel != nil {
		c := w.e.o.Addresses.Channel(item.Channel)
		w.entry(page, anchor, c.Title)
		_, err := fmt.Fprintf(b, "<section id=\"%s\"><h2><a href=\"%s\">%s</a></h2></section>\n", anchor, xmlText(c.URL()), xmlText(c.Title))
		return err
	}
	block := w.e.o.Addresses.Block(item.Block)
	w.entry(page, anchor, block.Heading())
	fmt.Fprintf(b, "<section id=\"%s\">\n", anchor)
	if block.Title != nil && *block.Title != "" {
		fmt.Fprintf(b, "<h2>%s</h2>\n", xmlText(*block.Title))
	}
	if block.HasImage() {
		picture, err := w.picture(ctx, block.Image())
		if err != nil {
			return err
		}
		if picture != "" {
			fmt.Fprintf(b, "<p><img src=\"%s\" alt=\"%s\"/></p>\n", picture, xmlText(text(block.AltText)))
		}
	}
	if block.File != nil {
		f := block.Attachment()
		fmt.Fprintf(b, "<p><a href=\"%s\">%s</a></p>\n", xmlText(f.URL()), xmlText(f.Name))
	}
	writeProse(b, block.Content)
	writeProse(b, block.Description)
	if s := block.Source(); s.URL != "" {
		fmt.Fprintf(b, "<p><a href=\"%s\">%s</a></p>\n", xmlText(s.URL), xmlText(s.Shown()))
	}
	author := block.Author()
	_, err := fmt.Fprintf(b, "<p class=\"about\"><a href=\"%s\">%s</a>, <a href=\"%s\">%s</a></p>\n</section>\n", xmlText(author.URL()),
		xmlText(author.Name), xmlText(block.URL()), block.CreatedAt.UTC().Format(time.DateOnly))
	return err
}

// entry adds a line to the table of contents.
func (w *bookWriter) entry(page, anchor, title string) {
	if strings.TrimSpace(title) == "" {
		title = "–"
	}
	// read reports a write error of the spool.
	fmt.Fprintf(&w.toc, "<li><a href=\"%s.xhtml#%s\">%s</a></li>\n", page, anchor, xmlText(present.Excerpt(title, headingLength)))
}

// bookPictures are the image types that every EPUB 3.3 reader supports.
var bookPictures = map[string]bool{"image/jpeg": true, "image/png": true, "image/gif": true, "image/webp": true}

// picture writes an image in the size for a page, once for all blocks that show it, and returns its
// path, or "" if readers cannot show it.
func (w *bookWriter) picture(ctx context.Context, i present.Image) (string, error) {
	name := i.File.Version(domain.LargeImage)
	kind := i.ContentType
	if i.Resized != "" {
		kind = map[string]string{"jpg": "image/jpeg", "webp": "image/webp"}[i.Resized]
	}
	if !bookPictures[kind] {
		return "", nil
	}
	id := int64(i.File.ID)
	path := "picture-" + itoa(id) + safeExtensionOf(name)
	if w.pictures.has(id) {
		return path, nil
	}
	f, err := w.e.o.App.Content.OpenFile(ctx, *i.File, name)
	if isGone(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Content.Close() }()
	if err := copyInto(ctx, w.zip, "book/"+path, f.Content); err != nil {
		return "", err
	}
	w.pictures.add(id)
	_, err = fmt.Fprintf(&w.manifest, "<item id=\"picture-%d\" href=\"%s\" media-type=\"%s\"/>\n", id, path, kind)
	return path, err
}

func (w *bookWriter) end(context.Context) error {
	c := w.channel
	title := strings.TrimSpace(c.Title)
	if title == "" {
		title = c.Slug
	}
	return w.finish(bookAbout{ID: w.e.o.Addresses.API + c.Links()[0].Path, Title: title, Language: "und", Creator: c.Owner().Name, Source: c.URL(), Modified: c.UpdatedAt})
}

// bookAbout is the metadata of a book.
type bookAbout struct {
	ID, Title, Language, Creator, Source string
	Modified                             time.Time
}

// finish writes the table of contents and the package.
func (w *bookWriter) finish(a bookAbout) error {
	if err := w.gathered("book/nav.xhtml", fmt.Sprintf(documentStart, xmlText(a.Title))+"<nav epub:type=\"toc\"><h1>"+xmlText(a.Title)+"</h1><ol>\n", &w.toc,
		"</ol></nav>\n"+documentEnd); err != nil {
		return err
	}
	head := xml.Header + `<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">` +
		`<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">` +
		"<dc:identifier id=\"id\">" + xmlText(a.ID) + "</dc:identifier>" +
		"<dc:title>" + xmlText(a.Title) + "</dc:title><dc:language>" + a.Language + "</dc:language>" +
		"<dc:creator>" + xmlText(a.Creator) + "</dc:creator><dc:source>" + xmlText(a.Source) + "</dc:source>" +
		"<meta property=\"dcterms:modified\">" + a.Modified.UTC().Format("2006-01-02T15:04:05Z") + "</meta></metadata>\n<manifest>\n" +
		"<item id=\"nav\" href=\"nav.xhtml\" media-type=\"application/xhtml+xml\" properties=\"nav\"/>\n" +
		"<item id=\"style\" href=\"style.css\" media-type=\"text/css\"/>\n"
	if err := w.gathered("book/package.opf", head, &w.manifest, "</manifest>\n<spine>\n", &w.spine, "</spine></package>\n"); err != nil {
		return err
	}
	return w.zip.close()
}

// gathered writes an entry from texts and spools.
func (w *bookWriter) gathered(name string, parts ...any) error {
	to, err := w.zip.create(name, false)
	if err != nil {
		return err
	}
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			_, err = io.WriteString(to, part)
		case *spool:
			var r io.Reader
			if r, err = part.read(); err == nil {
				_, err = io.Copy(to, r)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// xmlText escapes a text for XML and replaces characters that XML does not allow.
func xmlText(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder never fails
	return b.String()
}

// writeProse writes a rendered text as XHTML. It was sanitized when it was saved. Images on other
// sites become links, because a book must contain its images.
func writeProse(b *strings.Builder, t *domain.Text) {
	if t == nil {
		return
	}
	nodes, err := html.ParseFragment(strings.NewReader(t.HTML), &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil {
		return // reading from a string does not fail
	}
	b.WriteString("<div>")
	for _, n := range nodes {
		writeNode(b, n)
	}
	b.WriteString("</div>\n")
}

// bookAttributes are the attributes that are kept.
var bookAttributes = map[string]bool{"title": true, "start": true, "dir": true, "lang": true, "colspan": true, "rowspan": true}

func writeNode(b *strings.Builder, n *html.Node) {
	switch n.Type {
	case html.TextNode:
		b.WriteString(xmlText(n.Data))
		return
	case html.ElementNode:
	default:
		return
	}
	name := n.Data
	switch n.DataAtom {
	case atom.Img:
		writeLinked(b, attribute(n, "src"), attribute(n, "alt"))
		return
	case atom.Input: // of a task list
		b.WriteString("☐ ")
		return
	case 0, atom.Script, atom.Style, atom.Iframe, atom.Object, atom.Svg, atom.Math:
		return
	}
	b.WriteString("<" + name)
	for _, a := range n.Attr {
		if bookAttributes[a.Key] {
			b.WriteString(" " + a.Key + `="` + xmlText(a.Val) + `"`)
		}
	}
	if n.DataAtom == atom.A {
		if to := absolute(attribute(n, "href")); to != "" {
			b.WriteString(` href="` + xmlText(to) + `"`)
		}
	}
	if n.DataAtom == atom.Br || n.DataAtom == atom.Hr {
		b.WriteString("/>")
		return
	}
	b.WriteString(">")
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		writeNode(b, child)
	}
	b.WriteString("</" + name + ">")
}

func writeLinked(b *strings.Builder, address, words string) {
	if strings.TrimSpace(words) == "" {
		words = address
	}
	if to := absolute(address); to != "" {
		b.WriteString(`<a href="` + xmlText(to) + `">` + xmlText(words) + "</a>")
		return
	}
	b.WriteString(xmlText(words))
}

// absolute returns a URL that works from within a book, or "".
func absolute(address string) string {
	if u, err := url.Parse(address); err == nil && u.Scheme == "mailto" {
		return u.String()
	}
	link, _ := weburl.Canonical(address)
	return link
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
