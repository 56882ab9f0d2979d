package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"reflect"
	"time"

	"github.com/klippa-app/go-pdfium"
	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/requests"

	"vitrine/internal/media/source"
)

const (
	pageWidth   = 1600 // the box of a page's image, in pixels
	pageHeight  = 2400
	pageQuality = 92 // it is resized and encoded once more
)

// FirstPage returns the first page of a document as a JPEG within 1600 × 2400
// pixels. A broken or locked document, and one that takes too long, is a
// *source.Error. One page is rendered at a time.
func (p *Printer) FirstPage(ctx context.Context, file source.File) ([]byte, error) {
	page, err := p.firstPage(source.New(ctx, file))
	if err != nil {
		return nil, fmt.Errorf("render a document's first page: %w", err)
	}
	var encoded bytes.Buffer
	if err := jpeg.Encode(&encoded, page, &jpeg.Options{Quality: pageQuality}); err != nil {
		return nil, fmt.Errorf("encode a document's first page: %w", err)
	}
	return encoded.Bytes(), nil
}

// firstPage gives the document an instance of its own, within the time that is
// left and at most the printer's.
func (p *Printer) firstPage(in *source.Input) (image.Image, error) {
	pool, done, err := p.take(in.Context())
	if err != nil {
		return nil, err
	}
	defer done()
	ctx, cancel := context.WithTimeoutCause(in.Context(), p.timeout, source.Refused("The document takes too long to show"))
	defer cancel()
	worker, err := pool.GetInstanceWithContext(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("start an instance of PDFium: %w", err)
	}
	defer func() { _ = worker.Close() }() // it frees memory, and fails after a crash
	if err := bind(worker, ctx); err != nil {
		return nil, err
	}
	page, err := printPage(worker, in)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if errors.Is(err, pdfiumerrors.ErrPassword) || errors.Is(err, pdfiumerrors.ErrSecurity) {
		return nil, source.RefusedFor(err, "The document is locked by a password")
	}
	return page, in.Judge("document", err)
}

// bind has everything that worker does end with ctx. Its calls take their
// context from an exported field of a type that the module keeps internal;
// there is no other way to stop a call.
func bind(worker pdfium.Pdfium, ctx context.Context) error {
	v := reflect.ValueOf(worker.GetImplementation())
	if v.Kind() == reflect.Pointer {
		if field := v.Elem().FieldByName("Context"); field.IsValid() && field.CanSet() {
			field.Set(reflect.ValueOf(ctx))
			return nil
		}
	}
	return errors.New("this version of go-pdfium has no context to set")
}

// printPage renders onto white paper. What panics has met a broken document.
func printPage(worker pdfium.Pdfium, in *source.Input) (paper image.Image, err error) {
	defer func() {
		if r := recover(); r != nil {
			paper, err = nil, fmt.Errorf("PDFium gave up: %v", r)
		}
	}()
	document, err := worker.OpenDocument(&requests.OpenDocument{FileReader: in.Section(), FileReaderSize: in.Size()})
	if err != nil {
		return nil, err
	}
	rendered, err := worker.RenderPageInPixels(&requests.RenderPageInPixels{
		Page:   requests.Page{ByIndex: &requests.PageByIndex{Document: document.Document}},
		Width:  pageWidth,
		Height: pageHeight,
	})
	if err != nil {
		return nil, err
	}
	defer rendered.CleanupFunc()
	page := rendered.Result.Image // in the instance's memory
	sheet := image.NewRGBA(page.Bounds())
	draw.Draw(sheet, sheet.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(sheet, sheet.Rect, page, page.Bounds().Min, draw.Over)
	return sheet, nil
}

// printerTimeout bounds one document. A usual page takes 30 ms.
const printerTimeout = 20 * time.Second
