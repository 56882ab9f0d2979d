package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/cli"
)

// bridged runs the command with messages on its standard input, and returns its output by line.
func bridged(t *testing.T, args []string, messages ...string) (lines []string, stderr string, code int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(path, []byte(strings.Join(messages, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	was := os.Stdin
	defer func() { os.Stdin = was }()
	os.Stdin = in
	var out, problems bytes.Buffer
	code = cli.Run(t.Context(), append([]string{"vitrine", "mcp"}, args...), &out, &problems)
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n"), problems.String(), code
}

func TestMCP(t *testing.T) {
	r := apptest.New(t)
	server := "http://" + r.Listen()
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte(r.Person("ada").Token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	lines, stderr, code := bridged(t, []string{"--server", server, "--token-file", token},
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"claude-ai","version":"0.1.0"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_channel","arguments":{"title":"Hérons 🪶 \u202e"}}}`,
		``,
		`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"search","arguments":{"query":"hérons"},`+meta+`}}`,
		`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"vitrine://channel/né",`+meta+`}}`,
		`{"jsonrpc":"2.0","id":4,"method":"none"}`,
		`nonsense`)
	want := []string{`"protocolVersion":"2025-11-25"`, `"title":"H\u00e9rons \ud83e\udeb6`, `"total":1`, `not found`, `-32603`, `-32700`}
	if code != 0 || stderr != "" || len(lines) != len(want) {
		t.Fatalf("exit code %d, %s: %q", code, stderr, lines)
	}
	for i, line := range lines {
		if !strings.Contains(line, want[i]) {
			t.Errorf("line %d: %s", i, line)
		}
	}

	if lines, _, _ := bridged(t, []string{"--server", "http://127.0.0.1:1", "--token-file", token}, `{"jsonrpc":"2.0","id":1,"method":"ping"}`); !strings.Contains(lines[0], "cannot be reached") {
		t.Errorf("without a server: %s", lines)
	}
	t.Setenv("VITRINE_TOKEN", "nonsense")
	if lines, _, _ := bridged(t, []string{"--server", server}, `{"jsonrpc":"2.0","id":1,"method":"ping"}`); !strings.Contains(lines[0], "401: The token is not valid") {
		t.Errorf("with a bad token: %s", lines)
	}
	t.Setenv("VITRINE_TOKEN", "")
	if _, stderr, code := bridged(t, nil); code != 2 || !strings.Contains(stderr, "--token-file") {
		t.Errorf("without a token: %d, %s", code, stderr)
	}
	if _, stderr, code := bridged(t, []string{"--server", "ftp://a", "--token-file", token}); code != 2 || !strings.Contains(stderr, "--server") {
		t.Errorf("with a bad address: %d, %s", code, stderr)
	}
}
