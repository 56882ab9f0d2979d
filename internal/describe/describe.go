// Package describe loads an OpenAPI 3.1 description and checks requests and responses against it:
// which operations there are, who may call them, and which parts of a request or response are
// invalid. It is safe for concurrent use.
//
// It supports the part of OpenAPI that our descriptions use: JSON bodies, parameters in path and
// query, local references, bearer and OAuth2 security.
package describe

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-faster/jx"
	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Description is one document. It is immutable. Its parts are built on first use, because a server
// rarely needs the documents, and only tests check responses.
type Description struct {
	text []byte
	set  settings

	requests   func() (*requests, error)
	responses  func() (*responses, error)
	json, yaml func() ([]byte, error)
}

// Option changes how a description is loaded.
type Option func(*settings)

type settings struct{ baseURL, siteURL string }

// BaseURL sets the address of the server in the served documents, which replaces "{base_url}" in
// them, such as https://api.example.org.
func BaseURL(address string) Option {
	return func(s *settings) { s.baseURL = address }
}

// SiteURL sets the address that replaces "{site_url}" in the served documents.
func SiteURL(address string) Option {
	return func(s *settings) { s.siteURL = address }
}

// Load reads a description. It fails if the text is not YAML, if a reference cannot be resolved,
// if a schema is not JSON Schema 2020-12, or if two operations have the same id. Standard error
// responses may be omitted: see Complete.
func Load(text []byte, options ...Option) (*Description, error) {
	d := Open(text, options...)
	_, err := d.json()
	if err == nil {
		_, err = d.requests()
	}
	if err == nil {
		_, err = d.responses()
	}
	if err == nil {
		_, err = d.yaml()
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Open returns a description whose parts are read on first use, which then takes some
// milliseconds. It is for documents that are part of the program and that a test loads: if Load
// would fail, using a part panics.
func Open(text []byte, options ...Option) *Description {
	d := &Description{text: text}
	for _, option := range options {
		option(&d.set)
	}
	d.requests = once(d, buildRequests)
	d.responses = once(d, buildResponses)
	d.json, d.yaml = once(d, renderJSON), once(d, renderYAML)
	return d
}

// once returns a function that builds a part of the completed document on the first call.
func once[T any](d *Description, part func(yaml.MapSlice, settings) (T, error)) func() (T, error) {
	return sync.OnceValues(func() (made T, err error) {
		tree, err := parse(d.text)
		if err == nil {
			err = complete(tree)
		}
		if err == nil {
			made, err = part(tree, d.set)
		}
		if err != nil {
			err = fmt.Errorf("describe: %w", err)
		}
		return made, err
	})
}

// must returns a part of a document that was loaded before, or by a test.
func must[T any](part T, err error) T {
	if err != nil {
		panic(err)
	}
	return part
}

// Identity returns a value that depends on the document and the addresses. It does not parse the
// document.
func (d *Description) Identity() []byte {
	return fmt.Appendf(nil, "%q %q %x", d.set.baseURL, d.set.siteURL, sha256.Sum256(d.text))
}

// JSON returns the document to serve as application/json. The caller must not change it.
func (d *Description) JSON() []byte { return must(d.json()) }

// YAML returns the document to serve as application/yaml, equal to JSON in content and order. The
// caller must not change it.
func (d *Description) YAML() []byte { return must(d.yaml()) }

// Operation returns the operation with an operationId, or nil.
func (d *Description) Operation(id string) *Operation { return must(d.requests()).byID[id] }

// Operations returns all operations in the order of the document. The caller must not change it.
func (d *Description) Operations() []*Operation { return must(d.requests()).operations }

// Operation is one method on one path.
type Operation struct {
	ID     string // operationId, such as "getBlock"
	Method string // upper case
	Path   string // template, such as "/v3/blocks/{id}"

	HasBody      bool // the operation accepts a request body
	BodyRequired bool // the body is required

	// TokenRequired is true if requests without a token are rejected: no alternative of the effective
	// security is empty.
	TokenRequired bool
	// Scope is the scope that an OAuth2 token needs, "read" or "write"; empty if the description
	// requires none.
	Scope string

	body       *jsonschema.Schema // of application/json; nil if that is not accepted
	shape      func() *shape      // of body
	bodyTypes  []string
	segments   []string // of Path
	pathParams map[string]param
	query      []param
	schemas    index
}

// param is one declared parameter.
type param struct {
	name     string
	required bool
	integer  bool
	boolean  bool
	array    bool
	schema   *jsonschema.Schema
}

// response is one declared response. content is by media type, empty if there is no body.
type response struct {
	content map[string]*jsonschema.Schema
}

// Accepts reports whether a request with this Content-Type header can be read: its media type must
// be declared, with any parameters. A missing header counts as JSON, and an operation without a
// body accepts anything. Otherwise the status is 415.
func (o *Operation) Accepts(contentType string) bool {
	if !o.HasBody {
		return true
	}
	got := mediaType(contentType)
	if got == "" {
		got = jsonType
	}
	for _, declared := range o.bodyTypes {
		if got == declared {
			return true
		}
	}
	return false
}

const jsonType = "application/json"

// Streams reports whether the body is not JSON, so that the handler of the operation reads it as a stream.
func (o *Operation) Streams() bool { return o.HasBody && o.body == nil }

// BodyTypes returns the media types of the body.
func (o *Operation) BodyTypes() []string { return o.bodyTypes }

// mediaType removes the parameters of a Content-Type, leniently.
func mediaType(header string) string {
	name, _, _ := strings.Cut(header, ";")
	return strings.ToLower(strings.TrimSpace(name))
}

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

// CheckBody returns every violation in a request body of the operation, sorted by field; nothing
// if the body is valid. It reads JSON: call it if Accepts has accepted the content type.
// Operations whose body is not described as application/json have nothing to check.
//
// In addition to the schema, it rejects what a decoder or the database could not handle: text that
// is not JSON or not UTF-8, NUL in any string, repeated keys, nesting deeper than 64, and integers
// that are not written as integers of 64 bits. Unknown fields are ignored, and neither they nor
// items beyond a limit use memory.
func (o *Operation) CheckBody(body []byte) []Violation {
	if o.body == nil {
		return nil
	}
	if len(body) == 0 {
		if o.BodyRequired {
			return []Violation{{"body", "is required"}}
		}
		return nil
	}
	value, found, more, ok := decode(body, o.shape())
	if !ok {
		return found
	}
	x := explainer{value: value, root: "body", schemas: o.schemas}
	return tidy(append(found, x.check(o.body)...), more)
}
