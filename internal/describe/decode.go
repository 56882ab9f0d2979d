package describe

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-faster/jx"
)

// deepest is the maximum nesting of objects and arrays.
const deepest = 64

var (
	errDeep      = fmt.Errorf("is nested more than %d levels deep", deepest)
	errUTF8      = errors.New("is not valid UTF-8")
	errSurrogate = errors.New("is not valid UTF-8 (half a surrogate pair)")
	errNoValue   = errors.New("no value")
)

// maxTracked is how many keys of ignored objects are checked for repetition in one body.
const maxTracked = 1000

// decoder reads one JSON text into the values that package jsonschema expects: map[string]any,
// []any, string, bool and nil, and for numbers int64 if the text is an integer of 64 bits,
// otherwise float64 (±Inf if the number is too large). It checks the syntax of the whole text and
// builds only the parts that a shape keeps.
type decoder struct {
	jx      *jx.Decoder
	depth   int
	path    []step
	found   []Violation
	more    int // violations beyond those in found
	tracked int // keys of ignored objects
}

// step is one key or, if key is empty, one index.
type step struct {
	key   string
	index int // -1 for a key
}

// decode reads a body. If the text as a whole is invalid, it returns one violation and no value. A
// NUL in a string, which PostgreSQL cannot store, is a violation of its field. So is a repeated
// key, because two readers of the text might use different values (RFC 8259 section 4). more
// counts violations that are not in found.
func decode(body []byte, of *shape) (value any, found []Violation, more int, ok bool) {
	if !utf8.Valid(body) {
		return nil, []Violation{{"body", errUTF8.Error()}}, 0, false
	}
	if bytes.Contains(body, []byte(`\u`)) && halfSurrogate(body) {
		return nil, []Violation{{"body", errSurrogate.Error()}}, 0, false
	}
	d := &decoder{jx: jx.GetDecoder()}
	defer jx.PutDecoder(d.jx)
	d.jx.ResetBytes(body)
	value, err := d.value(of)
	if err == nil && d.jx.Skip() != io.EOF {
		err = errors.New("trailing data")
	}
	if errors.Is(err, errDeep) {
		return nil, []Violation{{"body", errDeep.Error()}}, 0, false
	}
	if err != nil {
		return nil, []Violation{{"body", malformed(body)}}, 0, false
	}
	return value, d.found, d.more, true
}

// malformed describes where a text stops being JSON, counting bytes from 1.
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

func (d *decoder) value(of *shape) (any, error) {
	switch d.jx.Next() {
	case jx.Object:
		return d.object(of)
	case jx.Array:
		return d.array(of)
	case jx.String:
		s, err := d.jx.Str()
		d.noNUL([]byte(s), "must not contain NUL")
		return s, err
	case jx.Number:
		raw, err := d.jx.Raw()
		return number(raw), err
	case jx.Bool:
		return d.jx.Bool()
	case jx.Null:
		return nil, d.jx.Null()
	}
	return nil, errNoValue
}

func (d *decoder) object(of *shape) (any, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	made, others := map[string]any{}, 0
	var passed map[string]bool
	err := d.jx.ObjBytes(func(_ *jx.Decoder, name []byte) (err error) {
		d.noNUL(name, "must not have keys that contain NUL")
		below, kept, other := of.field(name, others)
		key := string(name)
		d.path = append(d.path, step{key: key, index: -1})
		if kept {
			if _, twice := made[key]; twice {
				d.add("is given more than once")
			} else if other {
				others++
			}
			made[key], err = d.value(below)
		} else {
			d.track(&passed, key)
			err = d.skip()
		}
		d.path = d.path[:len(d.path)-1]
		return err
	})
	d.depth--
	return made, err
}

func (d *decoder) array(of *shape) (any, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	made, n, bad := []any{}, 0, 0
	err := d.jx.Arr(func(*jx.Decoder) (err error) {
		d.path = append(d.path, step{index: n})
		if below, kept := of.item(n); kept && bad <= maxViolation {
			var v any
			v, err = d.value(below)
			made = append(made, v)
			// The validator explains every invalid item, so a long list keeps only the first ones.
			if n > maxViolation && !of.fits(v) {
				bad++
			}
		} else {
			err = d.skip()
		}
		d.path = d.path[:len(d.path)-1]
		n++
		return err
	})
	d.depth--
	return made, err
}

// skip reads a value without keeping it. It finds the same violations as value, but checks only
// the first keys of a body for repetition.
func (d *decoder) skip() error {
	switch d.jx.Next() {
	case jx.Object:
		if err := d.enter(); err != nil {
			return err
		}
		var passed map[string]bool
		err := d.jx.ObjBytes(func(_ *jx.Decoder, name []byte) error {
			d.noNUL(name, "must not have keys that contain NUL")
			key := string(name)
			d.path = append(d.path, step{key: key, index: -1})
			d.track(&passed, key)
			err := d.skip()
			d.path = d.path[:len(d.path)-1]
			return err
		})
		d.depth--
		return err
	case jx.Array:
		if err := d.enter(); err != nil {
			return err
		}
		n := 0
		err := d.jx.Arr(func(*jx.Decoder) error {
			d.path = append(d.path, step{index: n})
			err := d.skip()
			d.path = d.path[:len(d.path)-1]
			n++
			return err
		})
		d.depth--
		return err
	case jx.String:
		s, err := d.jx.StrBytes()
		d.noNUL(s, "must not contain NUL")
		return err
	case jx.Invalid:
		return errNoValue
	}
	return d.jx.Skip()
}

// track records a key of an ignored field, and adds a violation if the object already has
// it.
func (d *decoder) track(passed *map[string]bool, key string) {
	if (*passed)[key] {
		d.add("is given more than once")
		return
	}
	if d.tracked++; d.tracked > maxTracked {
		return
	}
	if *passed == nil {
		*passed = map[string]bool{}
	}
	(*passed)[key] = true
}

func (d *decoder) enter() error {
	if d.depth++; d.depth > deepest {
		return errDeep
	}
	return nil
}

func (d *decoder) noNUL(s []byte, why string) {
	if bytes.IndexByte(s, 0) >= 0 {
		d.add(why)
	}
}

// add adds a violation, or only counts it if there are more than a response lists.
func (d *decoder) add(why string) {
	if len(d.found) > maxViolation {
		d.more++
		return
	}
	d.found = append(d.found, Violation{fieldName("body", d.path), why})
}

// number returns an int64 if the text is one, otherwise a float64.
func number(text []byte) any {
	s := string(text)
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return i
	}
	f, _ := strconv.ParseFloat(s, 64) // ±Inf if out of range
	return f
}

var errEncoding = errors.New("is not encoded as URLs are (percent signs, semicolons)")

// CheckParams returns every violation of the declared path and query parameters in an address,
// sorted by name. It ignores unknown query parameters, except for metadata[…]. A list may be
// comma-separated and repeated; other parameters must not be repeated.
//
// noSuchID is true if a path parameter cannot identify anything: it is empty, an id below 1 or of
// more than 64 bits, or text that no database can contain (NUL, not UTF-8). The caller should
// respond with 404; such a parameter is not among the violations.
func (o *Operation) CheckParams(u *url.URL) (found []Violation, noSuchID bool) {
	if len(o.pathParams) > 0 {
		found, noSuchID = o.checkPath(u.EscapedPath())
	}
	given, found := o.queryValues(u.RawQuery, found)
	for i, p := range o.query {
		values := given[i]
		switch {
		case values == nil && p.required:
			found = append(found, Violation{p.name, "is required"})
		case values == nil:
		case !p.array && len(values) > 1:
			found = append(found, Violation{p.name, "is given more than once"})
		case p.array:
			found = append(found, p.check(split(values), o.schemas)...)
		default:
			found = append(found, p.check(p.scalar(values[0]), o.schemas)...)
		}
	}
	return tidy(found, 0), noSuchID
}

// PathValues returns the unescaped path parameters of an escaped path, and whether the path
// matches the template.
func (o *Operation) PathValues(path string) (values map[string]string, ok bool) {
	segments := strings.Split(path, "/")
	if len(segments) != len(o.segments) {
		return nil, false
	}
	for i, segment := range o.segments {
		if !strings.HasPrefix(segment, "{") {
			if segment != segments[i] {
				return nil, false
			}
			continue
		}
		text, err := url.PathUnescape(segments[i])
		if err != nil {
			return nil, false
		}
		if values == nil {
			values = map[string]string{}
		}
		values[strings.Trim(segment, "{}")] = text
	}
	return values, true
}

// checkPath checks the parameters in a path. It checks nothing if the path does not match the
// template.
func (o *Operation) checkPath(path string) (found []Violation, noSuchID bool) {
	segments := strings.Split(path, "/")
	if len(segments) != len(o.segments) {
		return nil, false
	}
	for i, segment := range o.segments {
		p, ok := o.pathParams[strings.Trim(segment, "{}")]
		if !ok || !strings.HasPrefix(segment, "{") {
			continue
		}
		text, err := url.PathUnescape(segments[i])
		switch {
		case err != nil:
			found = append(found, Violation{p.name, errEncoding.Error()})
		case text == "" || strings.IndexByte(text, 0) >= 0 || !utf8.ValidString(text), p.integer && impossible(text):
			noSuchID = true
		default:
			found = append(found, p.check(p.scalar(text), o.schemas)...)
		}
	}
	return found, noSuchID
}

// impossible reports whether a text is a number that cannot be an id.
func impossible(text string) bool {
	id, err := strconv.ParseInt(text, 10, 64)
	return errors.Is(err, strconv.ErrRange) || err == nil && id < 1
}

// queryValues returns the values of each declared query parameter, by its index in o.query. A
// value that cannot be decoded is a violation.
func (o *Operation) queryValues(query string, found []Violation) (map[int][]string, []Violation) {
	var given map[int][]string
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		name, value, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(name)
		i := slices.IndexFunc(o.query, func(p param) bool { return p.name == name })
		if err == nil && i < 0 && strings.HasPrefix(name, "metadata[") { // ignoring a filter would return everything
			found = append(found, Violation{strings.ToValidUTF8(name, "?"), "is not supported: this server cannot filter by metadata"})
		}
		if err != nil || i < 0 {
			continue
		}
		text, err := url.QueryUnescape(value)
		switch {
		case err != nil || strings.Contains(pair, ";"):
			found = append(found, Violation{name, errEncoding.Error()})
		case strings.IndexByte(text, 0) >= 0:
			found = append(found, Violation{name, "must not contain NUL"})
		case !utf8.ValidString(text):
			found = append(found, Violation{name, errUTF8.Error()})
		default:
			if given == nil {
				given = map[int][]string{}
			}
			given[i] = append(given[i], text)
		}
	}
	return given, found
}

// split splits repeated and comma-separated values into one list.
func split(values []string) []any {
	var list []any
	for _, v := range values {
		for part := range strings.SplitSeq(v, ",") {
			list = append(list, part)
		}
	}
	return list
}

// scalar converts a text to the declared type. If that is impossible, it returns the text, which
// the schema then rejects.
func (p param) scalar(text string) any {
	if p.boolean {
		if b, err := strconv.ParseBool(text); err == nil { // like the generated decoder
			return b
		}
	}
	if !p.integer {
		return text
	}
	i, err := strconv.ParseInt(text, 10, 64)
	if errors.Is(err, strconv.ErrRange) {
		return float64(i)
	}
	if err != nil {
		return text
	}
	return i
}

func (p param) check(value any, schemas index) []Violation {
	x := explainer{value: value, prefix: []step{{key: p.name, index: -1}}, schemas: schemas}
	return x.check(p.schema)
}
