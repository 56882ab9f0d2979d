package web

import (
	"html/template"
	"strconv"
	"strings"
	plain "text/template"
	"text/template/parse"
)

// folded replaces the constant parts of templates by their values, before the templates are first executed: calls of
// constant functions with constants. Most texts of a page are such calls.
func folded(t *template.Template, constants template.FuncMap) *template.Template {
	f := folder{constants}
	for _, one := range t.Templates() {
		if one.Tree != nil {
			f.list(one.Tree.Root)
		}
	}
	return t
}

type folder struct{ constants template.FuncMap }

// list folds the nodes of a list, and joins adjacent texts.
func (f folder) list(l *parse.ListNode) {
	if l == nil {
		return
	}
	kept := l.Nodes[:0]
	for _, node := range l.Nodes {
		node = f.node(node)
		text, is := node.(*parse.TextNode)
		if n := len(kept); is && n > 0 {
			if before, is := kept[n-1].(*parse.TextNode); is {
				before.Text = append(before.Text[:len(before.Text):len(before.Text)], text.Text...)
				continue
			}
		}
		kept = append(kept, node)
	}
	l.Nodes = kept
}

// node folds a node. An action in a text, or in a quoted attribute as everywhere in our templates, becomes a text.
func (f folder) node(node parse.Node) parse.Node {
	switch n := node.(type) {
	case *parse.ActionNode:
		if value, ok := f.pipe(n.Pipe); ok {
			return &parse.TextNode{NodeType: parse.NodeText, Pos: n.Pos, Text: []byte(template.HTMLEscapeString(value))}
		}
	case *parse.IfNode:
		f.branch(&n.BranchNode)
	case *parse.WithNode:
		f.branch(&n.BranchNode)
	case *parse.RangeNode:
		f.branch(&n.BranchNode)
	case *parse.TemplateNode:
		f.arguments(n.Pipe)
	}
	return node
}

func (f folder) branch(b *parse.BranchNode) {
	f.arguments(b.Pipe)
	f.list(b.List)
	f.list(b.ElseList)
}

// pipe returns the value of a pipeline if it is the call of a constant function with constants. Otherwise it folds the
// arguments.
func (f folder) pipe(p *parse.PipeNode) (string, bool) {
	f.arguments(p)
	if len(p.Decl) > 0 || len(p.Cmds) != 1 {
		return "", false
	}
	for i, arg := range p.Cmds[0].Args {
		switch arg := arg.(type) {
		case *parse.IdentifierNode:
			if f.constants[arg.Ident] == nil {
				return "", false
			}
		case *parse.StringNode, *parse.NumberNode:
			if i == 0 {
				return "", false
			}
		default:
			return "", false
		}
	}
	return f.value(p.String()), true
}

// arguments replaces constant arguments of calls by their values.
func (f folder) arguments(p *parse.PipeNode) {
	if p == nil {
		return
	}
	for _, c := range p.Cmds {
		for i, arg := range c.Args {
			if inner, is := arg.(*parse.PipeNode); is {
				if value, ok := f.pipe(inner); ok {
					c.Args[i] = &parse.StringNode{NodeType: parse.NodeString, Pos: inner.Pos, Quoted: strconv.Quote(value), Text: value}
				}
			}
		}
	}
}

// value returns the value of a constant pipeline. Templates are part of the program, so it panics if they are invalid.
func (f folder) value(pipe string) string {
	var value strings.Builder
	if err := plain.Must(plain.New("").Funcs(plain.FuncMap(f.constants)).Parse("{{"+pipe+"}}")).Execute(&value, nil); err != nil {
		panic(err)
	}
	return value.String()
}
