package describe

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// location is the address of the document for compilers.
const location = "describe:///openapi.json"

// escaper escapes a key for a JSON pointer, and unescaper reverses that.
var escaper, unescaper = strings.NewReplacer("~", "~0", "/", "~1"), strings.NewReplacer("~1", "/", "~0", "~")

// pointer returns the JSON pointer (RFC 6901) for keys.
func pointer(keys ...string) string {
	var p strings.Builder
	for _, key := range keys {
		p.WriteByte('/')
		p.WriteString(escaper.Replace(key))
	}
	return p.String()
}

// lookup returns the node at a JSON pointer, or nil.
func (b *builder) lookup(at string) any {
	var node any = b.tree
	for _, key := range strings.Split(at, "/")[1:] {
		key = unescaper.Replace(key)
		switch n := node.(type) {
		case yaml.MapSlice:
			node = get(n, key)
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(n) {
				return nil
			}
			node = n[i]
		default:
			return nil
		}
	}
	return node
}

// follow returns the node at a JSON pointer and its location, with references resolved.
func (b *builder) follow(at string) (node any, where string, err error) {
	for range 10 { // more would be a cycle
		node = b.lookup(at)
		if node == nil {
			return nil, "", fmt.Errorf("nothing at #%s", at)
		}
		ref, ok := get(node, "$ref").(string)
		if !ok {
			return node, at, nil
		}
		if at, ok = strings.CutPrefix(ref, "#"); !ok {
			return nil, "", fmt.Errorf("reference %q is not local", ref)
		}
	}
	return nil, "", fmt.Errorf("references at #%s go in a circle", at)
}

// compile compiles the schema at a JSON pointer and adds its parts to the index.
func (b *builder) compile(at string) (*jsonschema.Schema, error) {
	schema, err := b.compiler.Compile(location + "#" + strings.ReplaceAll(at, "%", "%25"))
	if err != nil {
		return nil, err
	}
	b.schemas.add(schema)
	return schema, nil
}

// optional compiles the schema at a JSON pointer, or returns nil if the document has nothing there.
func (b *builder) optional(at string) (*jsonschema.Schema, error) {
	if b.lookup(at) == nil {
		return nil, nil
	}
	return b.compile(at)
}

// add adds a schema and everything below it to the index.
func (x index) add(s *jsonschema.Schema) {
	if s == nil || x[s.Location] != nil {
		return
	}
	x[s.Location] = s
	x.add(s.Ref)
	x.add(s.Not)
	x.add(s.Items2020)
	if more, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
		x.add(more)
	}
	for _, list := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf} {
		for _, part := range list {
			x.add(part)
		}
	}
	for _, property := range s.Properties {
		x.add(property)
	}
}

// target returns the schema behind references.
func target(s *jsonschema.Schema) *jsonschema.Schema {
	for s.Ref != nil {
		s = s.Ref
	}
	return s
}

// hasType reports whether a schema allows a type.
func hasType(s *jsonschema.Schema, name string) bool {
	s = target(s)
	if s.Types == nil {
		return false
	}
	for _, t := range s.Types.ToStrings() {
		if t == name {
			return true
		}
	}
	return false
}
