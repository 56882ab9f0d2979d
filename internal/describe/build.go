package describe

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// builder turns the tree of a document into operations.
type builder struct {
	tree      yaml.MapSlice
	security  any // of the document
	requests  *jsonschema.Compiler
	responses *jsonschema.Compiler
	schemas   index
}

// index finds a compiled schema by its location, for explaining what it refused.
type index map[string]*jsonschema.Schema

var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}

// build fills in the operations from the tree, and the schemas from d.json.
func (d *Description) build(tree yaml.MapSlice) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(d.json))
	if err != nil {
		return err
	}
	renameKeyRules(doc)
	b := &builder{tree: tree, security: get(tree, "security"), schemas: index{}}
	if b.requests, err = newCompiler(doc, requestFormats); err != nil {
		return err
	}
	if b.responses, err = newCompiler(doc, responseFormats); err != nil {
		return err
	}
	paths, _ := get(tree, "paths").(yaml.MapSlice)
	for _, item := range paths {
		path := fmt.Sprint(item.Key)
		for _, method := range methods {
			if get(item.Value, method) == nil {
				continue
			}
			op, err := b.operation(path, method)
			if err != nil {
				return fmt.Errorf("%s %s: %w", method, path, err)
			}
			if d.byID[op.ID] != nil {
				return fmt.Errorf("two operations are called %q", op.ID)
			}
			d.byID[op.ID] = op
			d.operations = append(d.operations, op)
		}
	}
	if d.errorSchema, err = b.optional("/components/schemas/Error"); err != nil {
		return err
	}
	d.rateLimitSchema, err = b.optional("/components/schemas/RateLimitError")
	return err
}

// operation reads the operation of a method on a path.
func (b *builder) operation(path, method string) (*Operation, error) {
	at := pointer("paths", path, method)
	node := get(b.tree, "paths", path, method)
	id, _ := get(node, "operationId").(string)
	o := &Operation{
		ID: id, Method: strings.ToUpper(method), Path: path, schemas: b.schemas,
		segments: strings.Split(path, "/"), pathParams: map[string]param{}, responses: map[string]response{},
	}
	_, o.TokenRequired, o.Scope = security(node, b.security)
	if err := b.parameters(o, pointer("paths", path)); err != nil {
		return nil, err
	}
	if err := b.parameters(o, at); err != nil {
		return nil, err
	}
	if err := b.body(o, at); err != nil {
		return nil, err
	}
	responses, _ := get(node, "responses").(yaml.MapSlice)
	for _, item := range responses {
		status := fmt.Sprint(item.Key)
		content, err := b.content(at+pointer("responses", status), b.responses)
		if err != nil {
			return nil, err
		}
		o.responses[status] = response{content}
	}
	return o, nil
}

// security gives whether an operation looks at tokens by its effective security, and what
// that asks for.
func security(node, fallback any) (tokens, tokenRequired bool, scope string) {
	asked := fallback
	if own := get(node, "security"); own != nil {
		asked = own
	}
	alternatives, _ := asked.([]any)
	tokenRequired = len(alternatives) > 0
	for _, alternative := range alternatives {
		schemes, _ := alternative.(yaml.MapSlice)
		if len(schemes) == 0 {
			tokenRequired = false
		} else {
			tokens = true
		}
		for _, item := range schemes {
			scopes, _ := item.Value.([]any)
			for _, s := range scopes {
				if scope != "write" {
					scope, _ = s.(string)
				}
			}
		}
	}
	return tokens, tokenRequired, scope
}
