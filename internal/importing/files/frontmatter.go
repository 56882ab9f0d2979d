package files

import (
	"strings"

	"github.com/goccy/go-yaml/ast"

	"vitrine/internal/frontmatter"
	"vitrine/internal/importing/source"
	"vitrine/internal/markup"
)

// maxFrontMatter is the longest front matter that is read, in bytes. A longer one stays text.
const maxFrontMatter = 16 << 10

// frontMatter moves the front matter of a Markdown text, which is YAML between lines of three hyphens, to
// the title, date, description, address and tags of the item. If it is malformed, or the item would have
// no content without it, the text stays as it is.
func frontMatter(it *source.Item) {
	matter, content, ok := frontmatter.Cut(it.Content, maxFrontMatter)
	if !ok {
		return
	}
	content = strings.TrimSpace(content)
	fields, ok := topLevel(matter)
	if !ok || content == "" {
		return
	}
	it.Content = content
	for _, f := range fields {
		value := f.first()
		switch strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(f.key)) {
		case "title":
			if value != "" {
				it.Title = value
			}
		case "date", "created", "createdat", "datecreated":
			if at := source.DateOf(value); !at.IsZero() {
				it.CreatedAt, it.ConnectedAt = at, at
			}
		case "description", "summary":
			it.Description = markup.Escape(value)
		case "source", "url":
			if address, _, why := source.LinkOf(value); why == "" {
				it.Address = address
			}
		case "tags", "tag", "keywords":
			if len(f.values) == 1 {
				f.values = source.TagsOf(value, ",")
			}
			it.Tags = source.TagList(append(it.Tags, f.values...))
		}
	}
}

// field is a key of front matter with its value or its list of values.
type field struct {
	key    string
	values []string
}

func (f field) first() string {
	if len(f.values) == 0 {
		return ""
	}
	return f.values[0]
}

// topLevel reads the keys whose values are scalars or lists of scalars.
func topLevel(matter string) (fields []field, ok bool) {
	pairs, err := frontmatter.Pairs(matter)
	if err != nil || len(pairs) == 0 {
		return nil, false
	}
	for _, pair := range pairs {
		f := field{key: pair.Key.GetToken().Value}
		nodes := []ast.Node{pair.Value}
		if list, ok := pair.Value.(*ast.SequenceNode); ok {
			nodes = list.Values
		}
		for _, node := range nodes {
			if text, ok := scalar(node); ok {
				f.values = append(f.values, text)
			}
		}
		fields = append(fields, f)
	}
	return fields, true
}

// scalar returns the text of a scalar; null has none.
func scalar(node ast.Node) (text string, ok bool) {
	switch node := node.(type) {
	case *ast.StringNode:
		return strings.TrimSpace(node.Value), true
	case *ast.LiteralNode:
		return strings.TrimSpace(node.Value.Value), true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return node.GetToken().Value, true
	}
	return "", false
}
