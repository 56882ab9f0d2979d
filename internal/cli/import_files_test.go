package cli_test

import (
	"archive/zip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// inFile keeps a text in a file and gives its name.
func inFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const (
	someBookmarks = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<H1>Marks</H1><DL>\n<DT><A HREF=\"https://a.invalid/\">A</A>\n<DT><H3>F</H3><DL><DT><A HREF=\"https://b.invalid/\">B</A>\n</DL></DL>\n"
	someRows      = "url,title,channel\nhttps://c.invalid/,C,Table\nnone,D,\n"
)

// counted holds what a command says of an import against a text.
func (r result) counted(code int, parts ...string) {
	r.t.Helper()
	for _, part := range parts {
		if !strings.Contains(r.out, part) {
			r.t.Errorf("%q does not say %q: %s%s", r.args, part, r.out, r.err)
		}
	}
	if r.code != code {
		r.t.Errorf("%q: exit code %d, want %d: %s%s", r.args, r.code, code, r.out, r.err)
	}
}

func TestImportOfFiles(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		p.ada()
		file := inFile(t, "b.html", someBookmarks)
		p.run("import", "bookmarks", file, "--user", "ada", "--dry-run").counted(0, "Would take 2 channels, 2 blocks, 3 connections")
		p.run("import", "bookmarks", file, "--user", "ada", "--visibility", "public").counted(0, "Took 2 channels, 2 blocks, 3 connections")
		p.run("import", "bookmarks", file, "--user", "ada", "--visibility", "public").counted(0, "Took 0 channels, 0 blocks, 0 connections", "3 already existed")

		rows := inFile(t, "t.csv", someRows)
		p.run("import", "csv", rows, "--user", "ada").counted(3, "Took 2 channels, 1 blocks, 2 connections", "1 left out, entirely or in part", "D: its address does not begin with http:// or https:// (line 3)")
		for _, more := range [][]string{{}, {"--dry-run"}} {
			p.run(append([]string{"import", "csv", rows, "--user", "ada", "--channel", "marks"}, more...)...).fails(1, refusedFor("“Marks”"))
			p.run(append([]string{"import", "bookmarks", file, "--user", "ada"}, more...)...).fails(1, refusedFor("“Marks”, “F”"))
		}
		p.run("import", "csv", rows, "--user", "ada", "--channel", "marks", "--into-visible").counted(3, "Took 0 channels, 0 blocks, 1 connections")
		p.run("import", "csv", rows, "--user", "ada", "--channel", "none").fails(1, "there is no channel none to which ada may add")

		dir := t.TempDir()
		for name, text := range map[string]string{"a.txt": "words", "b.bin": "\x00bytes", "sub/c.md": "# words", "empty": ""} {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		p.run("import", "folder", dir, "--user", "ada").counted(3, "Took 2 channels, 3 blocks, 4 connections, 0 comments and 1 files", "empty: it is empty (empty)")
		p.run("import", "folder", dir, "--user", "ada").counted(3, "Took 0 channels, 0 blocks, 0 connections")
	})
}

// refusedFor returns the error of a private import that would add to channels that everyone can see.
func refusedFor(channels string) string {
	return "The import is private, but everyone can see channels that it would add to: " + channels +
		". Nothing was imported. Allow it to add to them, or make them private first (--into-visible allows it)"
}

func TestImportInJSON(t *testing.T) {
	t.Parallel()
	p := folder(t)
	p.run("migrate").ok()
	p.ada()
	r := p.run("import", "csv", inFile(t, "t.csv", someRows), "--user", "ada", "--json")
	var events []string
	for line := range strings.Lines(r.out) {
		var e struct {
			Event, What, Where, Why string
			Blocks, LeftOut         int
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if e.Event != "progress" {
			events = append(events, e.Event)
		}
		if e.Event == "left_out" && (e.Where != "line 3" || e.What != "D" || e.Why == "") || e.Event == "report" && e.Blocks != 1 {
			t.Errorf("%s", line)
		}
	}
	if got := strings.Join(events, " "); got != "left_out report" || r.code != 3 {
		t.Errorf("%s, exit code %d: %s%s", got, r.code, r.out, r.err)
	}
}

func TestImportOfWhatIsNoSuchFile(t *testing.T) {
	t.Parallel()
	p := folder(t)
	p.run("migrate").ok()
	p.ada()
	const noBookmarks = "This is no file of bookmarks: such a file begins with <!DOCTYPE NETSCAPE-Bookmark-file-1>"
	missing := filepath.Join(t.TempDir(), "none")
	for _, c := range []struct {
		code int
		why  string
		args []string
	}{
		{1, noBookmarks, []string{"bookmarks", inFile(t, "x.csv", someRows)}},
		{1, "This is no export that can be read: it is no ZIP file, or its end is missing", []string{"export", inFile(t, "x.zip", "PK")}},
		{1, "This is no list that can be read", []string{"csv", inFile(t, "x.html", someBookmarks)}},
		{1, "no such file or directory", []string{"bookmarks", missing}},
		{1, "no such file or directory", []string{"folder", missing}},
		{1, "is a folder, and no file", []string{"csv", t.TempDir()}},
		{2, "an export cannot be read from standard input: name its file", []string{"export", "-"}},
	} {
		r := p.run(append(append([]string{"import"}, c.args...), "--user", "ada")...)
		if r.code != c.code || !strings.Contains(r.err, c.why) {
			t.Errorf("%q: exit code %d, want %d: %s%s", r.args, r.code, c.code, r.out, r.err)
		}
	}
	p.run("import", "csv", inFile(t, "x.csv", someRows), "--user", "nobody").fails(1, `there is no account "nobody"`)

	empty := filepath.Join(t.TempDir(), "e.zip")
	out, err := os.Create(empty)
	if err != nil {
		t.Fatal(err)
	}
	if err := zip.NewWriter(out).Close(); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if r := p.run("import", "export", empty, "--user", "ada"); r.code != 1 || !strings.Contains(r.err, "manifest.json: it is not in the archive") {
		t.Errorf("exit code %d: %s%s", r.code, r.out, r.err)
	}
}

// TestImportFromStandardInput is not parallel: there is one standard input.
func TestImportFromStandardInput(t *testing.T) {
	p := folder(t)
	p.run("migrate").ok()
	p.ada()
	in, err := os.Open(inFile(t, "b.html", someBookmarks))
	if err != nil {
		t.Fatal(err)
	}
	was := os.Stdin
	defer func() { os.Stdin = was }()
	os.Stdin = in
	p.run("import", "bookmarks", "-", "--user", "ada").counted(0, "Took 2 channels, 2 blocks, 3 connections")
}
