// Package describe loads an OpenAPI 3.1 description and checks requests and responses against it:
// which operations there are, who may call them, and which parts of a request or response are
// invalid. It is safe for concurrent use.
//
// It supports the part of OpenAPI that our descriptions use: JSON bodies, parameters in path and
// query, local references, bearer and OAuth2 security.
package describe

import (
	"crypto/sha256"
	"fmt"
	"sync"

	"github.com/goccy/go-yaml"
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
