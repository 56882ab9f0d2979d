package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"vitrine/internal/apptest"
	"vitrine/internal/cli"
)

// evil moves the cursor, reverses text, and begins a line that looks like a table row.
const evil = "x\x1b[2J\u202e\u200b\u009b\U000e0041\n9999 forged\t"

// No command prints a name unescaped, even if the database contains names from before there were rules.
func TestCommandsEscapeNames(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		p.run("migrate").ok()
		r := apptest.Boot(t, p.database())
		r.Channel("ada", "C", "public")
		r.Channel("bob", "D", "public")
		r.Do("ada", "POST", "/v3/groups", map[string]any{"name": "G"}).Want(201)
		p.run("token", "create", "--user", "ada", "--name", "T").ok()
		p.run("app", "create", "--user", "ada", "--name", "A", "--redirect-uri", "https://example.org/back").ok()
		p.run("user", "link", "create", "--note", "N", "--site-url", "https://site.example").ok()
		p.run("blocklist", "add", "domain", "example.org", "--note", "N").ok()
		p.run("hidden", "add", "channel", "2").ok()
		for _, column := range []string{"users SET name", "groups SET name", "tokens SET name", "applications SET name",
			"channels SET title", "signup_links SET note", "blocklist SET note"} {
			p.exec("UPDATE " + column + " = '" + evil + "'")
		}
		for _, args := range [][]string{
			{"user", "list"}, {"user", "list", "--json"}, {"user", "show", "ada"}, {"user", "show", "ada", "--json"}, {"user", "usage"},
			{"user", "usage", "--json"}, {"user", "set-tier", "ada", "free", "--json"}, {"user", "link", "list"}, {"token", "list", "--user", "ada"},
			{"token", "list", "--user", "ada", "--json"}, {"app", "list"}, {"app", "list", "--json"}, {"audit"}, {"audit", "--json"}, {"reports", "list"},
			{"hidden", "list"}, {"hidden", "list", "--json"}, {"blocklist", "list"}, {"blocklist", "list", "--json"}, {"jobs"}, {"check"},
			{"user", "show", evil}, {"user", evil},
		} {
			got := p.run(args...)
			for name, out := range map[string]string{"output": got.out, "errors": got.err} {
				if strings.ContainsFunc(strings.ReplaceAll(out, "\n", ""), func(r rune) bool { return r != '\t' && !unicode.IsPrint(r) }) {
					t.Errorf("%q prints as %s: %q", args, name, out)
				}
				if name == "output" && strings.Contains(out, "\n9999 forged") {
					t.Errorf("%q prints a line of a name: %q", args, out)
				}
			}
		}
		p.exec("UPDATE users SET name = upper(substr(slug, 1, 1)) || substr(slug, 2)") // search finds them by these names
		p.exec("UPDATE groups SET name = 'G'")
		p.exec("UPDATE channels SET title = CASE id WHEN 1 THEN 'C' ELSE 'D' END")
	})
}

// Commands only print through their console, which escapes.
func TestCommandsPrintByTheConsole(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Glob("*.go")
	if err != nil || len(here) == 0 {
		t.Fatal(here, err)
	}
	for _, name := range append(files, here...) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, way := range []string{"os.Std" + "out", "os.Std" + "err", "fmt.Print"} {
			if bytes.Contains(text, []byte(way)) {
				t.Errorf("%s uses %s", name, way)
			}
		}
	}
}

func TestEscaping(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"moss\tand\nfern": "moss\tand\nfern",
		"\x1b[2J\r":       `\u001b[2J\u000d`,
		"a\u202eb\u009b":  `a\u202eb\u009b`,
		"\U000e0041":      `\udb40\udc41`,
		"\xff":            `\u00ff`,
		"苔 👩\u200d💻 عدد":  "苔 👩\u200d💻 عدد",
	} {
		for step := 1; step <= len(text); step++ { // in writes of any length
			var out bytes.Buffer
			w := cli.Escaping(&out)
			for rest := []byte(text); len(rest) > 0; {
				n := min(step, len(rest))
				if got, err := w.Write(rest[:n]); got != n || err != nil {
					t.Fatal(got, err)
				}
				rest = rest[n:]
			}
			if text == "\xff" {
				if _, err := w.Write([]byte("\n")); err != nil { // ends an incomplete character
					t.Fatal(err)
				}
				want = `\u00ff` + "\n"
			}
			if out.String() != want {
				t.Errorf("%q in pieces of %d is %q, want %q", text, step, out.String(), want)
			}
		}
	}
}
