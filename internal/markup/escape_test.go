package markup

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestEscape(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                  "",
		"Plain words, (really).":            "Plain words, (really).",
		"The <video> element":               `The \<video> element`,
		"2*3*4":                             `2\*3\*4`,
		"1986. A great year":                `1986\. A great year`,
		"# 1 in the charts":                 `\# 1 in the charts`,
		"C# and F#":                         `C# and F#`,
		"Q&A: 1 &lt; 2":                     `Q\&A: 1 \&lt; 2`,
		"- one\n- two":                      "\\- one\n\\- two",
		"Title\n===":                        "Title\n\\===",
		"a\r\nb\r\n\r\n\r\nc ":              "a\nb\n\nc",
		"![x](y) [z]: /q":                   `!\[x\](y) \[z\]: /q`,
		"See https://x.org/a_b?c=*&d=1.":    `See https\://x.org/a\_b?c=\*\&d=1.`,
		"See https://x.org/a_b?c=2&d=1.":    `See https://x.org/a_b?c=2&d=1.`,
		"Link:\thttps://x.org/_b_/c":        "Link:\thttps\\://x.org/\\_b\\_/c",
		">http://x.org/_b_/c":               `\>http\://x.org/\_b\_/c`,
		"> http://x.org/_b_/c":              `\> http://x.org/_b_/c`,
		"see https://a.x/x(http://b.x/c_d)": `see https\://a.x/x(http\://b.x/c\_d)`,
	} {
		if got := Escape(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// Every text is shown as it was.
func TestEscapeRoundTrip(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"The <video> element", "2*3*4", "1986. A great year", "# 1 in the charts", "1) one\n2) two", "> quoted", "+ plus", "-", "---", "- - -",
		"***", "___", "a\n===", "a\n---", "```\ncode\n```", "~~~\ncode", "~~struck~~", "| a | b |\n|---|---|\n| 1 | 2 |", "[^1]: note[^1]",
		"[label]: http://example.org", "[text](http://example.org)", "![alt](http://example.org/a.png)", "<http://example.org>", "<a@example.org>",
		"a@example.org", "http://example.org/a_b_c", "https://example.org/*a*", "www.example.org/a_b", "www.example.org/a*b", "HTTP://example.org/_a_",
		"(http://example.org/a)", "http://example.org/100%", "http://example.org/%zz", "http://user:pw@example.org/", "http://example.org/a&copy;",
		"http://example.org/a&amp=1", "(www.example.org)", "*www.example.org*", "&amp; &#35; &copy;", `\* \\ \`, "a  b", "a\\\nb", "<!-- x -->", "<script>alert(1)</script>",
		"<?php ?>", "<![CDATA[x]]>", "</p>", "1.", "123456789. x", "1234567890. x", "a_b_c __d__", "Term\n: definition", "x http://日本.example/ü y",
		"#hashtag", "@someone", ":smile:", "$x^2$", "H~2~O", "==mark==", "{#id}", "=", "==", "＊全角＊", "http://", "www.", "https://www.example.org", "http://www.", "1.http://x.org",
		"Link:\thttps://example.org/_b_/c", ">http://example.org/_b_/c", "#https://example.org/?a&#42;b", "|www.example.org/_b_", "see www.example.org&copy;a",
		"see https://a.example/x(http://b.example/c_d)", "(https://a.example/(www.b.example/c_d)", "see www.a.example/x~http://b.example/c_d",
	} {
		if got := Render(Escape(text)).Plain; got != text {
			t.Errorf("%q becomes %q by %q", text, got, Escape(text))
		}
	}
	pieces := strings.Split("a|b|1|23|.|)|(|-|+|*|_|#|>|<|&|amp;|;|!|[|]|`|~|=|:|/|\\|'|\"|%|@| | |  |\n|\n|\n\n|\t|_b_/c|#42;|http://|https://|www.|x.org|example.org|/a|?q=1|<b>|</b>|<!--|-->|&lt;|ü|日|💡|\u00a0|\u2028|{|}|^|$|,|HTTP://", "|")
	pieces = append(pieces, "|")
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var b strings.Builder
		for range 1 + random.IntN(12) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		want := expressible(b.String())
		if got := Render(Escape(b.String())).Plain; got != want {
			t.Fatalf("%q becomes %q by %q", want, got, Escape(b.String()))
		}
	}
}

// expressible is a text without the white space that Markdown cannot express.
func expressible(text string) string {
	var paragraphs []string
	var lines []string
	for line := range strings.SplitSeq(text+"\n", "\n") {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		} else if len(lines) > 0 {
			paragraphs, lines = append(paragraphs, strings.Join(lines, "\n")), nil
		}
	}
	if len(lines) > 0 {
		paragraphs = append(paragraphs, strings.Join(lines, "\n"))
	}
	return strings.Join(paragraphs, "\n\n")
}

func FuzzEscape(f *testing.F) {
	f.Add("1986. A <video> of 2*3*4 at https://example.org/a_b")
	f.Add("Link:\thttps://example.org/_b_/c")
	f.Add(">http://example.org/_b_/c")
	f.Add("#https://example.org/?a&#42;b")
	f.Add("see https://a.example/x(http://b.example/c_d)")
	f.Add("see www.example.org&copy;a")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsAny(text, "\x00\r") || strings.ToValidUTF8(text, "") != text || strings.Count(text, "\n") > maxParagraphLines {
			return
		}
		if got, want := Render(Escape(text)).Plain, expressible(text); got != want {
			t.Errorf("%q becomes %q by %q", want, got, Escape(text))
		}
	})
}
