package describe

import (
	"encoding/json"
	"io"
	"unicode/utf8"

	"github.com/go-faster/jx"
)

// Field is a field of a JSON object, with the text of its value.
type Field struct {
	Name  string
	Value json.RawMessage
}

// maxUnknown is how many undeclared fields Fields returns.
const maxUnknown = 100

// Declares reports whether the description declares a body field of this name.
func (o *Operation) Declares(name string) bool {
	_, ok := o.shape().fields[name]
	return ok
}

// MaxItems returns the maximum number of items of a body field. ok is false if the description
// declares no list of this name, or one without a maximum.
func (o *Operation) MaxItems(name string) (n int, ok bool) {
	field, ok := o.shape().fields[name]
	if !ok || field.maxItems == 0 || field.maxItems == unlimited {
		return 0, false
	}
	return field.maxItems - 1, true // the shape keeps one item more
}

// Fields returns the fields of a JSON object in order: all fields for which known returns true, and
// the first maxUnknown others. If a field is repeated, it returns the last value, and twice is true.
// ok is false if the body is not a single JSON object; null counts as an empty one. The values refer to the body.
func Fields(body []byte, known func(name string) bool) (fields []Field, twice, ok bool) {
	if !utf8.Valid(body) {
		return nil, false, false
	}
	d := jx.GetDecoder()
	defer jx.PutDecoder(d)
	d.ResetBytes(body)
	switch d.Next() {
	case jx.Null:
		return nil, false, d.Null() == nil && d.Skip() == io.EOF
	case jx.Object:
	default:
		return nil, false, false
	}
	at, unknown := map[string]int{}, 0
	err := d.ObjBytes(func(_ *jx.Decoder, key []byte) error {
		name := string(key)
		value, err := d.Raw()
		i, again := at[name]
		switch {
		case err != nil:
		case again:
			fields[i].Value, twice = json.RawMessage(value), true
		case known(name) || unknown < maxUnknown:
			if !known(name) {
				unknown++
			}
			at[name] = len(fields)
			fields = append(fields, Field{name, json.RawMessage(value)})
		}
		return err
	})
	return fields, twice, err == nil && d.Skip() == io.EOF
}
