package web

import (
	"fmt"
	"html"
	"html/template"
	"regexp"
	"slices"
	"strings"

	nethtml "golang.org/x/net/html"

	"vitrine/internal/domain"
	users "vitrine/internal/markup"
)

// Footnotes are made when a page is rendered: the API's HTML is CommonMark (behaviour.md section 3), in which they
// remain literal text.

// The limits of one text. More notes and references stay literal.
const (
	maxFootnotes  = 500
	maxReferences = 2000
)

var (
	noteMark  = regexp.MustCompile(`\[\^([^\s\[\]<>]{1,100})\]`)
	noteStart = regexp.MustCompile(`^\[\^([^\s\[\]<>]{1,100})\]:\s*`)
	lineBreak = regexp.MustCompile(`<br/?>\n?`)
)

// footnote is a note of a text.
type footnote struct {
	label, body string // HTML
	number      int    // in the order of the references; 0 without one
}

// noted returns a user's text like prose, with its footnotes. See footnotes.
func noted(t *domain.Text, level int, of, back string) template.HTML {
	if t == nil || !strings.Contains(t.Markdown, "[^") {
		return prose(t, level)
	}
	if literal := escapeNotes(t.Markdown); literal != t.Markdown {
		text := domain.Text(users.Render(literal))
		t = &text
	}
	return footnotes(prose(t, level), of, back)
}

// loneWord matches a note of one word, which CommonMark takes for the definition of a link.
var loneWord = regexp.MustCompile(`^ {0,3}\[\^[^\s\[\]<>]{1,100}\]:\s*\S+\s*$`)

// escapeNotes makes notes of one word literal, except in fenced code.
func escapeNotes(markdown string) string {
	lines := strings.SplitAfter(markdown, "\n")
	fence := ""
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			fence = trimmed[:3]
		case loneWord.MatchString(line):
			lines[i] = strings.Replace(line, "[", `\[`, 1)
		}
	}
	return strings.Join(lines, "")
}

// footnotes moves the paragraphs of a user's text that define notes, such as "[^1]: Seen in 1843.", to a list at the
// end, and links the references, such as "[^1]", with it. of distinguishes the texts of a page, and back names the link
// from a note to its reference.
func footnotes(text template.HTML, of, back string) template.HTML {
	if !strings.Contains(string(text), "[^") {
		return text
	}
	parts := topLevel(string(text))
	notes := map[string]*footnote{}
	defined := make([][]*footnote, len(parts)) // by part
	for i, part := range parts {
		for _, n := range definitions(part) {
			if notes[n.label] == nil && len(notes) < maxFootnotes {
				notes[n.label] = n
				defined[i] = append(defined[i], n)
			}
		}
	}
	var out strings.Builder
	var used []*footnote
	references := 0
	link := func(n *footnote, mark string) string {
		if references++; references > maxReferences {
			return mark
		}
		id := ""
		if n.number == 0 {
			used = append(used, n)
			n.number = len(used)
			id = fmt.Sprintf(` id="noted-%s-%d"`, of, n.number)
		}
		return fmt.Sprintf(`<sup><a%s href="#note-%s-%d">%d</a></sup>`, id, of, n.number, n.number)
	}
	referred := make([]string, len(parts))
	for i, part := range parts {
		if len(defined[i]) == 0 {
			referred[i] = linkNotes(part, notes, link)
		}
	}
	for i := range parts {
		out.WriteString(referred[i])
		for _, n := range defined[i] {
			if n.number == 0 { // nothing refers to it
				fmt.Fprintf(&out, "<p>[^%s]: %s</p>\n", n.label, n.body)
			}
		}
	}
	if len(used) == 0 {
		return text
	}
	out.WriteString(`<ol class="footnotes">`)
	for _, n := range used {
		fmt.Fprintf(&out, `<li id="note-%[1]s-%[2]d">%[3]s <a href="#noted-%[1]s-%[2]d" aria-label="%[4]s">↩</a></li>`, of, n.number, n.body, html.EscapeString(back))
	}
	out.WriteString("</ol>")
	return template.HTML(out.String())
}

// topLevel divides sanitized HTML into its outermost elements and the text between them.
func topLevel(text string) (parts []string) {
	z := nethtml.NewTokenizer(strings.NewReader(text))
	depth, start, at := 0, 0, 0
	for {
		kind := z.Next()
		if kind == nethtml.ErrorToken {
			return append(parts, text[start:])
		}
		raw := len(z.Raw())
		switch kind {
		case nethtml.StartTagToken:
			if depth == 0 && at > start {
				parts, start = append(parts, text[start:at]), at
			}
			if name, _ := z.TagName(); !void(string(name)) {
				depth++
			}
		case nethtml.EndTagToken:
			if depth--; depth == 0 {
				parts, start = append(parts, text[start:at+raw]), at+raw
			}
		}
		at += raw
	}
}

// void reports whether an element of a user's text has no end tag.
func void(name string) bool { return name == "br" || name == "hr" || name == "img" }

// definitions returns the notes that a paragraph defines, if it defines nothing else.
func definitions(part string) (notes []*footnote) {
	inside, ok := strings.CutPrefix(strings.TrimSpace(part), "<p>")
	inside, closed := strings.CutSuffix(inside, "</p>")
	if !ok || !closed || !noteStart.MatchString(inside) {
		return nil
	}
	for _, line := range lineBreak.Split(inside, -1) {
		if m := noteStart.FindStringSubmatch(line); m != nil {
			notes = append(notes, &footnote{label: m[1], body: line[len(m[0]):]})
		} else {
			notes[len(notes)-1].body += "<br>\n" + line
		}
	}
	labels := map[string]bool{}
	for _, n := range notes {
		if labels[n.label] || !balanced(n.body) {
			return nil
		}
		labels[n.label] = true
	}
	return notes
}

// balanced reports whether all elements of a fragment begin and end in it.
func balanced(fragment string) bool {
	z := nethtml.NewTokenizer(strings.NewReader(fragment))
	var open []string
	for {
		switch kind := z.Next(); kind {
		case nethtml.ErrorToken:
			return len(open) == 0
		case nethtml.StartTagToken:
			if name, _ := z.TagName(); !void(string(name)) {
				open = append(open, string(name))
			}
		case nethtml.EndTagToken:
			name, _ := z.TagName()
			if len(open) == 0 || open[len(open)-1] != string(name) {
				return false
			}
			open = open[:len(open)-1]
		}
	}
}

// linkNotes replaces the references to notes in a part, except within code and links.
func linkNotes(part string, notes map[string]*footnote, link func(n *footnote, mark string) string) string {
	var out strings.Builder
	z := nethtml.NewTokenizer(strings.NewReader(part))
	literal := 0 // number of open elements with literal text
	for {
		kind := z.Next()
		if kind == nethtml.ErrorToken {
			return out.String()
		}
		raw := string(z.Raw())
		switch kind {
		case nethtml.StartTagToken, nethtml.EndTagToken:
			if name, _ := z.TagName(); slices.Contains([]string{"a", "code", "pre", "kbd", "samp"}, string(name)) {
				literal++
				if kind == nethtml.EndTagToken {
					literal -= 2
				}
			}
		case nethtml.TextToken:
			if literal == 0 {
				raw = noteMark.ReplaceAllStringFunc(raw, func(mark string) string {
					if n := notes[mark[2:len(mark)-1]]; n != nil {
						return link(n, mark)
					}
					return mark
				})
			}
		}
		out.WriteString(raw)
	}
}
