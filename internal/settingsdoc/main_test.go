package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"vitrine/internal/config"
)

// The document contains the current tables, with a row for every setting.
func TestDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/operators.md")
	if err != nil {
		t.Fatal(err)
	}
	current, err := replaced(text)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, current) {
		t.Error("docs/operators.md is out of date: run go generate ./internal/settingsdoc")
	}
	for _, d := range config.Declarations() {
		if n := strings.Count(string(text), "\n| `--"+d.Flag+"` | "); n != 1 {
			t.Errorf("--%s has %d rows", d.Flag, n)
		}
	}
}

func TestReplaced(t *testing.T) {
	t.Parallel()
	got, err := replaced([]byte("a\n" + begin + "old\n" + end + "b\n"))
	if err != nil || string(got) != "a\n"+begin+tables()+end+"b\n" {
		t.Errorf("%v:\n%s", err, got)
	}
	for _, bad := range []string{"", begin, end, end + begin} {
		if _, err := replaced([]byte(bad)); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
	for text, want := range map[string]string{
		"instead of --a-b. Or":       "instead of `--a-b`. Or",
		`write \, or 'vitrine work'`: "write `\\,` or `vitrine work`",
		"a|b":                        `a\|b`,
	} {
		if got := marked(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
