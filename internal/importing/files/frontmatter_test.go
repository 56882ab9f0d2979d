//go:build unix

package files_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/importing/files"
	"vitrine/internal/importing/sourcetest"
)

func TestFrontMatter(t *testing.T) {
	t.Parallel()
	const at = " at=2024-03-05T10:20:30"
	bomb := "a0: &a0 [x,x]\n"
	for i := range 50 {
		bomb += fmt.Sprintf("a%d: &a%d [%s*a%d]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d,", i), 9), i)
	}
	for _, c := range []struct{ name, content, want string }{
		{"all", "---\ntitle: \"About: moss\"\ndate: 2020-01-02T03:04:05Z\ntags:\n  - green\n  - wet stone\ndescription: Short\nsource: https://example.org/m\nnested: {a: b}\n---\n\n# Moss\n",
			` title="About: moss" description="Short" content="# Moss" address="https://example.org/m" tags=["green","wet stone"] at=2020-01-02T03:04:05`},
		{"a list in brackets", "---\r\ntags: [a, 'b c', 2024]\r\ncreated: 2020-01-02\r\n---\r\nText", ` title="note" content="Text" tags=["a","b c","2024"] at=2020-01-02T00:00:00`},
		{"tags in a line", "---\ntags: a, b\n---\nText", ` title="note" content="Text" tags=["a","b"]` + at},
		{"one key, dots", "---\ntitle: T\n...\nText", ` title="T" content="Text"` + at},
		{"unreadable date, no title", "---\ntitle:\ndate: soon\n---\nText", ` title="note" content="Text"` + at},
		{"no end", "---\ntitle: T\nText", ` title="note" content="---\ntitle: T\nText"` + at},
		{"a rule, no front matter", "Text\n---\ntitle: T\n---\n", ` title="note" content="Text\n---\ntitle: T\n---"` + at},
		{"a list", "---\n- a\n- b\n---\nText", ` title="note" content="---\n- a\n- b\n---\nText"` + at},
		{"malformed", "---\ntitle: [T\n---\nText", ` title="note" content="---\ntitle: [T\n---\nText"` + at},
		{"prose between rules", "---\nJust words\n---\nText", ` title="note" content="---\nJust words\n---\nText"` + at},
		{"nothing else", "---\ntitle: T\n---\n", ` title="note" content="---\ntitle: T\n---"` + at},
		{"aliases", "---\n" + bomb + "title: T\n---\nText", ` title="T" content="Text"` + at},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "D")
			write(t, filepath.Join(dir, "note.md"), c.content)
			f, err := files.NewFolder(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = f.Close() }()
			told := sourcetest.Read(t, f)
			got := sum.ReplaceAllString(told[1], "sha256:…")
			if want := "Text sha256:… in /D/" + c.want + ` where="note.md"`; got != want {
				t.Errorf("told\n%s\nand not\n%s", got, want)
			}
		})
	}
}

func FuzzFrontMatter(f *testing.F) {
	f.Add("title: [T\n")
	f.Add("a: &a [*a]\n? b\n: - c\n")
	f.Fuzz(func(t *testing.T, matter string) {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "note.md"), "---\n"+matter+"\n---\nText")
		from, err := files.NewFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = from.Close() }()
		sourcetest.Read(t, from)
	})
}
