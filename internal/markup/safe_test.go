package markup

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// outputElements repeats the policy instead of using it, so that widening the policy fails here
// first.
var outputElements = map[string]string{
	"p": "", "div": "", "br": "", "hr": "", "blockquote": "", "pre": "",
	"h1": "", "h2": "", "h3": "", "h4": "", "h5": "", "h6": "",
	"ul": "", "ol": "start", "li": "", "code": "class",
	"em": "", "strong": "", "b": "", "i": "", "u": "", "s": "", "del": "", "ins": "",
	"sub": "", "sup": "", "small": "", "mark": "", "kbd": "", "samp": "", "var": "",
	"q": "", "cite": "", "dfn": "",
	"a": "href title target rel", "img": "src alt title",
}

// checkSafe parses HTML like a browser does within a page and fails unless it meets the promises
// of Render: only allowed elements and attributes, safe addresses, marked links, and a tree that
// equals the text.
func checkSafe(t *testing.T, source, rendered string) {
	t.Helper()
	if !utf8.ValidString(rendered) || strings.Contains(rendered, "\x00") {
		t.Errorf("%.200q: the HTML is not clean text: %.500q", source, rendered)
	}
	nodes := parseFragment(t, rendered)
	var again strings.Builder
	for _, node := range nodes {
		checkNode(t, source, node, 1)
		if err := html.Render(&again, node); err != nil {
			t.Fatal(err)
		}
	}
	got, want := tokens(again.String()), tokens(rendered)
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Errorf("%.200q: from token %d a browser reads\n%q\nas\n%q", source, i, some(want, i), some(got, i))
			break
		}
	}
}

func parseFragment(t *testing.T, rendered string) []*html.Node {
	t.Helper()
	page := &html.Node{Type: html.ElementNode, DataAtom: atom.Body, Data: "body"}
	nodes, err := html.ParseFragment(strings.NewReader(rendered), page)
	if err != nil {
		t.Fatalf("%.500q does not parse: %v", rendered, err)
	}
	return nodes
}

func checkNode(t *testing.T, source string, node *html.Node, depth int) {
	t.Helper()
	switch node.Type {
	case html.TextNode:
		return
	case html.ElementNode:
	default:
		t.Errorf("%.200q: a node of type %d: %.100q", source, node.Type, node.Data)
		return
	}
	if depth > maxDepth {
		t.Fatalf("%.200q: deeper than %d", source, maxDepth)
	}
	attributes, ok := outputElements[node.Data]
	if !ok || node.Namespace != "" {
		t.Errorf("%.200q: element %q %q", source, node.Namespace, node.Data)
	}
	checkAttributes(t, source, node, strings.Fields(attributes))
	for child := node.FirstChild; child != nil; child = child.NextSibling {
		checkNode(t, source, child, depth+1)
	}
}

func checkAttributes(t *testing.T, source string, node *html.Node, permitted []string) {
	t.Helper()
	given := map[string]string{}
	for _, a := range node.Attr {
		given[a.Key] = a.Val
	}
	for _, name := range permitted {
		delete(given, name)
	}
	for name := range given {
		t.Errorf("%.200q: attribute %q of %s", source, name, node.Data)
	}
	for _, a := range node.Attr {
		given[a.Key] = a.Val
	}
	switch node.Data {
	case "a":
		if given["target"] != "_blank" || given["rel"] != "nofollow noopener" {
			t.Errorf("%.200q: link with target %q, rel %q", source, given["target"], given["rel"])
		}
		checkAddress(t, source, given["href"], "http", "https", "mailto")
	case "img":
		checkAddress(t, source, given["src"], "http", "https")
	}
}

func checkAddress(t *testing.T, source, address string, schemes ...string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Errorf("%.200q: address %q: %v", source, address, err)
		return
	}
	for _, scheme := range schemes {
		if u.Scheme == scheme {
			return
		}
	}
	t.Errorf("%.200q: address %q", source, address)
}

// tokens lists the tags and texts of HTML, without differences that have no meaning: the order of
// attributes, the slash of <br/>, and the one line end after <pre> that parsing removes and
// rendering adds.
func tokens(rendered string) []string {
	var all []string
	z := html.NewTokenizer(strings.NewReader(strings.ReplaceAll(rendered, "<pre>\n", "<pre>")))
	for z.Next() != html.ErrorToken {
		token := z.Token()
		if token.Type == html.SelfClosingTagToken {
			token.Type = html.StartTagToken
		}
		slices.SortFunc(token.Attr, func(a, b html.Attribute) int { return strings.Compare(a.Key, b.Key) })
		all = append(all, token.String())
	}
	return all
}

func some(all []string, i int) []string { return all[min(i, len(all)):min(i+5, len(all))] }
