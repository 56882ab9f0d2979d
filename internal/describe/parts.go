package describe

import (
	"fmt"
	"sync"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// parameters adds the parameters of a path item or an operation.
func (b *builder) parameters(o *Operation, at string) error {
	list, _ := b.lookup(at + pointer("parameters")).([]any)
	for i := range list {
		node, where, err := b.follow(at + pointer("parameters", fmt.Sprint(i)))
		if err != nil {
			return err
		}
		schema, err := b.compile(where + pointer("schema"))
		if err != nil {
			return err
		}
		p := param{schema: schema}
		p.name, _ = get(node, "name").(string)
		p.required, _ = get(node, "required").(bool)
		p.integer, p.boolean, p.array = hasType(schema, "integer"), hasType(schema, "boolean"), hasType(schema, "array")
		switch get(node, "in") {
		case "path":
			o.pathParams[p.name] = p
		case "query":
			o.query = append(o.query, p)
		}
	}
	return nil
}

// body reads the request body of the operation at a location.
func (b *builder) body(o *Operation, at string) error {
	if b.lookup(at+pointer("requestBody")) == nil {
		return nil
	}
	node, where, err := b.follow(at + pointer("requestBody"))
	if err != nil {
		return err
	}
	o.HasBody = true
	o.BodyRequired, _ = get(node, "required").(bool)
	content, err := b.content(where)
	if err != nil {
		return err
	}
	if o.body = content[jsonType]; o.body != nil {
		o.shape = sync.OnceValue(func() *shape { return newShape(0, o.body) })
	}
	for name := range content {
		o.bodyTypes = append(o.bodyTypes, name)
	}
	return nil
}

// content compiles the schemas of a body or response by media type.
func (b *builder) content(at string) (map[string]*jsonschema.Schema, error) {
	node, where, err := b.follow(at)
	if err != nil {
		return nil, err
	}
	types, _ := get(node, "content").(yaml.MapSlice)
	found := map[string]*jsonschema.Schema{}
	for _, item := range types {
		name := fmt.Sprint(item.Key)
		if found[name], err = b.compile(where + pointer("content", name, "schema")); err != nil {
			return nil, err
		}
	}
	return found, nil
}
