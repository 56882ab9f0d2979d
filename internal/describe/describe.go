// Package describe loads an OpenAPI 3.1 description once and answers questions
// about it: which operations there are, who may call them, and what in a request
// or a response does not fit. All answers may be asked for concurrently.
//
// It knows the part of OpenAPI that our descriptions use: JSON bodies, parameters
// in path and query, local references, bearer and OAuth2 security.
package describe

import (
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Description is one loaded document. It does not change after Load.
type Description struct {
	json, yaml []byte
	operations []*Operation
	byID       map[string]*Operation

	errorSchema, rateLimitSchema *jsonschema.Schema
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
	var set settings
	for _, option := range options {
		option(&set)
	}
	tree, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("describe: %w", err)
	}
	if err := complete(tree); err != nil {
		return nil, fmt.Errorf("describe: %w", err)
	}
	d := &Description{byID: map[string]*Operation{}}
	if d.json, d.yaml, err = render(served(tree, set)); err != nil {
		return nil, fmt.Errorf("describe: %w", err)
	}
	if err := d.build(tree); err != nil {
		return nil, fmt.Errorf("describe: %w", err)
	}
	return d, nil
}

// JSON gives the document to serve as application/json. Do not change it.
func (d *Description) JSON() []byte { return d.json }

// YAML gives the document to serve as application/yaml, equal to JSON in content
// and order. Do not change it.
func (d *Description) YAML() []byte { return d.yaml }

// Operation gives the operation with an operationId as written, or nil.
func (d *Description) Operation(id string) *Operation { return d.byID[id] }

// Operations gives all operations in the order of the document. Do not change it.
func (d *Description) Operations() []*Operation { return d.operations }
