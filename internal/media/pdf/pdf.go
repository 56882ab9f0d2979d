package pdf

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"strings"
	"time"

	"vitrine/internal/media/source"
)

const (
	pageWidth   = 1600 // the box of a page's image, in pixels
	pageHeight  = 2400
	pageQuality = 92 // of the first page: it is resized and encoded again
	readQuality = 80 // of a page for reading
)

// Time limits for one document. A typical page takes 30 ms.
const (
	pageTimeout = 20 * time.Second // includes loading the document
	textTimeout = 10 * time.Second
	readTimeout = 10 * time.Second // for a page, while its reader waits
)

// Read returns the first page of a document, as a JPEG within 1600 × 2400 pixels, and its text for
// searches: that of the first 500 pages, up to 100,000 characters. If only one of them can be read in
// time, Read returns it with the *source.Error of the other. If neither can be read, as when the
// document is broken or locked, it returns the error of the page. One document is read at a time.
func (p *Printer) Read(ctx context.Context, file source.File) (page []byte, text string, err error) {
	pdfium, done, err := p.take(ctx)
	if err != nil {
		return nil, "", err
	}
	defer done()
	d := &document{pdfium: pdfium, in: source.New(ctx, file)}
	defer d.close()
	page, pageErr := d.page(0, pageQuality, p.pageTimeout)
	if fatal(pageErr) {
		return nil, "", pageErr
	}
	text, textErr := d.text(p.textTimeout)
	if fatal(textErr) {
		return nil, "", textErr
	}
	return page, text, cmp.Or(pageErr, textErr)
}

// Page returns a page of a document, counted from 0, as a JPEG with the size that its Outline contains.
// One document is read at a time.
func (p *Printer) Page(ctx context.Context, file source.File, n int) ([]byte, error) {
	pdfium, done, err := p.take(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	d := &document{pdfium: pdfium, in: source.New(ctx, file)}
	defer d.close()
	return d.page(n, readQuality, p.readTimeout)
}

// MaxPages is the number of pages of a document that can be read one by one.
const MaxPages = maxTextPages

// Outline describes the pages of a document.
type Outline struct {
	Count int           // of all pages
	Pages []OutlinePage // the first MaxPages
}

// OutlinePage describes a page.
type OutlinePage struct {
	Width, Height int    // of its image in pixels; 0 if the page is broken
	Text          string // "" if it has none, or after maxOutlineText characters
}

// Outline returns the sizes and texts of a document's pages. If reading the texts takes too long, the last
// ones are missing. One document is read at a time.
func (p *Printer) Outline(ctx context.Context, file source.File) (o Outline, err error) {
	pdfium, done, err := p.take(ctx)
	if err != nil {
		return o, err
	}
	defer done()
	d := &document{pdfium: pdfium, in: source.New(ctx, file)}
	defer d.close()
	err = d.use(p.readTimeout, func() error {
		o, err = d.worker.outline(pageWidth, pageHeight)
		return err
	})
	if err != nil {
		return o, fmt.Errorf("read the pages of a document: %w", err)
	}
	err = d.use(p.textTimeout, func() error {
		return d.worker.text(maxOutlineText, func(n int, text string) { o.Pages[n].Text = text })
	})
	if fatal(err) {
		return o, err
	}
	return o, nil
}

// fatal reports whether an error is not the fault of the document, as when the context ended.
func fatal(err error) bool {
	_, refused := errors.AsType[*source.Error](err)
	return err != nil && !refused
}

// document is a document that is being read.
type document struct {
	pdfium *engine
	in     *source.Input
	worker *instance // holds the loaded document; nil before the first use and after a failure
}

// page returns a page, counted from 0, as a JPEG.
func (d *document) page(n, quality int, limit time.Duration) ([]byte, error) {
	var page image.Image
	err := d.use(limit, func() (err error) {
		page, err = d.worker.page(n, pageWidth, pageHeight)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("render page %d of a document: %w", n+1, err)
	}
	var encoded bytes.Buffer
	if err := jpeg.Encode(&encoded, page, &jpeg.Options{Quality: quality}); err != nil {
		return nil, fmt.Errorf("encode page %d of a document: %w", n+1, err)
	}
	return encoded.Bytes(), nil
}

// text returns the text. If a page is broken, takes too long or needs too much memory, the text ends
// before it and there is no error.
func (d *document) text(limit time.Duration) (string, error) {
	var text strings.Builder
	err := d.use(limit, func() error {
		return d.worker.text(maxText, func(_ int, page string) { text.WriteString(page + "\n\n") })
	})
	if err != nil && (text.Len() == 0 || d.in.Context().Err() != nil) {
		return "", fmt.Errorf("read the text of a document: %w", err)
	}
	return strings.TrimSpace(text.String()), nil
}

// use runs work on the loaded document, within the remaining time and the given limit. A failure
// may have ended the instance, so the next use starts a new one.
func (d *document) use(limit time.Duration, work func() error) error {
	ctx, cancel := context.WithTimeoutCause(d.in.Context(), limit, source.Refused("The document takes too long to show"))
	defer cancel()
	err := d.load(ctx)
	if err == nil {
		err = work()
	}
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case errors.Is(err, errLocked):
		err = source.RefusedFor(err, "The document is locked by a password")
	default:
		err = d.in.Judge("document", err)
	}
	if err != nil || d.worker.err != nil {
		d.close()
	}
	return err
}

// load loads the document, unless an instance already holds it.
func (d *document) load(ctx context.Context) (err error) {
	if d.in.Size() == 0 {
		return errors.New("the document is empty")
	}
	if d.worker == nil {
		if d.worker, err = d.pdfium.start(ctx, d.in.Section()); err != nil {
			return fmt.Errorf("start an instance of PDFium: %w", err)
		}
	}
	return d.worker.load(ctx)
}

func (d *document) close() {
	if d.worker != nil {
		d.worker.close()
		d.worker = nil
	}
}
