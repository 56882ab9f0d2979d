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

// wireSlack is how much longer a body may be compressed than decompressed: heads of
// streams, and what of it does not get smaller.
const wireSlack = 64 << 10

// open prepares the body of an answer. What is known to be too large fails at once.
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

// wire reads what the network brings. While it waits for that, the timer runs that ends
// the fetch: when nothing has come for too long, or when slack is used up. That is how
// much longer the server may make us wait; each byte earns a little, up to as much as
// there was at first, so a site that pauses is waited for and one that drips is not. The
// time that our own reader takes does not count.
type wire struct {
	fetch *fetch
	src   io.ReadCloser
	left  int64
	slack time.Duration
	timer *time.Timer
	drips atomic.Bool // the timer runs until slack is used up
	err   error       // what ended it, io.EOF included
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
		// We hung up, and by TLS the server may hear of it, and end its answer, before our
		// side of the connection is closed. That end is not the body's.
		err = context.Cause(w.fetch.ctx)
	}
	if w.left -= int64(n); w.left < 0 {
		err = ErrTooLarge // with what was read: body cuts it to its limit
	}
	w.err = err
	return n, err
}

// body is what the caller reads: decompressed, up to limit bytes.
type body struct {
	fetch      *fetch
	wire       *wire
	newDecoder newDecoder    // nil if the body is not compressed
	decoded    io.ReadCloser // nil until the first Read of a compressed body
	limit      int64
	left       int64
	err        error // what ended it, io.EOF included
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

// read asks for one byte more than is allowed, to see whether the body ends in time.
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

// explain distinguishes a body that is badly compressed from one that the network cut off.
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

// Close ends the fetch. The rest of the body is not read.
func (b *body) Close() error {
	if b.err == nil {
		b.err = &Error{Reason: "The answer has been closed"}
	}
	if b.decoded != nil {
		_ = b.decoded.Close() // it has nothing to say that Read did not
	}
	err := b.wire.src.Close()
	b.wire.timer.Stop()
	b.fetch.end()
	if err != nil {
		return fmt.Errorf("close the body: %w", err)
	}
	return nil
}
