package web

import (
	"regexp"
	"strings"
	"testing"
)

var (
	cssComment   = regexp.MustCompile(`(?s)/\*.*?\*/`)
	cssRule      = regexp.MustCompile(`([^{};]*)\{([^{}]*)\}`)
	fontSize     = regexp.MustCompile(`^(?:inherit|var\(--font-(?:small|body|large|title)\))$`)
	shortFont    = regexp.MustCompile(`^(?:inherit|(?:\d+ )?var\(--font-(?:small|body|large|title)\)(?:/[\d.]+)? var\(--\w+\))$`)
	spaceName    = regexp.MustCompile(`^(?:margin|padding)(?:-.+)?$|^(?:row-|column-)?gap$`)
	gridSpace    = regexp.MustCompile(`var\(--space-(?:[1-6]|8|10|12|16)\)`)
	otherLength  = regexp.MustCompile(`-?[\d.]+(?:rem|em|px|pt|cm)\b`)
	controlled   = regexp.MustCompile(`\b(?:button|input|select|summary)\b|\.button\b`)
	controlsLike = regexp.MustCompile(`^(?:0|var\(--control(?:-small)?\))$`)
)

// Texts have four sizes, spaces are multiples of 4 px, and controls have two heights. The properties in 06-type.css define
// them. Lines of one or two pixels are no spaces.
func TestStyleScale(t *testing.T) {
	t.Parallel()
	css := cssComment.ReplaceAllString(string(sheet(assetFiles)), "")
	rules := cssRule.FindAllStringSubmatch(css, -1)
	if len(rules) < 500 {
		t.Fatalf("found only %d rules", len(rules))
	}
	for _, rule := range rules {
		selector := strings.TrimSpace(rule[1])
		for declaration := range strings.SplitSeq(rule[2], ";") {
			name, value, _ := strings.Cut(strings.TrimSpace(declaration), ":")
			value = strings.TrimSpace(value)
			if fault := scaleFault(selector, name, value); fault != "" {
				t.Errorf("%s { %s: %s }: %s", selector, name, value, fault)
			}
		}
	}
}

// scaleFault returns what is wrong with a declaration, or "".
func scaleFault(selector, name, value string) string {
	switch {
	case selector == "@font-face":
	case name == "font-size" && !fontSize.MatchString(value), name == "font" && !shortFont.MatchString(value):
		return "the size of the text is none of the four --font properties"
	case spaceName.MatchString(name):
		rest := gridSpace.ReplaceAllString(value, "")
		if strings.Contains(rest, "var(--space") {
			return "06-type.css does not define this --space property"
		}
		for _, length := range otherLength.FindAllString(rest, -1) {
			if n := strings.TrimPrefix(length, "-"); n != "1px" && n != "2px" {
				return length + " is no --space property"
			}
		}
	case name == "min-height" && controlled.MatchString(selector) && !controlsLike.MatchString(value):
		return "the height is neither --control nor --control-small"
	}
	return ""
}

func TestScaleFault(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ selector, name, value, want string }{
		{"p", "font-size", "var(--font-body)", ""},
		{"p", "font-size", ".9rem", "the size of the text is none of the four --font properties"},
		{"p", "font", "500 1.5rem/1.2 var(--serif)", "the size of the text is none of the four --font properties"},
		{"p", "font", "500 var(--font-large)/1.2 var(--serif)", ""},
		{"p", "margin", "calc(-1 * var(--space-6)) auto 0 -1px", ""},
		{"p", "margin", "var(--space-6) .35rem", ".35rem is no --space property"},
		{"p", "padding-top", "var(--space-7)", "06-type.css does not define this --space property"},
		{"p", "gap", "3px", "3px is no --space property"},
		{"button.small", "min-height", "2rem", "the height is neither --control nor --control-small"},
		{".tile select", "min-height", "var(--control-small)", ""},
	} {
		if got := scaleFault(c.selector, c.name, c.value); got != c.want {
			t.Errorf("%s { %s: %s }: got %q, want %q", c.selector, c.name, c.value, got, c.want)
		}
	}
}
