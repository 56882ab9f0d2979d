package describe

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// builder converts the tree of a document into operations.
type builder struct {
	tree     yaml.MapSlice
	security any // of the document
	compiler *jsonschema.Compiler
	schemas  index
}

// requests contains what a document declares about requests.
type requests struct {
	operations []*Operation
	byID       map[string]*Operation
}

// responses contains what a document declares about responses.
type responses struct {
	byID    map[string]map[string]response // by operation and status
	schemas index

	errorSchema, rateLimitSchema *jsonschema.Schema // nil if the description does not define it
}

// index maps locations to compiled schemas, for explaining violations.
type index map[string]*jsonschema.Schema

var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}

// newBuilder returns a builder whose schemas assert some formats.
func newBuilder(tree yaml.MapSlice, set settings, formats []*jsonschema.Format) (*builder, error) {
	text, err := renderJSON(tree, set)
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	renameKeyRules(doc)
	b := &builder{tree: tree, security: get(tree, "security"), schemas: index{}}
	b.compiler, err = newCompiler(doc, formats)
	return b, err
}

// each calls visit for each method of each path, in the order of the document.
func (b *builder) each(visit func(path, method string) error) error {
	paths, _ := get(b.tree, "paths").(yaml.MapSlice)
	for _, item := range paths {
		path := fmt.Sprint(item.Key)
		for _, method := range methods {
			if get(item.Value, method) == nil {
				continue
			}
			if err := visit(path, method); err != nil {
				return fmt.Errorf("%s %s: %w", method, path, err)
			}
		}
	}
	return nil
}

// buildRequests reads the operations.
func buildRequests(tree yaml.MapSlice, set settings) (*requests, error) {
	b, err := newBuilder(tree, set, requestFormats)
	if err != nil {
		return nil, err
	}
	all := &requests{byID: map[string]*Operation{}}
	return all, b.each(func(path, method string) error {
		op, err := b.operation(path, method)
		if err != nil {
			return err
		}
		if all.byID[op.ID] != nil {
			return fmt.Errorf("two operations are called %q", op.ID)
		}
		all.byID[op.ID] = op
		all.operations = append(all.operations, op)
		return nil
	})
}

// buildResponses reads the responses of the operations.
func buildResponses(tree yaml.MapSlice, set settings) (*responses, error) {
	b, err := newBuilder(tree, set, responseFormats)
	if err != nil {
		return nil, err
	}
	all := &responses{byID: map[string]map[string]response{}, schemas: b.schemas}
	err = b.each(func(path, method string) error {
		node := get(b.tree, "paths", path, method)
		id, _ := get(node, "operationId").(string)
		all.byID[id] = map[string]response{}
		declared, _ := get(node, "responses").(yaml.MapSlice)
		for _, item := range declared {
			status := fmt.Sprint(item.Key)
			content, err := b.content(pointer("paths", path, method, "responses", status))
			if err != nil {
				return err
			}
			all.byID[id][status] = response{content}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if all.errorSchema, err = b.optional("/components/schemas/Error"); err != nil {
		return nil, err
	}
	all.rateLimitSchema, err = b.optional("/components/schemas/RateLimitError")
	return all, err
}

// operation reads the operation of a method on a path.
func (b *builder) operation(path, method string) (*Operation, error) {
	at := pointer("paths", path, method)
	node := get(b.tree, "paths", path, method)
	id, _ := get(node, "operationId").(string)
	o := &Operation{
		ID: id, Method: strings.ToUpper(method), Path: path, schemas: b.schemas,
		segments: strings.Split(path, "/"), pathParams: map[string]param{},
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
	return o, nil
}

// security returns whether an operation accepts tokens according to its effective security,
// whether it requires one, and the scope.
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
