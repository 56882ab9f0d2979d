package wire

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/go-faster/jx"
)

// Fragment is an encoded JSON value with open fields, whose values are inserted when it is written.
// Its parts alternate between text and keys of open fields, each preceded by its length. Text does
// not end with the comma before a key.
type Fragment []byte

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
	f := make(Fragment, 0, len(text)+binary.MaxVarintLen32*(2*len(open.keys)+1))
	for _, key := range open.keys {
		f = f.add(bytes.TrimSuffix(text[done:key.start], comma)).add(text[key.start:key.end])
		done = key.end
	}
	return f.add(text[done:])
}

var comma = []byte(",")

func (f Fragment) add(part []byte) Fragment {
	return append(binary.AppendUvarint(f, uint64(len(part))), part...)
}

// Append appends the value to dst, with the given fields and without any other open ones.
func (f Fragment) Append(dst []byte, fields ...Field) []byte {
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
