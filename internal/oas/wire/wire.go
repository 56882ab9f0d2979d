// Package wire contains the few hand-written types of the generated encoders, where generated ones
// would be large, unordered or slow. Each encodes itself with a jx.Encoder. Decoding is for tests
// that use the generated code as a client.
package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/go-faster/jx"
)

// Encoder is implemented by every generated type.
type Encoder interface{ Encode(e *jx.Encoder) }

// Bytes returns a value as JSON.
func Bytes(v Encoder) []byte {
	e := jx.GetEncoder()
	defer jx.PutEncoder(e)
	v.Encode(e)
	return bytes.Clone(e.Bytes())
}

// Item is a value of one of several types: a variant of a union ("oneOf" with a discriminator), or
// a field that a Fragment may leave open. It contains a pointer to the generated variant instead of
// all variants by value. The zero Item is written as null.
type Item struct{ Value Encoder }

// Encode writes the variant.
func (i Item) Encode(e *jx.Encoder) {
	if i.Value == nil {
		e.Null()
		return
	}
	i.Value.Encode(e)
}

// Decode stores the value as raw JSON.
func (i *Item) Decode(d *jx.Decoder) error {
	var raw JSON
	if err := raw.Decode(d); err != nil {
		return err
	}
	i.Value = raw
	return nil
}

// Int is a number.
type Int int64

// Encode writes the number.
func (i Int) Encode(e *jx.Encoder) { e.Int64(int64(i)) }

// JSON is one JSON value, as text. The zero JSON is written as null.
type JSON []byte

// Encode writes the text unchanged.
func (j JSON) Encode(e *jx.Encoder) {
	if len(j) == 0 {
		e.Null()
		return
	}
	e.Raw(j)
}

// Decode copies the next value.
func (j *JSON) Decode(d *jx.Decoder) error {
	raw, err := d.Raw()
	if err != nil {
		return err
	}
	*j = append((*j)[:0], raw...)
	return nil
}

// Time is an instant, written as RFC 3339 in UTC with milliseconds
// (behaviour.md section 1); the zero Time is written as null.
type Time struct{ time.Time }

const timeLayout = `"2006-01-02T15:04:05.000Z"`

// Encode writes the instant.
func (t Time) Encode(e *jx.Encoder) {
	if t.IsZero() {
		e.Null()
		return
	}
	e.RawStr("") // writes a comma if necessary
	e.SetBytes(t.UTC().AppendFormat(e.Bytes(), timeLayout))
}

// Decode reads any RFC 3339 instant, and null as the zero Time.
func (t *Time) Decode(d *jx.Decoder) error {
	if d.Next() == jx.Null {
		t.Time = time.Time{}
		return d.Null()
	}
	s, err := d.Str()
	if err != nil {
		return err
	}
	t.Time, err = time.Parse(time.RFC3339, s)
	return err
}

// Links is the `_links` object: relations in a fixed order, each with an
// absolute address that is Base followed by the path.
type Links struct {
	Base  string
	Paths []Rel
}

// Rel is one relation and its path under the base address.
type Rel struct{ Name, Path string }

// NewLinks converts relations of any type with the same structure.
func NewLinks[R ~struct{ Name, Path string }](base string, rels []R) Links {
	l := Links{Base: base, Paths: make([]Rel, len(rels))}
	for i, r := range rels {
		l.Paths[i] = Rel(r)
	}
	return l
}

// Encode writes {"name":{"href":"…"}, …}.
func (l Links) Encode(e *jx.Encoder) {
	e.ObjStart()
	for _, rel := range l.Paths {
		e.FieldStart(rel.Name)
		e.ObjStart()
		e.FieldStart("href")
		e.Str(l.Base + rel.Path)
		e.ObjEnd()
	}
	e.ObjEnd()
}

// Decode reads the relations, with the complete addresses in Path.
func (l *Links) Decode(d *jx.Decoder) error {
	return d.Obj(func(d *jx.Decoder, name string) error {
		return d.Obj(func(d *jx.Decoder, key string) error {
			if key != "href" {
				return d.Skip()
			}
			href, err := d.Str()
			l.Paths = append(l.Paths, Rel{Name: name, Path: href})
			return err
		})
	})
}

const (
	// encoderSize is the initial buffer of an encoder in bytes, enough for a typical page.
	encoderSize = 64 << 10
	// maxKept is the largest body that is buffered completely.
	maxKept = 256 << 10
)

// Tagger is implemented by response writers that know the ETag of the response before its body. It
// is found by Unwrap.
type Tagger interface{ Tagged() bool }

// tagged reports whether w knows the ETag of the response.
func tagged(w http.ResponseWriter) bool {
	for {
		if t, ok := w.(Tagger); ok {
			return t.Tagged()
		}
		inner, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return false
		}
		w = inner.Unwrap()
	}
}

// WriteJSON writes a JSON response with its Content-Length and, unless w knows it, the ETag. They
// depend on the whole body, but a large one is not buffered: it is encoded once to compute both, and
// a second time while it is sent. So encode may be called twice and must write the same.
func WriteJSON(w http.ResponseWriter, encode func(e *jx.Encoder)) error {
	m := measures.Get().(*measure)
	defer m.release()
	m.tagged = tagged(w)
	e := getEncoder(m)
	encode(e)
	if m.size == 0 { // all of it is in the encoder's buffer
		m.add(e.Bytes())
		m.announce(w)
		_, err := w.Write(e.Bytes())
		encoders.Put(e)
		return err
	}
	err := e.Close()
	encoders.Put(e)
	if err != nil {
		return err // a measure never fails
	}
	m.announce(w)
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
func (m *measure) announce(w http.ResponseWriter) {
	h := w.Header()
	if m.tagged {
		h["Content-Length"] = []string{strconv.FormatInt(m.size, 10)}
		return
	}
	tag := hex.AppendEncode([]byte(`W/"`), binary.BigEndian.AppendUint64(nil, m.sum.Sum64()))
	values := []string{strconv.FormatInt(m.size, 10), string(append(tag, '"'))}
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
	tagged bool // the hash is not needed
	size   int64
	sum    xxhash.Digest
	kept   []byte
}

var measures = sync.Pool{New: func() any {
	m := new(measure)
	m.sum.Reset()
	return m
}}

// Write implements io.Writer.
func (m *measure) Write(p []byte) (int, error) {
	m.add(p)
	if m.size <= maxKept {
		m.kept = append(m.kept, p...)
	}
	return len(p), nil
}

// add adds a part of the body to the size and the hash.
func (m *measure) add(p []byte) {
	m.size += int64(len(p))
	if !m.tagged {
		_, _ = m.sum.Write(p) // never fails
	}
}

func (m *measure) release() {
	m.size, m.kept = 0, m.kept[:0]
	m.sum.Reset()
	measures.Put(m)
}

// Fragment is an encoded JSON value with open fields, whose values are inserted when it is written.
// It begins with a hash of the rest. Its parts alternate between text and keys of open fields, each
// preceded by its length. Text does not end with the comma before a key.
type Fragment []byte

// sumSize is the number of bytes of a fragment's hash.
const sumSize = 8

// Sum returns the hash of a fragment. Values of open fields do not change it.
func (f Fragment) Sum() uint64 { return binary.LittleEndian.Uint64(f) }

// Field is the value of an open field, as JSON.
type Field struct {
	Name  string
	Value []byte
}

// EncodeFragment encodes the value that build returns. Fields that build sets to open stay open.
func EncodeFragment(build func(open Item) Encoder) Fragment {
	e, open := jx.GetEncoder(), new(openFields)
	defer jx.PutEncoder(e)
	build(Item{Value: open}).Encode(e)
	text, done := e.Bytes(), 0
	f := make(Fragment, sumSize, sumSize+len(text)+binary.MaxVarintLen32*(2*len(open.keys)+1))
	for _, key := range open.keys {
		f = f.add(bytes.TrimSuffix(text[done:key.start], comma)).add(text[key.start:key.end])
		done = key.end
	}
	f = f.add(text[done:])
	binary.LittleEndian.PutUint64(f, xxhash.Sum64(f[sumSize:]))
	return f
}

var comma = []byte(",")

func (f Fragment) add(part []byte) Fragment {
	return append(binary.AppendUvarint(f, uint64(len(part))), part...)
}

// Append appends the value to dst, with the given fields and without any other open ones.
func (f Fragment) Append(dst []byte, fields ...Field) []byte {
	f = f[sumSize:]
	for isKey := false; len(f) > 0; isKey = !isKey {
		size, n := binary.Uvarint(f)
		part := f[n : n+int(size)]
		if f = f[n+int(size):]; !isKey {
			if len(part) > 0 && part[0] == ',' && dst[len(dst)-1] == '{' { // no field before it was given
				part = part[1:]
			}
			dst = append(dst, part...)
			continue
		}
		i := slices.IndexFunc(fields, func(g Field) bool { return string(part[1:len(part)-2]) == g.Name })
		if i < 0 {
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(append(dst, part...), fields[i].Value...)
	}
	return dst
}

// openFields records the keys of open fields while they are encoded.
type openFields struct{ keys []span }

type span struct{ start, end int }

// Encode records the key that has just been encoded. A value without a key cannot be open and is
// written as null.
func (o *openFields) Encode(e *jx.Encoder) {
	text := e.Bytes()
	before, isField := bytes.CutSuffix(text, []byte(`":`))
	if !isField {
		e.Null()
		return
	}
	e.RawStr("")                                                               // makes the encoder write a comma before the next field
	o.keys = append(o.keys, span{bytes.LastIndexByte(before, '"'), len(text)}) // names in a description contain no quotes
}
