package describe

import (
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Operation is one method on one path.
type Operation struct {
	ID     string // operationId as written, such as "getBlock"
	Method string // upper case
	Path   string // template, such as "/v3/blocks/{id}"

	HasBody      bool // takes a request body
	BodyRequired bool // and must be given one

	// TokenRequired says that a request without a token is refused: no alternative
	// of the effective security is empty.
	TokenRequired bool
	// Scope is what an OAuth2 token needs, "read" or "write"; empty when the
	// description asks for none.
	Scope string

	body       *jsonschema.Schema // of application/json; nil when it is not taken
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

// response is one declared response; content is by media type, empty for no body.
type response struct {
	content map[string]*jsonschema.Schema
}

// Accepts reports whether a request with this Content-Type header can be read: its
// media type is declared, whatever its parameters. A missing header counts as
// JSON, and an operation without a body accepts anything. Otherwise the answer
// is 415.
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

// mediaType takes the parameters off a Content-Type, leniently.
func mediaType(header string) string {
	name, _, _ := strings.Cut(header, ";")
	return strings.ToLower(strings.TrimSpace(name))
}
