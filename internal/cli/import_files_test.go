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
		p.run("import", "bookmarks", file, "--user", "ada", "--dry-run").counted(0, "Would import 2 links into 2 new channels.")
		p.run("import", "bookmarks", file, "--user", "ada", "--visibility", "public").counted(0, "Imported 2 links into 2 new channels.\n", "Recognized as Bookmarks.\n")
		p.run("import", "bookmarks", file, "--user", "ada", "--visibility", "public").counted(0, "Nothing new. Already there: 3 items.")

		rows := inFile(t, "t.csv", someRows)
		p.run("import", "csv", rows, "--user", "ada").counted(3, "Imported 1 link into 2 new channels. 1 skipped: line 3: its address does not begin with http:// or https://.", "Skipped, entirely or in part:", "D: its address does not begin with http:// or https:// (line 3)")
		for _, more := range [][]string{{}, {"--dry-run"}} {
			p.run(append([]string{"import", "csv", rows, "--user", "ada", "--channel", "marks"}, more...)...).fails(1, refusedFor("“Marks”"))
			p.run(append([]string{"import", "bookmarks", file, "--user", "ada"}, more...)...).fails(1, refusedFor("“Marks”, “F”"))
		}
		p.run("import", "csv", rows, "--user", "ada", "--channel", "marks", "--into-visible").counted(3, "Imported 1 connection.")
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
		p.run("import", "folder", dir, "--user", "ada").counted(3, "Imported 2 texts and 1 file into 2 new channels. 1 skipped: empty: it is empty.", "empty: it is empty (empty)")
		p.run("import", "folder", dir, "--user", "ada").counted(3, "Nothing new. Already there: 4 items.")
	})
}

// TestImportOfOtherEncodings imports a file whose encoding is detected, and one whose encoding is named.
func TestImportOfOtherEncodings(t *testing.T) {
	t.Parallel()
	p := folder(t)
	p.run("migrate").ok()
	p.ada()
	cyrillic := inFile(t, "links.csv", "url,title\rhttps://a.invalid/,\xd0\xf3\xf1\xf1\xea\xe0\xff \xf1\xf2\xf0\xe0\xed\xe8\xf6\xe0\r")
	p.run("import", "file", cyrillic, "--user", "ada", "--dry-run").counted(0, "Would import 1 link into 1 new channel.", "Recognized as CSV, read as windows-1251. If letters look wrong")
	p.run("import", "file", cyrillic, "--user", "ada", "--encoding", "KOI8-R").counted(0, "read as koi8-r.")
	p.run("import", "file", cyrillic, "--user", "ada").counted(0, "Nothing new. Updated: 1 item.")
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
	const unknown = "The format of the file is not recognized. These are: bookmarks in HTML"
	missing := filepath.Join(t.TempDir(), "none")
	for _, c := range []struct {
		code int
		why  string
		args []string
	}{
		{1, unknown, []string{"bookmarks", inFile(t, "x.html", "<p>A page")}},
		{1, unknown, []string{"csv", inFile(t, "x.csv", "1,2\n")}},
		{1, "The file is empty", []string{"file", inFile(t, "x.csv", "")}},
		{1, "The file contains nothing to import", []string{"file", inFile(t, "x.csv", "url,title\n")}},
		{1, "Nothing in the file could be imported", []string{"file", inFile(t, "x.csv", "url,title\nnowhere,x\n")}},
		{2, `--encoding: there is no encoding called "latin-99"; known are utf-8, `, []string{"file", "--encoding", "latin-99", inFile(t, "x.csv", someRows)}},
		{1, "This is no export that can be read: it is no ZIP file, or its end is missing", []string{"export", inFile(t, "x.zip", "PK")}},
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
	p.run("import", "bookmarks", "-", "--user", "ada").counted(0, "Imported 2 links into 2 new channels.\n", "Recognized as Bookmarks.\n")
}
