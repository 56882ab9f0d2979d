package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"time"

	"vitrine/internal/media/source"
)

const (
	pageWidth   = 1600 // the box of a page's image, in pixels
	pageHeight  = 2400
	pageQuality = 92 // it is resized and encoded again
)

// FirstPage returns the first page of a document as a JPEG within 1600 × 2400 pixels. It returns a
// *source.Error if the document is broken or locked, or if it takes too long. One page is rendered
// at a time.
func (p *Printer) FirstPage(ctx context.Context, file source.File) ([]byte, error) {
	var page image.Image
	err := p.use(source.New(ctx, file), p.timeout, func(worker *instance) (err error) {
		page, err = printed(worker)
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

// use runs work on a document in an instance of its own, within the remaining time and the given
// limit.
func (p *Printer) use(in *source.Input, limit time.Duration, work func(*instance) error) error {
	pdfium, done, err := p.take(in.Context())
	if err != nil {
		return err
	}
	defer done()
	ctx, cancel := context.WithTimeoutCause(in.Context(), limit, source.Refused("The document takes too long to show"))
	defer cancel()
	err = run(ctx, pdfium, in, work)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, errLocked) {
		return source.RefusedFor(err, "The document is locked by a password")
	}
	return in.Judge("document", err)
}

// run starts an instance for a document and runs work on it.
func run(ctx context.Context, pdfium *engine, in *source.Input, work func(*instance) error) error {
	if in.Size() == 0 {
		return errors.New("the document is empty")
	}
	worker, err := pdfium.open(ctx, in.Section())
	if err != nil {
		return fmt.Errorf("start an instance of PDFium: %w", err)
	}
	defer worker.close()
	return work(worker)
}

// printed renders the first page onto white paper.
func printed(worker *instance) (image.Image, error) {
	page, err := worker.firstPage(pageWidth, pageHeight)
	if err != nil {
		return nil, err
	}
	sheet := image.NewRGBA(page.Bounds())
	draw.Draw(sheet, sheet.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(sheet, sheet.Rect, page, page.Bounds().Min, draw.Over)
	return sheet, nil
}

// printerTimeout limits the time for one document. A typical page takes 30 ms.
const printerTimeout = 20 * time.Second
