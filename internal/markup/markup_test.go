package markup

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden renders each testdata/render/NAME.md and compares the result with NAME.html and
// NAME.txt.
func TestGolden(t *testing.T) {
	t.Parallel()
	sources, err := filepath.Glob("testdata/render/*.md")
	if err != nil || len(sources) == 0 {
		t.Fatalf("no sources: %v", err)
	}
	for _, path := range sources {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got := Render(string(source))
		if got.Markdown != string(source) {
			t.Errorf("%s: the Markdown is not what was written", path)
		}
		checkSafe(t, string(source), got.HTML)
		golden(t, strings.TrimSuffix(path, ".md")+".html", got.HTML)
		golden(t, strings.TrimSuffix(path, ".md")+".txt", got.Plain)
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	got += "\n"
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", path, got, want)
	}
}

func TestPlainLinks(t *testing.T) {
	t.Parallel()
	tests := []struct{ source, want string }{
		{"[text](https://a.example/x)", "text (https://a.example/x)"},
		{"see [*some* text](https://a.example/x).", "see some text (https://a.example/x)."},
		{"[https://a.example/x](https://a.example/x)", "https://a.example/x"},
		{"https://a.example/x", "https://a.example/x"},
		{"<https://a.example/ä?q=a&b>", "https://a.example/ä?q=a&b"},
		{"www.a.example/x.", "www.a.example/x."},
		{"me@a.example", "me@a.example"},
		{"[write](mailto:me@a.example)", "write (me@a.example)"},
		{"[](https://a.example/)", "https://a.example/"},
		{"[a](/relative) [b](javascript:x)", "a b"},
		{"[![alt](https://a.example/i.png)](https://a.example)", "alt (https://a.example)"},
		{"![](https://a.example/i.png)", "https://a.example/i.png"},
		{`<a href="https://a.example">raw</a>`, "raw (https://a.example)"},
		{"- [a](https://a.example)\n- [b](https://b.example)", "- a (https://a.example)\n- b (https://b.example)"},
	}
	for _, test := range tests {
		if got := Render(test.source).Plain; got != test.want {
			t.Errorf("%q gives %q, want %q", test.source, got, test.want)
		}
	}
}

func TestUncleanText(t *testing.T) {
	t.Parallel()
	got := Render("a\xffb\x00c\xed\xa0\x80")
	want := Text{Markdown: "a\uFFFDb\uFFFDc\uFFFD", HTML: "<p>a\uFFFDb\uFFFDc\uFFFD</p>", Plain: "a\uFFFDb\uFFFDc\uFFFD"}
	if got != want {
		t.Errorf("got %+q, want %+q", got, want)
	}
	if got := Render("a\r\nb\rc"); got.Markdown != "a\r\nb\rc" || got.HTML != "<p>a<br>\nb<br>\nc</p>" || got.Plain != "a\nb\nc" {
		t.Errorf("line ends: %+q", got)
	}
	if got := Render(" \n\t\n"); got.HTML != "" || got.Plain != "" {
		t.Errorf("white space: %+q", got)
	}
}

func TestConcurrentRendering(t *testing.T) {
	t.Parallel()
	source := "[a][x] **b** `c` http://a.example\n\n- d\n\n<b>e</b>\n\n[x]: http://x.example"
	want := Render(source)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				if got := Render(source); got != want {
					t.Errorf("got %+v, want %+v", got, want)
				}
			}
		})
	}
	group.Wait()
}

func FuzzRender(f *testing.F) {
	for _, attack := range attacks {
		f.Add(attack)
	}
	for _, hostile := range hostile {
		f.Add(hostile(200))
	}
	sources, _ := filepath.Glob("testdata/render/*.md")
	for _, path := range sources {
		source, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(source))
	}
	f.Fuzz(func(t *testing.T, source string) {
		got := Render(source)
		checkSafe(t, source, got.HTML)
		if !utf8.ValidString(got.Markdown) || !utf8.ValidString(got.Plain) || strings.Contains(got.Plain, "\x00") {
			t.Errorf("%q gives unclean text: %q, %q", source, got.Markdown, got.Plain)
		}
		if got.Plain != strings.TrimSpace(got.Plain) {
			t.Errorf("%q gives plain text with white space around it: %q", source, got.Plain)
		}
		if again := Render(got.Markdown); again != got {
			t.Errorf("%q renders differently when repaired: %q, then %q", source, got, again)
		}
	})
}
