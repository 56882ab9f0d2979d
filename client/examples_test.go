package client_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/client"
	"vitrine/client/ext"
)

// Each example runs against a sandbox and does what it says. They run one after the other, since a sandbox is shared.
func TestExamples(t *testing.T) {
	base := os.Getenv(sandboxEnv)
	if base == "" {
		t.Skip(sandboxEnv + " is not set")
	}
	r := &runner{t: t, base: base}
	r.control("POST", "/reset", "")
	tokens := tokensOf(t, r.control("GET", "", ""))
	dir := t.TempDir()

	site := filepath.Join(dir, "site")
	example(t, "", "go", "run", "./examples/site", "-base", base, "-channel", "field-notes", "-out", site)
	page, err := os.ReadFile(filepath.Join(site, "index.html"))
	if err != nil || !bytes.Contains(page, []byte("<h1>Field Notes</h1>")) || !bytes.Contains(page, []byte("湿地を歩く")) {
		t.Errorf("the site is %.500s (%v)", page, err)
	}
	if pictures, err := filepath.Glob(filepath.Join(site, "*.image")); err != nil || len(pictures) != 6 { // 3 images and the pictures of 3 links
		t.Errorf("%d pictures (%v)", len(pictures), err)
	}

	mirror := []string{"run", "./examples/mirror", "-from", base, "-channel", "field-notes", "-to", base, "-into", "an-empty-channel"}
	if out := example(t, tokens["cy"], "go", mirror...); out != "copied 10 blocks" {
		t.Error(out)
	}
	if out := example(t, tokens["cy"], "go", mirror...); out != "copied 0 blocks" {
		t.Errorf("run again: %s", out)
	}

	copies(t, base, tokens["cy"], filepath.Join(dir, "copy"))

	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	if out := example(t, tokens["ada"], "node", "examples/bot.js", base); out != "replied 1 times" {
		t.Error(out)
	}
	if out := example(t, tokens["ada"], "node", "examples/bot.js", base); out != "replied 0 times" {
		t.Errorf("run again: %s", out)
	}
	if out := example(t, tokens["ada"], "node", "examples/webhook.js", base, freePort(t)); out != "received ping" {
		t.Error(out)
	}
	saved := filepath.Join(dir, "backup")
	if out := example(t, tokens["ada"], "node", "examples/backup.js", base, saved); out != "saved 26 blocks" {
		t.Error(out)
	}
	if files, err := filepath.Glob(filepath.Join(saved, "files", "*")); err != nil || len(files) != 12 {
		t.Errorf("%d files (%v)", len(files), err)
	}
}

// copies checks that a copy of the channel that the mirror wrote follows what changes.
func copies(t *testing.T, base, token, dir string) {
	t.Helper()
	c, err := client.New(base, client.WithToken(token))
	if err != nil {
		t.Fatal(err)
	}
	files := func(want int) {
		t.Helper()
		example(t, token, "go", "run", "./examples/copy", "-base", base, "-channel", "an-empty-channel", "-dir", dir, "-once")
		if found, err := filepath.Glob(filepath.Join(dir, "*.json")); err != nil || len(found) != want {
			t.Errorf("%d files, want %d (%v)", len(found), want, err)
		}
	}
	files(10)
	made, err := c.CreateBlock(t.Context(), &client.CreateBlockRequest{Value: "Later", ChannelIDs: []client.Ref{"an-empty-channel"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.UpdateBlock(t.Context(), made.ID, &client.UpdateBlockRequest{Title: new("Changed")}); err != nil {
		t.Fatal(err)
	}
	files(11)
	if text, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%d.json", made.ID))); err != nil || !bytes.Contains(text, []byte(`"title":"Changed"`)) {
		t.Errorf("%s %v", text, err)
	}
	if err := ext.New(c).DeleteBlock(t.Context(), made.ID); err != nil {
		t.Fatal(err)
	}
	files(10)
}

// The JavaScript client passes its tests without a server.
func TestJavaScript(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	if out := example(t, "", "node", "--test", "typescript/test.js"); !strings.Contains(out, "# fail 0") {
		t.Error(out)
	}
}

// The JavaScript client passes the same list.
func TestConformanceOfJavaScript(t *testing.T) {
	base := os.Getenv(sandboxEnv)
	if base == "" {
		t.Skip(sandboxEnv + " is not set")
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	if out := example(t, "", "node", "typescript/conformance.js", base); !strings.HasSuffix(out, " steps") {
		t.Error(out)
	}
}

// example runs a program and returns its output.
func example(t *testing.T, token, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = append(os.Environ(), "TOKEN="+token)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// freePort returns a port that nothing listens on.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}
