package describe

import (
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// newCompiler returns a compiler that knows the document, asserts formats, and applies the rules
// of rule.go.
func newCompiler(doc any, formats []*jsonschema.Format) (*jsonschema.Compiler, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(jsonschema.SchemeURLLoader{}) // it never loads anything
	c.AssertFormat()
	c.UseRegexpEngine(compilePattern)
	for _, format := range formats {
		c.RegisterFormat(format)
	}
	rules, err := jsonschema.UnmarshalJSON(strings.NewReader(`{}`))
	if err != nil {
		return nil, err
	}
	meta := jsonschema.NewCompiler()
	if err := meta.AddResource(vocabulary, rules); err != nil {
		return nil, err
	}
	schema, err := meta.Compile(vocabulary)
	if err != nil {
		return nil, err
	}
	c.AssertVocabs()
	c.RegisterVocabulary(&jsonschema.Vocabulary{URL: vocabulary, Schema: schema, Compile: compileRule})
	return c, c.AddResource(location, doc)
}

// vocabulary is the name of our additions to the rules of JSON Schema.
const vocabulary = "describe:///vocabulary.json"

// keyRule replaces "propertyNames" for compilers. Package jsonschema reports bad keys at a place
// that later siblings overwrite, so keyPattern checks them instead.
const keyRule = "x-property-names"

// renameKeyRules renames "propertyNames" throughout a document, in place.
func renameKeyRules(node any) {
	switch node := node.(type) {
	case map[string]any:
		if rule, ok := node["propertyNames"]; ok {
			delete(node, "propertyNames")
			node[keyRule] = rule
		}
		for _, v := range node {
			renameKeyRules(v)
		}
	case []any:
		for _, v := range node {
			renameKeyRules(v)
		}
	}
}
