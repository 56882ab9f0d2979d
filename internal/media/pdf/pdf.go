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
	pageQuality = 92 // it is resized and encoded again
)

// Time limits for one document. A typical page takes 30 ms.
const (
	pageTimeout = 20 * time.Second // includes loading the document
	textTimeout = 10 * time.Second
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
	page, pageErr := d.firstPage(p.pageTimeout)
	if fatal(pageErr) {
		return nil, "", pageErr
	}
	text, textErr := d.text(p.textTimeout)
	if fatal(textErr) {
		return nil, "", textErr
	}
	return page, text, cmp.Or(pageErr, textErr)
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

// firstPage returns the first page as a JPEG.
func (d *document) firstPage(limit time.Duration) ([]byte, error) {
	var page image.Image
	err := d.use(limit, func() (err error) {
		page, err = d.worker.firstPage(pageWidth, pageHeight)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("render a document's first page: %w", err)
	}
	var encoded bytes.Buffer
	if err := jpeg.Encode(&encoded, page, &jpeg.Options{Quality: pageQuality}); err != nil {
		return nil, fmt.Errorf("encode a document's first page: %w", err)
	}
	return encoded.Bytes(), nil
}

// text returns the text. If a page is broken, takes too long or needs too much memory, the text ends
// before it and there is no error.
func (d *document) text(limit time.Duration) (string, error) {
	var text strings.Builder
	err := d.use(limit, func() error { return d.worker.text(&text) })
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
