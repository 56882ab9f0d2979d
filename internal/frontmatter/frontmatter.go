// Package frontmatter reads the YAML between lines of three hyphens with which a Markdown file can begin.
package frontmatter

import (
	"errors"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Cut splits a text into its front matter and the rest. ok is false if it has none of at most `most` bytes.
func Cut(text string, most int) (matter, rest string, ok bool) {
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t\r") != "---" {
		return "", text, false
	}
	length := 0
	for line := range strings.Lines(rest) {
		if end := strings.TrimRight(line, " \t\r\n"); end == "---" || end == "..." {
			return rest[:length], rest[length+len(line):], true
		}
		if length += len(line); length > most {
			break
		}
	}
	return "", text, false
}

var errNoMapping = errors.New("the front matter is no YAML with names and values")

// Pairs returns the names and values of front matter, as nodes of the syntax tree, so aliases are not expanded.
func Pairs(matter string) ([]*ast.MappingValueNode, error) {
	tree, err := parser.ParseBytes([]byte(matter), 0)
	if err != nil || len(tree.Docs) > 1 {
		return nil, errNoMapping
	}
	if len(tree.Docs) == 0 || tree.Docs[0].Body == nil {
		return nil, nil
	}
	switch body := tree.Docs[0].Body.(type) {
	case *ast.MappingNode:
		return body.Values, nil
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{body}, nil
	case *ast.NullNode, *ast.CommentGroupNode:
		return nil, nil
	}
	return nil, errNoMapping
}
