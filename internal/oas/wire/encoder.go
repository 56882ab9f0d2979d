package wire

import (
	"encoding/binary"
	"encoding/hex"
	"io"
	"net/http"
	"strconv"
	"sync"

	"github.com/cespare/xxhash/v2"
	"github.com/go-faster/jx"
)

const (
	// encoderSize is the initial buffer of an encoder in bytes, enough for a typical page.
	encoderSize = 64 << 10
	// maxKept is the largest body that is buffered completely.
	maxKept = 256 << 10
)

// WriteJSON writes a JSON response with its Content-Length and ETag. They depend on the whole body,
// but a large one is not buffered: it is encoded once to compute both, and a second time while it
// is sent. So encode may be called twice and must write the same.
func WriteJSON(w http.ResponseWriter, encode func(e *jx.Encoder)) error {
	m := measures.Get().(*measure)
	defer m.release()
	e := getEncoder(m)
	encode(e)
	if m.size == 0 { // all of it is in the encoder's buffer
		_, _ = m.sum.Write(e.Bytes())
		announce(w, int64(len(e.Bytes())), m.sum.Sum64())
		_, err := w.Write(e.Bytes())
		encoders.Put(e)
		return err
	}
	err := e.Close()
	encoders.Put(e)
	if err != nil {
		return err // a measure never fails
	}
	announce(w, m.size, m.sum.Sum64())
	if m.size <= maxKept {
		_, err := w.Write(m.kept)
		return err
	}
	m.kept = m.kept[:0]
	e = getEncoder(w)
	encode(e)
	if err := e.Close(); err != nil {
		return err // the encoder's buffer is lost
	}
	encoders.Put(e)
	return nil
}

// announce sets the headers of the body. The ETag is weak, since it is that of the JSON regardless
// of the content coding.
func announce(w http.ResponseWriter, size int64, sum uint64) {
	tag := hex.AppendEncode([]byte(`W/"`), binary.BigEndian.AppendUint64(nil, sum))
	values := []string{strconv.FormatInt(size, 10), string(append(tag, '"'))}
	h := w.Header()
	h["Content-Length"], h["Etag"] = values[:1:1], values[1:]
}

var encoders = sync.Pool{New: func() any { return jx.NewStreamingEncoder(io.Discard, encoderSize) }}

// getEncoder returns an encoder that writes to w. It may be put back only if it has not failed.
func getEncoder(w io.Writer) *jx.Encoder {
	e := encoders.Get().(*jx.Encoder)
	e.ResetWriter(w)
	return e
}

// measure buffers a small body, and computes the size and hash of any body.
type measure struct {
	size int64
	sum  xxhash.Digest
	kept []byte
}

var measures = sync.Pool{New: func() any {
	m := new(measure)
	m.sum.Reset()
	return m
}}

// Write implements io.Writer.
func (m *measure) Write(p []byte) (int, error) {
	m.size += int64(len(p))
	_, _ = m.sum.Write(p) // never fails
	if m.size <= maxKept {
		m.kept = append(m.kept, p...)
	}
	return len(p), nil
}

func (m *measure) release() {
	m.size, m.kept = 0, m.kept[:0]
	m.sum.Reset()
	measures.Put(m)
}
