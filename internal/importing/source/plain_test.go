package source_test

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"vitrine/internal/importing/source"
)

// in16 encodes a text as UTF-16.
func in16(text string, little, mark bool) string {
	if mark {
		text = "\uFEFF" + text
	}
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(text)) {
		high, low := byte(unit>>8), byte(unit)
		if little {
			high, low = low, high
		}
		b.WriteByte(high)
		b.WriteByte(low)
	}
	return b.String()
}

func TestText(t *testing.T) {
	t.Parallel()
	const text = "url,title\nhttps://example.org/,„Grüße“ 🙂\n"
	for name, c := range map[string]struct{ in, want string }{
		"UTF-8":                          {text, text},
		"UTF-8 with a mark":              {"\uFEFF" + text, text},
		"UTF-16, little, with a mark":    {in16(text, true, true), text},
		"UTF-16, big, with a mark":       {in16(text, false, true), text},
		"UTF-16, little, without a mark": {in16(text, true, false), text},
		"UTF-16, big, without a mark":    {in16(text, false, false), text},
		"UTF-16, half a unit at its end": {in16("url", true, true) + "x", "url\uFFFD"},
		"Windows-1252":                   {"Gr\xfc\xdfe \x84so\x93 \x80", "Grüße „so“ €"},
		"both":                           {"Grüße, Gr\xfc\xdfe", "Grüße, Grüße"},
		"a rune that is cut off":         {"Gr\xc3", "GrÃ"},
		"NUL":                            {"a\x00b", "a\uFFFDb"},
		"nothing":                        {"", ""},
		"one byte":                       {"x", "x"},
	} {
		for reader, r := range map[string]io.Reader{"whole": strings.NewReader(c.in), "byte by byte": iotest.OneByteReader(strings.NewReader(c.in))} {
			decoded, err := source.TextOf(r)
			if err != nil {
				t.Fatalf("%s, %s: %v", name, reader, err)
			}
			if got, err := io.ReadAll(decoded); err != nil || string(got) != c.want {
				t.Errorf("%s, %s: %q and not %q (%v)", name, reader, got, c.want, err)
			}
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add([]byte("Gr\xfc\xdfe \x84so\x93"))
	f.Add([]byte(in16("url,title", true, false)))
	f.Fuzz(func(t *testing.T, in []byte) {
		r, err := source.TextOf(strings.NewReader(string(in)))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil || !utf8.Valid(text) {
			t.Errorf("%q (%v)", text, err)
		}
	})
}

func TestLinksAreTheSame(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{"https://example.org", "HTTPS://EXAMPLE.org/", "https://example.org:443", " https://example.org:/ "},
		{"http://example.org:80/a?b=c#d", "http://Example.ORG/a?b=c#d"},
		{"http://[::1]:80/", "http://[::1]"},
		{"https://example.org/a b", "https://example.org/a%20b"},
		{"https://example.org/A"}, {"https://example.org/a"}, {"http://example.org/a"}, {"https://example.org:8443/a"}, {"https://example.org/a/"}, {"https://example.org/a?"},
	} {
		for _, address := range same {
			_, id, why := source.LinkOf(address)
			if _, first, _ := source.LinkOf(same[0]); why != "" || id != first {
				t.Errorf("%q is %q, and %q %q (%s)", address, id, same[0], first, why)
			}
		}
	}
	ids := map[string]string{}
	for _, address := range []string{"https://example.org/A", "https://example.org/a", "http://example.org/a", "https://example.org:8443/a", "https://example.org/a/",
		"https://example.org/" + strings.Repeat("a", 300), "https://example.org/" + strings.Repeat("a", 301)} {
		_, id, _ := source.LinkOf(address)
		if other, taken := ids[id]; taken || len(id) > 200 {
			t.Errorf("%q is %q, as is %q", address, id, other)
		}
		ids[id] = address
	}
}

func TestDate(t *testing.T) {
	t.Parallel()
	second := time.Date(2024, 3, 5, 10, 20, 30, 0, time.UTC)
	day := time.Date(2024, 3, 5, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"2024-03-05T10:20:30Z": second, "2024-03-05T12:20:30+02:00": second, "2024-03-05T10:20:30.000Z": second, "2024-03-05 10:20:30": second,
		"2024-03-05 10:20:30 UTC": second, "Tue, 05 Mar 2024 10:20:30 GMT": second, "05.03.2024 10:20:30": second, "1709634030": second,
		"1709634030000": second, "1709634030000000": second, "1709634030000000000": second,
		"2024-03-05": day, "2024/03/05": day, "05.03.2024": day, "5.3.2024": day, "March 5, 2024": day, " 2024-03-05 ": day,
		"": {}, "0": {}, "-1": {}, "yesterday": {}, "2024-13-05": {}, "03/05/2024": {}, "1601-01-01": {}, "9223372036854775807": time.Unix(0, 1<<63-1).UTC(),
		strings.Repeat("1", 100): {},
	} {
		if got := source.DateOf(text); !got.Equal(want) {
			t.Errorf("%q is %v and not %v", text, got, want)
		}
	}
}

func TestTags(t *testing.T) {
	t.Parallel()
	if got := strings.Join(source.TagsOf(" art,  new   books ;art,,", ",;"), "|"); got != "art|new books" {
		t.Errorf("%q", got)
	}
	if got := source.TagsOf(strings.Repeat("x", 10), ","); len(got) != 1 {
		t.Errorf("%q", got)
	}
}

// TestFormerID compares the ids with those of version 1.
func TestFormerID(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"http://exämple.org/ä":                             "http://ex%C3%A4mple.org/%C3%A4",
		" HTTP://EXÄMPLE.org:80/a b?q=ü\n":                 "http://ex%C3%A4mple.org/a%20b?q=ü",
		"http://example.org/?q=a\"b":                       "http://example.org/?q=a\"b",
		"https://example.org/{b}|c?x={1}":                  "https://example.org/%7Bb%7D%7Cc?x={1}",
		"http://example.org/a\\b":                          "http://example.org/a%5Cb",
		"https://example.org/%7eada/../x":                  "https://example.org/%7eada/../x",
		"https://exämple.org/ü" + strings.Repeat("a", 300): "sha256:fc789a398f0053ca415e4ef749198532d1a8bbd7fdeb5bf49e7286e2aadf5810",
		// The same as now, or refused.
		"https://example.org/a\"b": "", "http://example.org/ä": "", "HTTP://Example.ORG": "", "https://example.org/plain?x=1#y": "",
		"https://example.org/ü" + strings.Repeat("a", 300): "",
		"https://example.org/100%":                         "",
	} {
		_, id, why := source.LinkOf(address)
		if got := source.FormerID(address, id); got != want || why != "" {
			t.Errorf("%q: %q, want %q (%s)", address, got, want, why)
		}
	}
}

// FuzzFormerID checks that a canonical URL has always had the same id.
func FuzzFormerID(f *testing.F) {
	for _, address := range []string{"http://exämple.org/ä", "http://example.org/a b?q=ü#x y", "https://[::1]:443/%7e/..", "https://example.org:8443"} {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, text string) {
		address, _, why := source.LinkOf(text)
		if why != "" {
			return
		}
		_, id, _ := source.LinkOf(address)
		if former := source.FormerID(address, id); former != "" {
			t.Errorf("%q had the id %q, and has %q", address, former, id)
		}
	})
}
