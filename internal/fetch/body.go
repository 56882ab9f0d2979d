package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"sync/atomic"
	"time"
)

// wireSlack is how much longer a body may be compressed than decompressed, because of stream
// headers and incompressible data.
const wireSlack = 64 << 10

// open prepares the body of a response. If it is known to be too large, open fails at once.
func (f *fetch) open(answer *http.Response, resp *Response, limit int64) (io.ReadCloser, error) {
	limit = min(max(limit, 0), math.MaxInt64-wireSlack)
	decoder, err := decoderOf(answer.Header, limit)
	if err != nil {
		return nil, err
	}
	onWire := limit
	if decoder != nil {
		onWire += wireSlack
	}
	if answer.ContentLength > onWire {
		return nil, tooLarge(limit)
	}
	w := &wire{fetch: f, src: answer.Body, left: onWire, slack: f.client.slack}
	w.timer = time.AfterFunc(f.client.idle, w.giveUp)
	w.timer.Stop()
	b := &body{fetch: f, wire: w, newDecoder: decoder, limit: limit, left: limit}
	if decoder == nil {
		b.decoded = io.NopCloser(w)
	} else {
		resp.Size = -1
	}
	return b, nil
}

// wire reads from the network. While it waits, a timer runs that ends the fetch if nothing arrives
// for too long or the slack is used up. The slack is how much longer the server may keep us
// waiting. Each byte adds a little to it, up to the initial amount, so a site may pause but not
// drip. The time that our own reader takes does not count.
type wire struct {
	fetch *fetch
	src   io.ReadCloser
	left  int64
	slack time.Duration
	timer *time.Timer
	drips atomic.Bool // the timer runs until slack is used up
	err   error       // why it ended, including io.EOF
}

func (w *wire) giveUp() {
	if w.drips.Load() {
		w.fetch.cut(errDrips)
	} else {
		w.fetch.cut(errStalled)
	}
}

func (w *wire) Read(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	idle := w.fetch.client.idle
	w.drips.Store(w.slack < idle)
	begun := time.Now()
	w.timer.Reset(max(0, min(w.slack, idle)))
	n, err := w.src.Read(p)
	w.timer.Stop()
	w.slack = min(w.slack-time.Since(begun)+time.Duration(n)*w.fetch.client.perByte, w.fetch.client.slack)
	if err == io.EOF && w.fetch.ctx.Err() != nil {
		// We hung up. With TLS the server may notice, and end its response, before our side of the
		// connection is closed. This is not the end of the body.
		err = context.Cause(w.fetch.ctx)
	}
	if w.left -= int64(n); w.left < 0 {
		err = ErrTooLarge // includes the bytes read; body truncates them to its limit
	}
	w.err = err
	return n, err
}

// body is the decompressed response, up to limit bytes.
type body struct {
	fetch      *fetch
	wire       *wire
	newDecoder newDecoder    // nil if the body is not compressed
	decoded    io.ReadCloser // nil until the first Read of a compressed body
	limit      int64
	left       int64
	err        error // why it ended, including io.EOF
}

func (b *body) Read(p []byte) (int, error) {
	if b.err != nil || len(p) == 0 {
		return 0, b.err
	}
	n, err := b.read(p)
	if err != nil {
		b.err = b.explain(err)
	}
	return n, b.err
}

// read reads one byte more than allowed, to find out whether the body ends in time.
func (b *body) read(p []byte) (int, error) {
	if b.decoded == nil {
		var err error
		if b.decoded, err = b.newDecoder(b.wire); err != nil {
			return 0, err
		}
	}
	if int64(len(p))-1 > b.left {
		p = p[:b.left+1]
	}
	n, err := b.decoded.Read(p)
	if int64(n) > b.left {
		n, err = int(b.left), ErrTooLarge
	}
	b.left -= int64(n)
	return n, err
}

// explain distinguishes a corrupt compressed body from one whose connection broke.
func (b *body) explain(err error) error {
	ended := b.wire.err
	if ended != nil && ended != io.EOF && b.fetch.ctx.Err() == nil {
		ended = fmt.Errorf("%w: %w", ErrCutOff, ended)
	}
	switch {
	case errors.Is(err, ErrTooLarge) || errors.Is(ended, ErrTooLarge):
		return tooLarge(b.limit)
	case ended != nil && ended != io.EOF:
		return b.fetch.explain(fmt.Errorf("read the body: %w", ended))
	case err == io.EOF:
		return io.EOF
	case b.newDecoder == nil:
		return b.fetch.explain(fmt.Errorf("read the body: %w", err))
	}
	cutOff := errors.Is(err, io.ErrUnexpectedEOF)
	if cutOff {
		err = fmt.Errorf("%w: %w", ErrCutOff, err)
	}
	return &Error{Reason: "The answer is badly compressed", Temporary: cutOff, cause: err}
}

// Close ends the fetch without reading the rest of the body.
func (b *body) Close() error {
	if b.err == nil {
		b.err = &Error{Reason: "The answer has been closed"}
	}
	if b.decoded != nil {
		_ = b.decoded.Close() // its errors were already returned by Read
	}
	err := b.wire.src.Close()
	b.wire.timer.Stop()
	b.fetch.end()
	if err != nil {
		return fmt.Errorf("close the body: %w", err)
	}
	return nil
}
