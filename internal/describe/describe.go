// Package describe loads an OpenAPI 3.1 description once and answers questions
// about it: which operations there are, who may call them, and what in a request
// or a response does not fit. All answers may be asked for concurrently.
//
// It knows the part of OpenAPI that our descriptions use: JSON bodies, parameters
// in path and query, local references, bearer and OAuth2 security.
package describe

import (
	"crypto/sha256"
	"fmt"
	"sync"

	"github.com/goccy/go-yaml"
)

// Description is one document. It does not change, and its parts are made when they are
// first asked for: most of a server's life nobody reads it, and only tests look at responses.
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

// BaseURL sets the address that the served documents name as their server, and
// that stands for "{base_url}" in them, such as https://api.example.org.
func BaseURL(address string) Option {
	return func(s *settings) { s.baseURL = address }
}

// SiteURL sets the address that stands for "{site_url}" in the served documents.
func SiteURL(address string) Option {
	return func(s *settings) { s.siteURL = address }
}

// Load reads a description. It fails when the text is not YAML, when a reference
// leads nowhere, when a schema is not JSON Schema 2020-12, or when two operations
// share an id. Error answers that follow from what an operation is need not be written:
// see Complete.
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

// Open gives a description that is read in parts, each when it is first asked for, which
// takes some milliseconds then. It is for documents that are part of the program and that
// a test loads: where Load would fail, what needs the part panics.
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

// once makes a part of the completed document, when it is first asked for.
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

// must gives a part of a document that has been loaded before, or by a test.
func must[T any](part T, err error) T {
	if err != nil {
		panic(err)
	}
	return part
}

// Identity differs between documents, and for other addresses. It reads nothing.
func (d *Description) Identity() []byte {
	return fmt.Appendf(nil, "%q %q %x", d.set.baseURL, d.set.siteURL, sha256.Sum256(d.text))
}

// JSON gives the document to serve as application/json. Do not change it.
func (d *Description) JSON() []byte { return must(d.json()) }

// YAML gives the document to serve as application/yaml, equal to JSON in content
// and order. Do not change it.
func (d *Description) YAML() []byte { return must(d.yaml()) }

// Operation gives the operation with an operationId as written, or nil.
func (d *Description) Operation(id string) *Operation { return must(d.requests()).byID[id] }

// Operations gives all operations in the order of the document. Do not change it.
func (d *Description) Operations() []*Operation { return must(d.requests()).operations }
