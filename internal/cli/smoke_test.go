package cli_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// program is a server in its own process.
type program struct {
	t    *testing.T
	cmd  *exec.Cmd
	errs *bytes.Buffer
	url  string
}

var listens = regexp.MustCompile(`^It listens on (http://127\.0\.0\.1:\d+) and keeps its data in `)

// serve starts the program and reads its address.
func (p place) serve(binary string) *program {
	p.t.Helper()
	s := &program{t: p.t, errs: new(bytes.Buffer),
		cmd: exec.CommandContext(p.t.Context(), binary, append([]string{"serve", "--addr", "127.0.0.1:0"}, p.flags...)...)}
	s.cmd.Stderr = s.errs
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	_, _ = lines.ReadString('\n') // skip the line that it is ready
	line, err := lines.ReadString('\n')
	found := listens.FindStringSubmatch(line)
	if found == nil {
		_ = s.cmd.Process.Kill()
		p.t.Fatalf("the program begins with %q (%v): %s", line, err, s.errs)
	}
	s.url = found[1]
	return s
}

// stop stops the program and checks that its exit code is 0.
func (s *program) stop() {
	s.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	if err := s.cmd.Wait(); err != nil {
		s.t.Fatalf("%v: %s", err, s.errs)
	}
}

// ask sends a request and decodes the response.
func (s *program) ask(method, path, token, body string, status int) map[string]any {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != status {
		s.t.Fatalf("%s %s: %d, want %d: %s (%v)", method, path, res.StatusCode, status, text, err)
	}
	var answer map[string]any
	if err := json.Unmarshal(text, &answer); err != nil {
		s.t.Fatalf("%v in %s", err, text)
	}
	return answer
}

// The built program serves requests, creates accounts and tokens by commands while it runs, stops
// on a signal, and keeps its data across a restart.
func TestSmoke(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "vitrine")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", path, "vitrine/cmd/vitrine")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	each(t, func(t *testing.T, p place) {
		command := func(args ...string) string {
			t.Helper()
			out, err := exec.CommandContext(t.Context(), path, append(args, p.flags...)...).Output()
			if err != nil {
				t.Fatalf("%q: %v", args, err)
			}
			return string(out)
		}
		s := p.serve(path)
		command("user", "create", "--slug", "ada", "--name", "Ada", "--email", "ada@example.org", "--password", "a good long one")
		token := strings.TrimSuffix(command("token", "create", "--user", "ada", "--scope", "write"), "\n")
		if me := s.ask("GET", "/v3/me", token, "", 200); me["slug"] != "ada" {
			t.Errorf("%v", me)
		}
		s.ask("POST", "/v3/channels", token, `{"title":"First light"}`, 201)
		made := s.ask("POST", "/v3/blocks", token, `{"value":"Hello *there*","channel_ids":["first-light"]}`, 201)
		links := made["_links"].(map[string]any)["self"].(map[string]any)["href"].(string)
		if !strings.HasPrefix(links, s.url+"/v3/blocks/") {
			t.Errorf("the block's address is %s, want it below %s", links, s.url)
		}
		first := s.ask("GET", "/v3/channels/first-light/contents", "", "", 200)
		s.stop()
		if !strings.Contains(s.errs.String(), "shutting down") {
			t.Errorf("the log does not tell of the end: %s", s.errs)
		}
		if list := command("token", "list", "--user", "ada", "--json"); !strings.Contains(list, `"last_used_at": "20`) {
			t.Errorf("the token's last use was not written: %s", list)
		}

		s = p.serve(path)
		again := s.ask("GET", "/v3/channels/first-light/contents", token, "", 200)
		item := func(list map[string]any) any { return list["data"].([]any)[0].(map[string]any)["content"] }
		if a, b := item(first), item(again); len(a.(map[string]any)) != 3 || a.(map[string]any)["plain"] != b.(map[string]any)["plain"] {
			t.Errorf("after the restart there is %v, before there was %v", b, a)
		}
		s.stop()
		if out := command("check"); out != "All derived values are correct.\n" {
			t.Errorf("%q", out)
		}
	})
}
