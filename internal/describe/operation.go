package describe

import (
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

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

// mediaType removes the parameters of a Content-Type, leniently.
func mediaType(header string) string {
	name, _, _ := strings.Cut(header, ";")
	return strings.ToLower(strings.TrimSpace(name))
}
