package describe

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-faster/jx"
)

// deepest is how many objects and arrays may stand inside each other.
const deepest = 64

var (
	errDeep      = fmt.Errorf("is nested more than %d levels deep", deepest)
	errUTF8      = errors.New("is not valid UTF-8")
	errSurrogate = errors.New("is not valid UTF-8 (half a surrogate pair)")
)

// decoder reads one JSON text into the values that package jsonschema takes:
// map[string]any, []any, string, bool, nil, and of numbers int64 where the text
// is an integer of 64 bits, otherwise float64 (±Inf where that is too small).
type decoder struct {
	jx    *jx.Decoder
	depth int
	path  []step
	found []Violation
}

// step is one key, or one index where key is empty and index is set.
type step struct {
	key   string
	index int // -1 for a key
}

// decode reads a body. What is wrong with the text as a whole is one violation, and
// then there is no value. A NUL in a string, which PostgreSQL could not store, is a
// violation of its field, and so is a key given twice: two readers of the text might
// each believe another of its values (RFC 8259 section 4).
func decode(body []byte) (value any, found []Violation, ok bool) {
	if !utf8.Valid(body) {
		return nil, []Violation{{"body", errUTF8.Error()}}, false
	}
	if bytes.Contains(body, []byte(`\u`)) && halfSurrogate(body) {
		return nil, []Violation{{"body", errSurrogate.Error()}}, false
	}
	d := &decoder{jx: jx.GetDecoder()}
	defer jx.PutDecoder(d.jx)
	d.jx.ResetBytes(body)
	value, err := d.value()
	if err == nil && d.jx.Skip() != io.EOF {
		err = errors.New("trailing data")
	}
	if errors.Is(err, errDeep) {
		return nil, []Violation{{"body", errDeep.Error()}}, false
	}
	if err != nil {
		return nil, []Violation{{"body", malformed(body)}}, false
	}
	return value, d.found, true
}

// malformed says where a text stops being JSON, counting bytes from 1.
func malformed(body []byte) string {
	var raw json.RawMessage
	var syntax *json.SyntaxError
	switch err := json.Unmarshal(body, &raw); {
	case !errors.As(err, &syntax):
		return "is not valid JSON"
	case syntax.Error() == "unexpected end of JSON input":
		return fmt.Sprintf("is not valid JSON (it ends too early, after byte %d)", len(body))
	}
	return fmt.Sprintf("is not valid JSON (at byte %d)", syntax.Offset)
}

func (d *decoder) value() (any, error) {
	switch d.jx.Next() {
	case jx.Object:
		return d.object()
	case jx.Array:
		return d.array()
	case jx.String:
		s, err := d.jx.Str()
		d.noNUL(s, "must not contain NUL")
		return s, err
	case jx.Number:
		raw, err := d.jx.Raw()
		return number(raw), err
	case jx.Bool:
		return d.jx.Bool()
	case jx.Null:
		return nil, d.jx.Null()
	}
	return nil, errors.New("no value")
}

func (d *decoder) object() (any, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	made := map[string]any{}
	err := d.jx.Obj(func(_ *jx.Decoder, key string) error {
		d.noNUL(key, "must not have keys that contain NUL")
		d.path = append(d.path, step{key: key, index: -1})
		if _, twice := made[key]; twice {
			d.add("is given more than once")
		}
		v, err := d.value()
		made[key] = v
		d.path = d.path[:len(d.path)-1]
		return err
	})
	d.depth--
	return made, err
}

func (d *decoder) array() (any, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	made := []any{}
	err := d.jx.Arr(func(*jx.Decoder) error {
		d.path = append(d.path, step{index: len(made)})
		v, err := d.value()
		made = append(made, v)
		d.path = d.path[:len(d.path)-1]
		return err
	})
	d.depth--
	return made, err
}

func (d *decoder) enter() error {
	if d.depth++; d.depth > deepest {
		return errDeep
	}
	return nil
}

func (d *decoder) noNUL(s, why string) {
	if strings.IndexByte(s, 0) >= 0 {
		d.add(why)
	}
}

func (d *decoder) add(why string) {
	d.found = append(d.found, Violation{fieldName("body", d.path), why})
}

// number returns an int64 if the text is one, otherwise a float64.
func number(text []byte) any {
	s := string(text)
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return i
	}
	f, _ := strconv.ParseFloat(s, 64) // ±Inf beyond the range
	return f
}
