// Package pdf renders pages of documents and reads their texts with PDFium in WebAssembly.
package pdf

import (
	"context"
	"fmt"
	"time"
)

const (
	printerMemory = 256 << 20 // maximum memory of an instance, in bytes
	printerIdle   = 3 * time.Minute
	// smallestPrinter is enough for plain pages, and is granted with any budget.
	smallestPrinter = 32 << 20
)

// Printer holds PDFium, compiled to WebAssembly and from there to machine code. That takes a
// second and some 100 MB, so it starts with the first document and ends when no document has
// arrived for a while. Every document gets an instance of its own, which cannot access files.
type Printer struct {
	pageTimeout, textTimeout, readTimeout time.Duration

	limit  int64         // of an instance, in bytes
	turn   chan struct{} // holds a token while nobody works; guards the fields below
	pdfium *engine       // nil before the first document and after a pause
	rest   *time.Timer
}

// New returns a Printer that uses at most `most` bytes for a document. An instance gets half of
// them, because it is copied when it grows.
func New(most int64) *Printer {
	limit := max(smallestPrinter, min(printerMemory, most/2))
	p := &Printer{pageTimeout: pageTimeout, textTimeout: textTimeout, readTimeout: readTimeout, limit: limit, turn: make(chan struct{}, 1)}
	p.turn <- struct{}{}
	return p
}

// Memory returns how many bytes a document needs at most.
func (p *Printer) Memory() int64 { return 2 * p.limit }

// take waits for the caller's turn and returns PDFium, for exclusive use until done is called.
func (p *Printer) take(ctx context.Context) (pdfium *engine, done func(), err error) {
	select {
	case <-p.turn:
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	}
	done = func() { p.turn <- struct{}{} }
	if p.pdfium == nil {
		if p.pdfium, err = startPDFium(p.limit); err != nil {
			p.pdfium = nil
			done()
			return nil, nil, err
		}
	}
	if p.rest != nil {
		p.rest.Stop()
	}
	p.rest = time.AfterFunc(printerIdle, p.sleep)
	return p.pdfium, done, nil
}

// sleep ends PDFium unless it is in use.
func (p *Printer) sleep() {
	select {
	case <-p.turn:
		_ = p.end() // it starts again with the next document
		p.turn <- struct{}{}
	default:
	}
}

// Close waits for the current document and ends PDFium.
func (p *Printer) Close() error {
	<-p.turn
	defer func() { p.turn <- struct{}{} }()
	if p.rest != nil {
		p.rest.Stop()
	}
	return p.end()
}

func (p *Printer) end() error {
	if p.pdfium == nil {
		return nil
	}
	pdfium := p.pdfium
	p.pdfium = nil
	if err := pdfium.close(); err != nil {
		return fmt.Errorf("end PDFium: %w", err)
	}
	return nil
}
