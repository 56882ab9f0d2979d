package capture

import (
	"strings"
	"unicode/utf8"
)

// tokenKind is a kind of token of CSS (https://www.w3.org/TR/css-syntax-3/), as far as it matters for references.
type tokenKind int

const (
	otherToken    tokenKind = iota // a byte, an identifier, a number
	commentToken                   // its text may be dropped
	stringToken                    // value is the text
	urlToken                       // unquoted; value is the address, "" if it is malformed
	functionToken                  // value is the name in lower case; the parenthesis is included
	atToken                        // value is the keyword in lower case
	openToken                      // ( [ {
	closeToken                     // ) ] }
)

type token struct {
	kind       tokenKind
	start, end int
	value      string
}

// source returns a style sheet as the tokenizer expects it: with normal line breaks, and without an escape at the end,
// which would apply to the text after it.
func source(text string) string {
	text = normal.Replace(text)
	escapes := len(text) - len(strings.TrimRight(text, `\`))
	return text[:len(text)-escapes%2]
}

var (
	normal = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\f", "\n", "\x00", "\uFFFD")
	escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\a `)
)

// next returns the token at a position of a text from source.
func next(text string, at int) token {
	t := token{start: at, end: at + 1}
	switch c := text[at]; {
	case c == '/' && strings.HasPrefix(text[at:], "/*"):
		t.kind, t.end = commentToken, len(text)
		if i := strings.Index(text[at+2:], "*/"); i >= 0 {
			t.end = at + 2 + i + 2
		}
	case c == '"' || c == '\'':
		t.kind = stringToken
		t.value, t.end = quoted(text, at)
	case c == '<' && strings.HasPrefix(text[at:], "<!--"):
		t.end = at + len("<!--")
	case c == '#' || c == '@':
		if name, end := identifier(text, at+1); end > at+1 {
			t.end = end
			if c == '@' {
				t.kind, t.value = atToken, strings.ToLower(name)
			}
		}
	case c == '(' || c == '[' || c == '{':
		t.kind = openToken
	case c == ')' || c == ']' || c == '}':
		t.kind = closeToken
	default:
		if name, end := identifier(text, at); end > at {
			return named(text, at, name, end)
		}
	}
	return t
}

// named returns the token that begins with an identifier.
func named(text string, at int, name string, end int) token {
	if end == len(text) || text[end] != '(' {
		return token{start: at, end: end}
	}
	t := token{kind: functionToken, start: at, end: end + 1, value: strings.ToLower(name)}
	if t.value != "url" {
		return t
	}
	first := end + 1
	for first < len(text) && isSpace(text[first]) {
		first++
	}
	if first < len(text) && (text[first] == '"' || text[first] == '\'') {
		return t
	}
	t.kind = urlToken
	t.value, t.end = unquoted(text, first)
	return t
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

// isName reports whether a byte may be part of an identifier.
func isName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c >= utf8.RuneSelf
}

// isEscape reports whether an escape begins at a position.
func isEscape(text string, at int) bool {
	return at+1 < len(text) && text[at] == '\\' && text[at+1] != '\n'
}

// identifier decodes the identifier at a position. It returns the position after it, or the same position if no identifier begins
// there.
func identifier(text string, at int) (string, int) {
	i := at
	if i < len(text) && text[i] == '-' {
		i++
	}
	if i == len(text) || !isEscape(text, i) && (!isName(text[i]) || text[i] >= '0' && text[i] <= '9') {
		return "", at
	}
	end := at
	for end < len(text) && isName(text[end]) {
		end++
	}
	if !isEscape(text, end) {
		return text[at:end], end
	}
	var b strings.Builder
	b.WriteString(text[at:end])
	for end < len(text) {
		switch {
		case isName(text[end]):
			b.WriteByte(text[end])
			end++
		case isEscape(text, end):
			r, after := escaped(text, end)
			b.WriteRune(r)
			end = after
		default:
			return b.String(), end
		}
	}
	return b.String(), end
}

// escaped returns the character of the escape at a position, and where it ends.
func escaped(text string, at int) (rune, int) {
	end, value := at+1, 0
	for end < len(text) && end < at+7 && hexValue(text[end]) >= 0 {
		value = value<<4 | hexValue(text[end])
		end++
	}
	if end == at+1 {
		r, size := utf8.DecodeRuneInString(text[end:])
		return r, end + size
	}
	if end < len(text) && isSpace(text[end]) {
		end++
	}
	if value == 0 || value > utf8.MaxRune || value >= 0xD800 && value < 0xE000 {
		value = utf8.RuneError
	}
	return rune(value), end
}

// quoted returns the decoded string at a position, and where it ends: after its quote, or before a line break or the
// end of the text.
func quoted(text string, at int) (string, int) {
	var b strings.Builder
	i := at + 1
	for i < len(text) {
		switch {
		case text[i] == text[at]:
			return b.String(), i + 1
		case text[i] == '\n':
			return b.String(), i
		case text[i] == '\\' && i+1 < len(text) && text[i+1] == '\n':
			i += 2
		case isEscape(text, i):
			r, end := escaped(text, i)
			b.WriteRune(r)
			i = end
		default:
			b.WriteByte(text[i])
			i++
		}
	}
	return b.String(), i
}

// unquoted returns the decoded address at a position after "url(", and where the token ends. The address is empty if
// it is malformed.
func unquoted(text string, at int) (string, int) {
	var b strings.Builder
	i, valid := at, true
	for i < len(text) {
		switch c := text[i]; {
		case c == ')':
			return ifValid(b.String(), valid), i + 1
		case isEscape(text, i):
			r, end := escaped(text, i)
			b.WriteRune(r)
			i = end
		case isSpace(c):
			for i < len(text) && isSpace(text[i]) {
				i++
			}
			valid = valid && (i == len(text) || text[i] == ')')
		default:
			valid = valid && c != '"' && c != '\'' && c != '(' && c != '\\'
			b.WriteByte(c)
			i++
		}
	}
	return ifValid(b.String(), valid), i
}

func ifValid(text string, valid bool) string {
	if !valid {
		return ""
	}
	return text
}

// quote writes a text as a string of CSS.
func quote(text string) string {
	return `"` + escape.Replace(text) + `"`
}

// split cuts a text at a separator outside of brackets, strings and comments.
func split(text string, separator byte) []string {
	var parts []string
	var open nesting
	begin := 0
	for at := 0; at < len(text); {
		t := next(text, at)
		at = t.end
		open.count(text, t)
		if t.kind == otherToken && text[t.start] == separator && t.end == t.start+1 && len(open) == 0 {
			parts = append(parts, text[begin:t.start])
			begin = t.end
		}
	}
	return append(parts, text[begin:])
}

// nesting contains the open brackets, each with the function that it belongs to.
type nesting []bracket

type bracket struct {
	closer   byte
	function string
}

var closers = map[byte]byte{'(': ')', '[': ']', '{': '}'}

// count opens or closes a bracket, and reports whether a closing one belongs to an open one.
func (n *nesting) count(text string, t token) bool {
	switch t.kind {
	case openToken:
		*n = append(*n, bracket{closer: closers[text[t.start]]})
	case functionToken:
		*n = append(*n, bracket{closer: ')', function: t.value})
	case closeToken:
		last := len(*n) - 1
		if last < 0 || (*n)[last].closer != text[t.start] {
			return false
		}
		*n = (*n)[:last]
	}
	return true
}

// function returns the function that the next token belongs to, or "".
func (n nesting) function() string {
	if len(n) == 0 {
		return ""
	}
	return n[len(n)-1].function
}
