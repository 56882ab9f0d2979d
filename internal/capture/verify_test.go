package capture

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// requests returns what a browser would request or run if it opened a file. It shares no code with the package.
func requests(text string) (problems []string) {
	for _, scripts := range []bool{true, false} {
		doc, err := html.ParseWithOptions(strings.NewReader(text), html.ParseOptionEnableScripting(scripts))
		if err != nil {
			return []string{err.Error()}
		}
		for n := range doc.Descendants() {
			problems = append(problems, problemsOf(n)...)
		}
	}
	return problems
}

var loading = map[string]bool{"src": true, "srcset": true, "data": true, "poster": true, "background": true, "imagesrcset": true, "lowsrc": true,
	"dynsrc": true, "manifest": true, "action": true, "formaction": true, "ping": true, "archive": true, "classid": true, "codebase": true}

func problemsOf(n *html.Node) (problems []string) {
	problem := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if n.Type == html.CommentNode {
		problem("comment %q", n.Data)
	}
	if n.Type != html.ElementNode {
		return problems
	}
	switch n.Data {
	case "script", "base", "noscript", "object", "embed", "applet", "portal", "audio source", "track":
		problem("<%s>", n.Data)
	case "style":
		if n.FirstChild != nil {
			problems = append(problems, styleProblems(n.FirstChild.Data)...)
		}
	}
	rel := ""
	for _, a := range n.Attr {
		if a.Key == "rel" {
			rel = a.Val
		}
	}
	for _, a := range n.Attr {
		value := strings.TrimSpace(strings.ToLower(a.Val))
		local := strings.HasPrefix(value, "data:") || strings.HasPrefix(value, "#")
		switch key := strings.ToLower(a.Key); {
		case strings.HasPrefix(key, "on"):
			problem("%s=%q of <%s>", key, a.Val, n.Data)
		case strings.HasPrefix(value, "javascript:") || strings.HasPrefix(value, "vbscript:"):
			problem("%s=%q of <%s>", key, a.Val, n.Data)
		case key == "srcdoc":
			problems = append(problems, requests(a.Val)...)
		case key == "http-equiv" && value != "content-security-policy":
			problem("%s=%q", key, a.Val)
		case key == "style":
			problems = append(problems, styleProblems(a.Val)...)
		case loading[key] && !local:
			problem("%s=%q of <%s>", key, a.Val, n.Data)
		case key == "href" && n.Data != "a" && n.Data != "area" && (n.Data != "link" || rel != "canonical" && rel != "author" && rel != "license") && !local:
			problem("%s=%q of <%s>", key, a.Val, n.Data)
		case n.Namespace == "svg" && strings.Contains(value, "url("):
			problems = append(problems, styleProblems(a.Val)...)
		}
		problems = append(problems, dataProblems(a.Val)...)
	}
	return problems
}

// dataProblems checks the pages and drawings in data: addresses.
func dataProblems(address string) []string {
	for _, kind := range []string{"data:text/html;charset=utf-8;base64,", "data:image/svg+xml;base64,"} {
		text, ok := strings.CutPrefix(address, kind)
		if !ok {
			continue
		}
		text, _, _ = strings.Cut(text, "#")
		inside, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return []string{err.Error()}
		}
		return requests(string(inside))
	}
	return nil
}

var (
	references = regexp.MustCompile(`(?i)(?:url|src|image|image-set)\(\s*(.{0,80})`)
	addresses  = regexp.MustCompile(`url\("(data:image/svg\+xml;base64,[^"]*)"\)`)
)

func styleProblems(text string) (problems []string) {
	if strings.Contains(strings.ToLower(text), "@import") {
		problems = append(problems, "@import in a style")
	}
	for _, m := range references.FindAllStringSubmatch(text, -1) {
		if !strings.HasPrefix(m[1], `"data:`) && !strings.HasPrefix(m[1], `"#`) && !strings.HasPrefix(m[1], `url("data:`) && !strings.HasPrefix(m[1], "linear-gradient") {
			problems = append(problems, fmt.Sprintf("style refers to %q", m[1]))
		}
	}
	for _, m := range addresses.FindAllStringSubmatch(text, -1) {
		problems = append(problems, dataProblems(m[1])...)
	}
	return problems
}

// The check must find what it looks for.
func TestRequestsAreFound(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`<img src=x>`, `<img srcset="x 2x">`, `<script></script>`, `<p onclick=x>`, `<a href=" JavaScript:x">`, `<link rel=stylesheet href=x>`,
		`<style>@import "x"</style>`, `<p style="background:url(x)">`, `<svg><image href=x /></svg>`, `<svg><path fill="url(x#y)"></svg>`,
		`<iframe srcdoc="<img src=x>"></iframe>`, `<frameset><frame src="data:text/html;charset=utf-8;base64,PGltZyBzcmM9eD4="></frameset>`, `<!-- x -->`,
		`<meta http-equiv=refresh content=1>`, `<noscript><img src=x></noscript>`, `<form action=x>`,
	} {
		if len(requests(text)) == 0 {
			t.Errorf("nothing found in %s", text)
		}
	}
}

// words counts the words of the visible text of a page and of the pages in its frames.
func words(text string, frames func(address string) string) map[string]int {
	doc, err := html.ParseWithOptions(strings.NewReader(text), html.ParseOptionEnableScripting(false))
	if err != nil {
		panic(err)
	}
	counted := map[string]int{}
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			for word := range strings.FieldsSeq(n.Data) {
				counted[word]++
			}
		case n.Type == html.ElementNode && (n.Data == "script" || n.Data == "style" || n.Data == "template" || n.Data == "title" || n.Data == "noframes" ||
			n.Data == "video" || n.Data == "audio" || n.Data == "object"):
			return
		case n.Data == "iframe" && attr(n, "width") == "1":
			return
		case n.Type == html.ElementNode && (n.Data == "iframe" || n.Data == "frame"):
			for word, count := range words(frames(attr(n, "src")+attr(n, "srcdoc")), frames) {
				counted[word] += count
			}
			return
		}
		for child := range n.ChildNodes() {
			walk(child)
		}
	}
	walk(doc)
	return counted
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// copied returns the page in a frame of a copy.
func copied(address string) string {
	if text, ok := strings.CutPrefix(address, "data:text/html;charset=utf-8;base64,"); ok {
		inside, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			panic(err)
		}
		return string(inside)
	}
	return address
}
