// Package wire contains the few hand-written types of the generated encoders, where generated ones
// would be large, unordered or slow. Each encodes itself with a jx.Encoder. Decoding is for tests
// that use the generated code as a client.
package wire

import (
	"bytes"
	"time"

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
