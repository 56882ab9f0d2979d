package markup

import (
	"bytes"
	"html"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
	nethtml "golang.org/x/net/html"
)

// rawHTML renders the HTML in a Markdown source so that it only affects its own place. Otherwise
// an unclosed tag or comment would swallow the text after it.
type rawHTML struct{}

func (r rawHTML) RegisterFuncs(register renderer.NodeRendererFuncRegisterer) {
	register.Register(ast.KindRawHTML, r.inline)
	register.Register(ast.KindHTMLBlock, r.block)
}

func (rawHTML) inline(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		writeTags(w, node.(*ast.RawHTML).Segments.Value(source))
	}
	return ast.WalkSkipChildren, nil
}

func (rawHTML) block(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		n := node.(*ast.HTMLBlock)
		fragment := n.Lines().Value(source)
		if n.HasClosure() {
			fragment = append(fragment, n.ClosureLine.Value(source)...)
		}
		writeTags(w, fragment)
		_ = w.WriteByte('\n')
	}
	return ast.WalkSkipChildren, nil
}

// writeTags writes the complete tags and the text of a fragment. It removes comments and
// declarations, and an incomplete tag becomes text.
func writeTags(w util.BufWriter, fragment []byte) {
	z := nethtml.NewTokenizer(bytes.NewReader(fragment))
	done := 0
	for {
		kind := z.Next()
		raw := z.Raw()
		switch kind {
		case nethtml.ErrorToken:
			_, _ = w.WriteString(html.EscapeString(string(fragment[done:])))
			return
		case nethtml.TextToken, nethtml.StartTagToken, nethtml.EndTagToken, nethtml.SelfClosingTagToken:
			_, _ = w.Write(raw)
		}
		done += len(raw)
	}
}
