package page

import (
	"regexp"
	"strconv"
	"strings"
)

// Patterns of the statements in a script that only redirects.
const (
	scriptString = "\"(?:[^\"\\\\\\n]|\\\\.)*\"|'(?:[^'\\\\\\n]|\\\\.)*'|`(?:[^`\\\\$]|\\\\.)*`"
	scriptPlace  = `(?:(?:window|document|self|top|parent|globalThis)\s*\.\s*)*location`
	scriptBegin  = `(?:function\s*\w*\s*\(\s*\w*\s*\)\s*\{|\(?\s*\w*\s*\)?\s*=>\s*\{?)`
)

var (
	redirectAssigned  = regexp.MustCompile(`^` + scriptPlace + `(?:\s*\.\s*href)?\s*=\s*(` + scriptString + `)$`)
	redirectCalled    = regexp.MustCompile(`^` + scriptPlace + `\s*\.\s*(?:replace|assign)\s*\(\s*(` + scriptString + `)\s*\)$`)
	redirectTimed     = regexp.MustCompile(`(?s)^(?:window\s*\.\s*)?setTimeout\s*\(\s*` + scriptBegin + `(.*?)\}?\s*,\s*(\d+)\s*\)$`)
	redirectTimedText = regexp.MustCompile(`^(?:window\s*\.\s*)?setTimeout\s*\(\s*(` + scriptString + `)\s*,\s*(\d+)\s*\)$`)
	redirectLoaded    = regexp.MustCompile(`(?s)^(?:window\s*\.\s*|document\s*\.\s*)?onload\s*=\s*` + scriptBegin + `(.*?)\}?$`)
	redirectCalling   = regexp.MustCompile(`(?s)^[(!]\s*` + scriptBegin + `(.*)\}\s*(?:\)\s*\(\s*\)|\(\s*\)\s*\)?)$`)
	harmless          = regexp.MustCompile(`^(?:(?:var|let|const)\s+)?[\w$.]+\s*=\s*(?:` + scriptString + `|-?[\d.]+|null|true|false|undefined|void 0)$|^(?:` + scriptString + `)$`)
)

// Limits for the statements of a script that only redirects.
const (
	maxStatements = 20
	maxNesting    = 3
)

// scriptRedirect returns the reference that a script assigns to `location`, or "". The script must do so
// unconditionally and do nothing else of interest, since conditions cannot be evaluated without
// running it.
func scriptRedirect(script string) string { return redirectIn(script, 0) }

func redirectIn(script string, nesting int) (reference string) {
	all := statements(script)
	if nesting > maxNesting || len(all) > maxStatements {
		return ""
	}
	for _, one := range all {
		to, ok := redirectOf(one, nesting)
		if !ok {
			return ""
		}
		if reference == "" {
			reference = to
		}
	}
	return reference
}

// redirectOf returns the reference that one statement assigns to `location`, if any. It returns false if
// it does not recognize the statement.
func redirectOf(statement string, nesting int) (reference string, ok bool) {
	for _, pattern := range []*regexp.Regexp{redirectAssigned, redirectCalled} {
		if m := pattern.FindStringSubmatch(statement); m != nil {
			return unquoted(m[1]), true
		}
	}
	if m := redirectTimedText.FindStringSubmatch(statement); m != nil {
		reference = redirectIn(unquoted(m[1]), nesting+1)
		return reference, reference != "" && soon(m[2])
	}
	if m := redirectTimed.FindStringSubmatch(statement); m != nil {
		reference = redirectIn(m[1], nesting+1)
		return reference, reference != "" && soon(m[2])
	}
	for _, pattern := range []*regexp.Regexp{redirectLoaded, redirectCalling} {
		if m := pattern.FindStringSubmatch(statement); m != nil {
			reference = redirectIn(m[1], nesting+1)
			return reference, reference != ""
		}
	}
	return "", harmless.MatchString(statement)
}

// soon reports whether a number of milliseconds is within maxRefreshDelay.
func soon(milliseconds string) bool {
	n, err := strconv.Atoi(milliseconds)
	return err == nil && n <= maxRefreshDelay*1000
}

// statements splits a script at semicolons and line ends outside of brackets, and removes comments.
func statements(script string) (all []string) {
	var b strings.Builder
	depth := 0
	end := func() {
		if one := strings.TrimSpace(b.String()); one != "" {
			all = append(all, one)
		}
		b.Reset()
	}
	for i := 0; i < len(script); i++ {
		rest := script[i:]
		switch c := script[i]; {
		case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "<!--"), strings.HasPrefix(rest, "-->"):
			line, _, _ := strings.Cut(rest, "\n")
			i += len(line) - 1
			continue
		case strings.HasPrefix(rest, "/*"):
			comment, _, _ := strings.Cut(rest[2:], "*/")
			i += len(comment) + 3
			continue
		case c == '"' || c == '\'' || c == '`':
			n := quotedLength(rest)
			b.WriteString(rest[:n])
			i += n - 1
			continue
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		case depth == 0 && (c == ';' || c == '\n'):
			end()
			continue
		}
		b.WriteByte(script[i])
	}
	end()
	return all
}

// quotedLength returns the length of the string literal that a text begins with.
func quotedLength(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return i + 1
		}
	}
	return len(text)
}

// unquoted returns the value of a string literal.
func unquoted(literal string) string {
	text := literal[1 : len(literal)-1]
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		digits := map[byte]int{'x': 2, 'u': 4}[text[i]]
		if n, err := strconv.ParseUint(text[i+1:min(i+1+digits, len(text))], 16, 16); digits > 0 && err == nil {
			b.WriteRune(rune(n))
			i += digits
			continue
		}
		switch text[i] {
		case 'n', 'r', 't': // which are removed from URLs
		default:
			b.WriteByte(text[i])
		}
	}
	return b.String()
}
