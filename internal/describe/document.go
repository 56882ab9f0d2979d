package describe

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
)

// parse reads YAML into a tree of yaml.MapSlice, []any and scalars, which keeps the order of keys.
func parse(text []byte) (yaml.MapSlice, error) {
	var tree any
	if err := yaml.UnmarshalWithOptions(text, &tree, yaml.UseOrderedMap()); err != nil {
		return nil, err
	}
	doc, ok := tree.(yaml.MapSlice)
	if !ok {
		return nil, errors.New("the document is not a mapping")
	}
	return doc, nil
}

// served returns the tree for clients, with the addresses and without the extensions for the code
// generator.
func served(tree yaml.MapSlice, set settings) yaml.MapSlice {
	var fill []string
	if set.baseURL != "" {
		fill = append(fill, "{base_url}", set.baseURL)
	}
	if set.siteURL != "" {
		fill = append(fill, "{site_url}", set.siteURL)
	}
	doc, _ := publish(tree, strings.NewReplacer(fill...)).(yaml.MapSlice)
	servers, _ := get(doc, "servers").([]any)
	if len(servers) == 0 || set.baseURL == "" {
		return doc
	}
	if first, ok := servers[0].(yaml.MapSlice); ok {
		for i := range first {
			if first[i].Key == "url" {
				first[i].Value = set.baseURL
			}
		}
	}
	return doc
}

// publish copies a tree without those extensions.
func publish(node any, fill *strings.Replacer) any {
	switch node := node.(type) {
	case yaml.MapSlice:
		made := make(yaml.MapSlice, 0, len(node))
		for _, item := range node {
			if key, _ := item.Key.(string); !isHint(key) {
				made = append(made, yaml.MapItem{Key: item.Key, Value: publish(item.Value, fill)})
			}
		}
		return made
	case []any:
		made := make([]any, len(node))
		for i, item := range node {
			made[i] = publish(item, fill)
		}
		return made
	case string:
		return fill.Replace(node)
	}
	return node
}

func isHint(key string) bool {
	return key == hintErrors || key == hintStatuses || strings.HasPrefix(key, "x-ogen-")
}

// renderJSON returns the served document as JSON.
func renderJSON(tree yaml.MapSlice, set settings) ([]byte, error) {
	var out bytes.Buffer
	err := writeJSON(&out, served(tree, set))
	return out.Bytes(), err
}

// renderYAML returns the served document as YAML.
func renderYAML(tree yaml.MapSlice, set settings) ([]byte, error) {
	return yaml.MarshalWithOptions(served(tree, set), yaml.UseLiteralStyleIfMultiline(true), yaml.UseSingleQuote(true))
}

// writeJSON writes a tree as JSON with its keys in order.
func writeJSON(out *bytes.Buffer, node any) error {
	switch node := node.(type) {
	case yaml.MapSlice:
		out.WriteByte('{')
		for i, item := range node {
			if i > 0 {
				out.WriteByte(',')
			}
			if err := writeScalar(out, fmt.Sprint(item.Key)); err != nil {
				return err
			}
			out.WriteByte(':')
			if err := writeJSON(out, item.Value); err != nil {
				return err
			}
		}
		out.WriteByte('}')
		return nil
	case []any:
		out.WriteByte('[')
		for i, item := range node {
			if i > 0 {
				out.WriteByte(',')
			}
			if err := writeJSON(out, item); err != nil {
				return err
			}
		}
		out.WriteByte(']')
		return nil
	}
	return writeScalar(out, node)
}

func writeScalar(out *bytes.Buffer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	out.Truncate(out.Len() - 1) // remove the newline that Encode adds
	return nil
}

// get follows keys through an ordered tree and returns the node that it reaches, or nil if a key is
// missing.
func get(node any, keys ...string) any {
	for _, key := range keys {
		m, _ := node.(yaml.MapSlice)
		node = nil
		for _, item := range m {
			if item.Key == key {
				node = item.Value
			}
		}
	}
	return node
}
