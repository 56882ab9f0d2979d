package fetch

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// acceptEncoding lists the codings that we request. All decoders are accepted.
const acceptEncoding = "gzip, br, zstd, deflate"

const (
	maxWindow  = 8 << 20 // maximum memory of a zstd body (RFC 9659)
	maxCodings = 3       // nested codings of one body
)

// newDecoder returns a decompressing reader.
type newDecoder func(from io.Reader) (io.ReadCloser, error)

var decoders = map[string]newDecoder{
	"gzip": newGzip, "x-gzip": newGzip, "deflate": newDeflate, "br": newBrotli, "zstd": newZstd,
}

// decoderOf returns the decoder for the codings of a response, nil if it has none. Like browsers, it ignores
// values that are not codings, such as "utf-8" and "none". No coding may yield more than limit bytes.
func decoderOf(header http.Header, limit int64) (newDecoder, error) {
	var chain []newDecoder // in the order in which they were applied
	for name := range strings.SplitSeq(strings.ToLower(strings.Join(header.Values("Content-Encoding"), ",")), ",") {
		switch name = strings.TrimSpace(name); name {
		case "compress", "x-compress", "dcb", "dcz":
			return nil, &Error{Reason: "The answer is compressed in an unknown way"}
		}
		if decoder, ok := decoders[name]; ok {
			chain = append(chain, decoder)
		}
	}
	switch {
	case len(chain) == 0:
		return nil, nil
	case len(chain) > maxCodings:
		return nil, &Error{Reason: "The answer is compressed too often"}
	}
	return func(wire io.Reader) (io.ReadCloser, error) { return newStack(wire, chain, limit) }, nil
}

// stack is a chain of decoders.
type stack struct {
	io.Reader
	opened []io.Closer
}

// newStack decodes the codings in chain, the last one first.
func newStack(wire io.Reader, chain []newDecoder, limit int64) (io.ReadCloser, error) {
	s := &stack{Reader: wire}
	for i := len(chain) - 1; i >= 0; i-- {
		d, err := chain[i](s.Reader)
		if err != nil {
			_ = s.Close() // return the original error
			return nil, err
		}
		s.opened = append(s.opened, d)
		// Without a limit, a small body could expand endlessly into a stream that the next decoder
		// skips.
		s.Reader = &bounded{from: d, left: limit + wireSlack}
	}
	return s, nil
}

// Close closes all decoders.
func (s *stack) Close() error {
	var errs []error
	for _, d := range s.opened {
		errs = append(errs, d.Close())
	}
	return errors.Join(errs...)
}

// bounded fails with ErrTooLarge after left bytes.
type bounded struct {
	from io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, ErrTooLarge
	}
	return n, err
}

func newGzip(from io.Reader) (io.ReadCloser, error) {
	d, err := gzip.NewReader(from)
	if err != nil {
		return nil, err // not a nil *gzip.Reader
	}
	return d, nil
}

// newDeflate reads the zlib format, as RFC 9110 defines this coding, and the raw one, which many
// servers send.
func newDeflate(from io.Reader) (io.ReadCloser, error) {
	buffered := bufio.NewReader(from)
	head, err := buffered.Peek(2)
	if err != nil {
		return nil, err
	}
	if head[0]&0x0f != 8 || (int(head[0])<<8|int(head[1]))%31 != 0 {
		return flate.NewReader(buffered), nil
	}
	return zlib.NewReader(buffered)
}

func newBrotli(from io.Reader) (io.ReadCloser, error) {
	buffered := bufio.NewReader(from)
	if _, err := buffered.Peek(1); err != nil {
		return nil, err // io.EOF for an empty body, as with the other codings
	}
	return io.NopCloser(brotli.NewReader(buffered)), nil
}

func newZstd(from io.Reader) (io.ReadCloser, error) {
	d, err := zstd.NewReader(from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}
