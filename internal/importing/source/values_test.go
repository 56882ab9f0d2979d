package source_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"vitrine/internal/domain"
	"vitrine/internal/importing/source"
)

// The text of HTML has its paragraphs, lists and lines, and nothing that is not shown.
func TestTextOfHTML(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ markup, want string }{
		{"", ""},
		{"plain &amp; text", "plain & text"},
		{"<p>One</p><p>Two</p>", "One\n\nTwo"},
		{"<p>One<p>Two", "One\n\nTwo"},
		{"One<br>two<br/>three", "One\ntwo\nthree"},
		{"<ul><li>a<li>b</ul>", "- a\n- b"},
		{"<h1>Title</h1>Text", "Title\n\nText"},
		{"<table><tr><td>a<td>b<tr><td>c</table>", "a b\nc"},
		{"a\n  b\t c", "a b c"},
		{"<p>a</p>\n\n\n<p>b</p>", "a\n\nb"},
		{"<script>alert(1)</script>a<style>b{}</style>c", "ac"},
		{"<script>if (a < b) {}", ""},
		{"<SCRIPT>x</SCRIPT>y", "y"},
		{"a<script>x</style>y</script>z", "az"},
		{"<!-- no --><a href='x'>link</a>", "link"},
		{"<img src=x alt='not shown'>", ""},
		{"<p>a<div>b</div>c</p>", "a\n\nb\n\nc"},
		{"&lt;b&gt; &nbsp; &bogus; &#128578;", "<b> &bogus; 🙂"},
		{"<pre>a\nb</pre>", "a b"},
		{"<", "<"},
		{"<p", ""},
	} {
		if got := source.TextOfHTML(c.markup); got != c.want {
			t.Errorf("%q is %q, want %q", c.markup, got, c.want)
		}
	}
	if got := source.TextOfHTML(strings.Repeat("<p>word</p>", 1<<20)); len(got) > 8*domain.MaxMarkdown || len(got) < domain.MaxMarkdown {
		t.Errorf("the text of a long page has %d bytes", len(got))
	}
}

// Addresses that cannot become links have a reason that names the fault, and no id.
func TestAddressesWithFaults(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                      "has no address",
		" \t\n":                 "has no address",
		"javascript:alert(1)":   "javascript: is not a web address",
		"JavaScript:alert(1)":   "javascript: is not a web address",
		"data:text/html,x":      "data: is not a web address",
		"about:blank":           "about: is not a web address",
		"example.org":           "its address does not begin with http:// or https://",
		"example.org:80/x":      "its address does not begin with http:// or https://",
		"/path":                 "its address does not begin with http:// or https://",
		"just words":            "its address does not begin with http:// or https://",
		"https://":              "its address is malformed",
		"http://[::1":           "its address is malformed",
		"https://exa mple.org/": "its address is malformed",
		"https://example.org:x": "its address is malformed",
		"https://ada@x.example": "its address contains a user name or password",
		"https://:pw@x.example": "its address contains a user name or password",
		"https://x.example/" + strings.Repeat("a", domain.MaxURL): fmt.Sprintf("its address is longer than %d bytes", domain.MaxURL),
		strings.Repeat("s", 100) + ":x":                           strings.Repeat("s", 40) + ": is not a web address",
	} {
		if address, id, why := source.LinkOf(text); why != want || address != "" || id != "" {
			t.Errorf("%.60q: %q, %q, %q, want %q", text, address, id, why, want)
		}
	}
}

// Tags are split, trimmed, and kept once.
func TestOddTags(t *testing.T) {
	t.Parallel()
	many := make([]string, 300)
	for i := range many {
		many[i] = fmt.Sprint("tag ", i)
	}
	for _, c := range []struct {
		text, separators string
		want             []string
	}{
		{"", ",", nil},
		{" , ,", ",", nil},
		{"a, b ,a,A", ",", []string{"a", "b", "A"}},
		{"two  words,\tx\n", ",", []string{"two words", "x"}},
		{"a;b|c,d", ",;|", []string{"a", "b", "c", "d"}},
		{"a,b|c", "|", []string{"a,b", "c"}},
		{`["a","b, c"," a "]`, ",", []string{"a", "b, c"}},
		{`["a",5]`, ",", []string{`["a"`, "5]"}},
		{`[broken`, ",", []string{"[broken"}},
		{strings.Join(many, ","), ",", many[:200]},
	} {
		if got := source.TagsOf(c.text, c.separators); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.want) {
			t.Errorf("%.40q: %q", c.text, got)
		}
	}
}

// Metadata of another server is read without its lists and objects, and numbers keep their digits.
func TestMetadata(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{`{}`, `{}`},
		{`null`, `null`},
		{`{"n":12345678901234567890.10,"t":"x","b":false,"z":null}`, `{"b":false,"n":12345678901234567890.10,"t":"x","z":null}`},
		{`{"l":[1,[2]],"o":{"a":{"b":1}}}`, `{"l":[],"o":{}}`},
		{`{"a":1,"a":2}`, `{"a":2}`},
		{`[]`, ""},
		{`"x"`, ""},
		{`5`, ""},
		{`{"a":}`, ""},
	} {
		var m source.Metadata
		err := json.Unmarshal([]byte(c.text), &m)
		got, _ := json.Marshal(m)
		if (err != nil) != (c.want == "") || err == nil && string(got) != c.want {
			t.Errorf("%s is %s, want %s (%v)", c.text, got, c.want, err)
		}
	}
	var large bytes.Buffer
	large.WriteByte('{')
	for i := range 5000 {
		fmt.Fprintf(&large, `"k%d":[%d],`, i, i)
	}
	large.WriteString(`"last":1}`)
	var m source.Metadata
	if err := json.Unmarshal(large.Bytes(), &m); err != nil || len(m) != 10*domain.MaxMetadataKeys {
		t.Errorf("%d keys, %v", len(m), err)
	}
}

// Line ends of all systems are read as one, wherever a read ends.
func TestLineEnds(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", "a": "a", "a\nb": "a\nb", "a\r\nb": "a\r\nb", "a\rb": "a\nb", "a\r": "a\n", "\r\r": "\n\n", "\r\r\n": "\n\r\n", "\n\r": "\n\n", "a\r\n\rb\n": "a\r\n\nb\n",
		strings.Repeat("x", 1<<16-1) + "\r\ny": strings.Repeat("x", 1<<16-1) + "\r\ny",
		strings.Repeat("x", 1<<16-1) + "\ry":   strings.Repeat("x", 1<<16-1) + "\ny",
	} {
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(in), "byte by byte": iotest.OneByteReader(strings.NewReader(in))} {
			if got, err := io.ReadAll(source.LinesOf(r)); err != nil || string(got) != want {
				t.Errorf("%.20q, %s: %.20q (%v)", in, name, got, err)
			}
		}
	}
}

// Bounded returns its error when the limit is reached, again until the limit is raised, and keeps the
// errors of the reader.
func TestBounded(t *testing.T) {
	t.Parallel()
	full, gone := errors.New("full"), errors.New("gone")
	b := &source.Bounded{In: strings.NewReader("abcdef"), Left: 4, Full: full}
	if got, err := io.ReadAll(b); string(got) != "abcd" || !errors.Is(err, full) || !errors.Is(b.Err, full) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := b.Read(make([]byte, 1)); !errors.Is(err, full) {
		t.Errorf("again: %v", err)
	}
	b.Left = 10
	if got, err := io.ReadAll(b); string(got) != "ef" || err != nil {
		t.Errorf("the rest is %q, %v", got, err)
	}
	b = &source.Bounded{In: iotest.ErrReader(gone), Left: 10, Full: full}
	if _, err := io.ReadAll(b); !errors.Is(err, gone) || !errors.Is(b.Err, gone) {
		t.Errorf("%v, kept %v", err, b.Err)
	}
}

// Texts in reports are one line of at most 120 characters.
func TestShortened(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", " a \n b ": "a b", strings.Repeat("é", 120): strings.Repeat("é", 120), strings.Repeat("é", 121): strings.Repeat("é", 120) + "…",
	} {
		if got := source.Shortened(text); got != want {
			t.Errorf("%.20q is %q", text, got)
		}
	}
}

// Names that only differ in dates, numbers of copies, case and punctuation are the same origin.
func TestOrigins(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{"Bookmarks", "bookmarks", "BOOKMARKS (2)", "bookmarks_2024-03-05", "bookmarks 5.3.2024", "bookmarks-20240305", "bookmarks 2024-03-05T10:20:30Z", " bookmarks! "},
		{"Läser", "läser (10)"},
		{"Books 7", "books-7"},
		{"Books 8"},
		{"", "2024-03-05", "(3)", "…"},
		{"書籤"},
		{"Books/7 x"},
	} {
		for _, name := range same {
			if got, want := source.Origin("csv", name), source.Origin("csv", same[0]); got != want {
				t.Errorf("%q has the origin %q, and %q %q", name, got, same[0], want)
			}
		}
	}
	seen := map[string]string{}
	for _, names := range [][]string{{"csv", "a"}, {"csv", "b"}, {"opml", "a"}, {"csv", "a", "b"}, {"csv", "b", "a"}, {"csv", "a", ""}, {"csv", strings.Repeat("a", 500)}, {"csv", strings.Repeat("a", 501)}} {
		origin := source.Origin(names[0], names[1:]...)
		if other, taken := seen[origin]; taken || len(origin) > 200 {
			t.Errorf("%q has the origin of %q: %q", names, other, origin)
		}
		seen[origin] = fmt.Sprint(names)
	}
}
