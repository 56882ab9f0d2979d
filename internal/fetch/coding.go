package fetch

import (
	"io"
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// acceptEncoding names what decoders knows.
const acceptEncoding = "gzip, zstd"

// maxWindow is the most memory that a zstd body may ask for (RFC 9659).
const maxWindow = 8 << 20

// newDecoder decompresses what comes over the wire.
type newDecoder func(wire io.Reader) (io.ReadCloser, error)

// decoderOf returns the decoder for an answer's one coding, nil if there is none.
func decoderOf(header http.Header) (newDecoder, error) {
	switch strings.ToLower(strings.Join(header.Values("Content-Encoding"), ",")) {
	case "", "identity":
		return nil, nil
	case "gzip", "x-gzip":
		return newGzip, nil
	case "zstd":
		return newZstd, nil
	}
	return nil, &Error{Reason: "The answer is compressed in an unknown way"}
}

func newGzip(wire io.Reader) (io.ReadCloser, error) {
	d, err := gzip.NewReader(wire)
	if err != nil {
		return nil, err // and not a *gzip.Reader that is nil
	}
	return d, nil
}

func newZstd(wire io.Reader) (io.ReadCloser, error) {
	d, err := zstd.NewReader(wire, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}
