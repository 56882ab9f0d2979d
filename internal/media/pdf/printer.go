// Package pdf renders the first pages of documents by PDFium, in WebAssembly.
package pdf

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"

	"vitrine/internal/media/wasm"
)

const (
	printerMemory = 256 << 20 // of an instance at most, in bytes
	printerIdle   = 3 * time.Minute
	// smallestPrinter is enough for plain pages, whatever the budget is.
	smallestPrinter = 32 << 20
)

// Printer holds PDFium, compiled to WebAssembly and from there to machine code,
// which takes a second and some 100 MB: it is started when a document comes,
// and ended when none has come for a while. Every document gets an instance of
// its own, which sees no files.
type Printer struct {
	timeout time.Duration
	limit   int64         // of an instance, in bytes
	turn    chan struct{} // holds a token while nobody works; guards what follows
	pool    pdfium.Pool   // nil before the first document and after a rest
	rest    *time.Timer
}

// New returns a Printer that takes most bytes at most for a document. An
// instance takes half of them, since it is copied as it grows.
func New(most int64) *Printer {
	limit := max(smallestPrinter, min(printerMemory, most/2))
	p := &Printer{timeout: printerTimeout, limit: limit, turn: make(chan struct{}, 1)}
	p.turn <- struct{}{}
	return p
}

// Memory returns how many bytes a document takes at most.
func (p *Printer) Memory() int64 { return 2 * p.limit }

// take waits for the caller's turn and returns PDFium, which is the caller's
// alone until done.
func (p *Printer) take(ctx context.Context) (pool pdfium.Pool, done func(), err error) {
	select {
	case <-p.turn:
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	}
	done = func() { p.turn <- struct{}{} }
	if p.pool == nil {
		if p.pool, err = startPDFium(p.limit); err != nil {
			p.pool = nil
			done()
			return nil, nil, err
		}
	}
	if p.rest != nil {
		p.rest.Stop()
	}
	p.rest = time.AfterFunc(printerIdle, p.sleep)
	return p.pool, done, nil
}

func startPDFium(limit int64) (pdfium.Pool, error) {
	pool, err := webassembly.Init(webassembly.Config{
		MaxTotal: 1,
		FSConfig: wazero.NewFSConfig(), // the default is the host's whole disk
		Stdout:   io.Discard,
		Stderr:   io.Discard,
		RuntimeConfig: wazero.NewRuntimeConfig().
			WithMemoryLimitPages(uint32(limit / wasm.PageSize)).
			WithCloseOnContextDone(true),
	})
	if err != nil {
		return nil, fmt.Errorf("start PDFium: %w", err)
	}
	return pool, nil
}

// sleep ends PDFium if nobody works with it now.
func (p *Printer) sleep() {
	select {
	case <-p.turn:
		_ = p.end() // it comes back with the next document
		p.turn <- struct{}{}
	default:
	}
}

// Close waits for the document at work and ends PDFium.
func (p *Printer) Close() error {
	<-p.turn
	defer func() { p.turn <- struct{}{} }()
	if p.rest != nil {
		p.rest.Stop()
	}
	return p.end()
}

func (p *Printer) end() error {
	if p.pool == nil {
		return nil
	}
	pool := p.pool
	p.pool = nil
	if err := pool.Close(); err != nil {
		return fmt.Errorf("end PDFium: %w", err)
	}
	return nil
}
