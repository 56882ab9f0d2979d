package exporting

import (
	"context"
	"encoding/xml"
	"io"
	"strings"
	"time"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/present"
)

// Catalog returns the URL of a channel in a format, or "" if it is not available.
type Catalog func(c *domain.Channel, f Format) string

// apiCatalog returns the API's URL.
func (e *Exporter) apiCatalog(c *domain.Channel, f Format) string {
	return e.o.Addresses.Channel(c).ExportURL(string(f))
}

// catalogWriter writes a channel as an OPDS 1.2 acquisition feed: the channel and the channels in
// it as books, and the readable files in it.
type catalogWriter struct {
	e       *Exporter
	w       io.Writer
	catalog Catalog
}

// Elements of a feed (RFC 4287, OPDS 1.2 sections 2.2 and 5).
type (
	feedEntry struct {
		XMLName    xml.Name     `xml:"entry"`
		Title      string       `xml:"title"`
		ID         string       `xml:"id"`
		Updated    string       `xml:"updated"`
		Published  string       `xml:"published,omitempty"`
		Authors    []feedPerson `xml:"author"`
		Identifier string       `xml:"dc:identifier,omitempty"`
		Summary    string       `xml:"summary,omitempty"`
		Links      []feedLink   `xml:"link"`
	}
	feedPerson struct {
		XMLName xml.Name `xml:"author"`
		Name    string   `xml:"name"`
		URI     string   `xml:"uri,omitempty"`
	}
	feedLink struct {
		XMLName xml.Name `xml:"link"`
		Rel     string   `xml:"rel,attr"`
		Type    string   `xml:"type,attr,omitempty"`
		Href    string   `xml:"href,attr"`
		Title   string   `xml:"title,attr,omitempty"`
		Length  int64    `xml:"length,attr,omitempty"`
	}
)

const (
	feedStart = xml.Header + `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/terms/"` +
		` xmlns:opds="http://opds-spec.org/2010/catalog">` + "\n"
	feedEnd = "</feed>\n"

	relAcquire   = "http://opds-spec.org/acquisition"
	relImage     = "http://opds-spec.org/image"
	relThumbnail = "http://opds-spec.org/image/thumbnail"
)

// maxSummary limits the characters of a description in an entry.
const maxSummary = 500

func (w *catalogWriter) write(elements ...any) error {
	for _, element := range elements {
		text, err := xml.Marshal(element)
		if err != nil {
			return err
		}
		if _, err := w.w.Write(append(text, '\n')); err != nil {
			return err
		}
	}
	return nil
}

type feedText struct {
	XMLName xml.Name
	Text    string `xml:",chardata"`
}

func element(name, text string) feedText { return feedText{xml.Name{Local: name}, text} }

func (w *catalogWriter) begin(full collections.FullChannel, _ int64) error {
	if _, err := io.WriteString(w.w, feedStart); err != nil {
		return err
	}
	c := w.e.o.Addresses.Channel(&full.Channel)
	owner := c.Owner()
	err := w.write(element("id", w.id(c)), element("title", c.Title), element("updated", formatTime(c.UpdatedAt)),
		feedPerson{Name: owner.Name, URI: owner.URL()},
		feedLink{Rel: "self", Type: OPDS.ContentType(), Href: w.catalog(&full.Channel, OPDS)},
		feedLink{Rel: "start", Type: OPDS.ContentType(), Href: w.catalog(&full.Channel, OPDS)},
		feedLink{Rel: "alternate", Type: "text/html", Href: c.URL()})
	if err != nil {
		return err
	}
	return w.write(w.book(&full.Channel))
}

func (w *catalogWriter) id(c present.Channel) string { return w.e.o.Addresses.API + c.Links()[0].Path }

// book returns the entry of a channel as a book.
func (w *catalogWriter) book(ch *domain.Channel) feedEntry {
	c := w.e.o.Addresses.Channel(ch)
	owner := c.Owner()
	x := feedEntry{Title: c.Title, ID: w.id(c) + "#epub", Updated: formatTime(c.UpdatedAt), Published: formatTime(c.CreatedAt),
		Authors: []feedPerson{{Name: owner.Name, URI: owner.URL()}}, Identifier: c.URL(),
		Links: []feedLink{{Rel: relAcquire, Type: EPUB.ContentType(), Href: w.catalog(ch, EPUB)},
			{Rel: "alternate", Type: "text/html", Href: c.URL()}}}
	if d := c.Description; d != nil {
		x.Summary = present.Excerpt(d.Plain, maxSummary)
	}
	return x
}

// readable are the media types that e-readers support.
var readable = map[string]bool{"application/epub+zip": true, "application/pdf": true, "text/plain": true, "text/markdown": true,
	"application/x-mobipocket-ebook": true, "application/vnd.comicbook+zip": true, "application/x-cbz": true, "application/x-cbr": true,
	"application/rtf": true, "image/vnd.djvu": true, "application/vnd.amazon.ebook": true}

func (w *catalogWriter) add(_ context.Context, items []placed) error {
	for _, item := range items {
		if item.Channel != nil {
			if w.catalog(item.Channel, EPUB) == "" {
				continue
			}
			if err := w.write(w.book(item.Channel)); err != nil {
				return err
			}
			continue
		}
		b := w.e.o.Addresses.Block(item.Block)
		if b.File == nil {
			continue
		}
		media, _, _ := strings.Cut(b.File.ContentType, ";")
		if !readable[strings.ToLower(strings.TrimSpace(media))] {
			continue
		}
		author, file := b.Author(), b.Attachment()
		x := feedEntry{Title: b.Heading(), ID: w.e.o.Addresses.API + b.Links()[0].Path, Updated: formatTime(latest(b.UpdatedAt, item.Connection.CreatedAt)),
			Published: formatTime(b.CreatedAt), Authors: []feedPerson{{Name: author.Name, URI: author.URL()}}, Identifier: b.URL(),
			Links: []feedLink{{Rel: relAcquire, Type: media, Href: file.URL(), Title: file.Name, Length: file.ServedSize()},
				{Rel: "alternate", Type: "text/html", Href: b.URL()}}}
		if d := b.Description; d != nil {
			x.Summary = present.Excerpt(d.Plain, maxSummary)
		}
		if b.HasImage() {
			x.Links = append(x.Links, feedLink{Rel: relImage, Href: b.Image().Large().Src}, feedLink{Rel: relThumbnail, Href: b.Image().Small().Src})
		}
		if err := w.write(x); err != nil {
			return err
		}
	}
	return nil
}

func (w *catalogWriter) end(context.Context) error {
	_, err := io.WriteString(w.w, feedEnd)
	return err
}

func (w *catalogWriter) free() {}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
