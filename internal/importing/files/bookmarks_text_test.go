package files

import (
	"strings"
	"testing"
)

// TestTextIsNotScanned checks what a tag that ends looks at: a few bytes of a text, however long it is.
func TestTextIsNotScanned(t *testing.T) {
	t.Parallel()
	const link = "https://example.org/"
	for name, c := range map[string]struct {
		parts       []string
		start       string
		ends, fills bool
	}{
		"nothing":          {nil, "", false, false},
		"a link":           {[]string{link}, link, true, false},
		"a link in a text": {[]string{"See ", link, "\n \n"}, "See " + link, true, false},
		"a text":           {[]string{"Seé"}, "Seé", false, false},
		"more behind it":   {[]string{link, "more"}, link + "more", false, false},
		"a long text":      {[]string{" \n", strings.Repeat(" ", maxText), strings.Repeat("x", 200), "é", link}, strings.Repeat("x", 200), true, false},
		"a broken letter":  {[]string{strings.Repeat("x", 199), "é", strings.Repeat("x", 300)}, strings.Repeat("x", 199), false, false},
		"much white space": {[]string{link, strings.Repeat(" ", 5)}, link, false, false},
		"a full text":      {[]string{strings.Repeat("x", maxText), link}, strings.Repeat("x", 200), false, true},
	} {
		var of text
		for _, part := range c.parts {
			of.add([]byte(part))
		}
		if got := of.start(); got != c.start {
			t.Errorf("%s: starts with %q and not %q", name, got, c.start)
		}
		if of.endsWith(link) != c.ends || of.full() != c.fills {
			t.Errorf("%s: ends with the link: %t, full: %t", name, of.endsWith(link), of.full())
		}
	}
}
