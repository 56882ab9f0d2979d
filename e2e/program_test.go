// Package e2e tests the built program from outside: by killing it here, and with public clients
// from npm in the subfolders.
package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// program is the built program with its settings.
type program struct {
	t    *testing.T
	path string
	env  []string

	dataDir  string
	database string // its URL
}

// built is the folder of the built program, which all tests share.
var built string

func TestMain(m *testing.M) {
	os.Exit(runWithFolder(m))
}

func runWithFolder(m *testing.M) int {
	folder, err := os.MkdirTemp("", "vitrine-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	built = folder
	return m.Run()
}

var buildOnce = sync.OnceValues(func() ([]byte, error) {
	return exec.Command("go", "build", "-o", filepath.Join(built, "vitrine"), "../cmd/vitrine").CombinedOutput()
})

// onRequest skips tests of the built program unless they were requested. They take
// minutes, and cli.TestSmoke starts the built program in every run.
func onRequest(t *testing.T) {
	t.Helper()
	if os.Getenv("VITRINE_TEST_PROGRAM") == "" && os.Getenv("VITRINE_TEST_ALONE") == "" {
		t.Skip("kills, upgrades or attacks the built program: make program")
	}
}

// build builds the program from the source, once.
func build(t *testing.T) string {
	t.Helper()
	onRequest(t)
	if out, err := buildOnce(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(built, "vitrine")
}

// alone skips a test that other processes would disturb, unless VITRINE_TEST_ALONE is set.
func alone(t *testing.T) {
	t.Helper()
	if os.Getenv("VITRINE_TEST_ALONE") == "" {
		t.Skip("needs the machine for itself: make alone")
	}
}

// newProgram returns the program with an empty, migrated database and further settings
// (NAME=value). An empty databaseURL means SQLite.
func newProgram(t *testing.T, path, databaseURL string, settings ...string) program {
	t.Helper()
	dataDir := t.TempDir()
	p := program{t: t, path: path, dataDir: dataDir, database: databaseURL}
	if databaseURL == "" {
		p.database = "sqlite:" + filepath.Join(dataDir, "vitrine.db")
	}
	for _, setting := range os.Environ() {
		if !strings.HasPrefix(setting, "VITRINE_") {
			p.env = append(p.env, setting)
		}
	}
	p.env = append(p.env, "VITRINE_ADDR=127.0.0.1:0", "VITRINE_LOG_LEVEL=warn",
		"VITRINE_DATA_DIR="+dataDir, "VITRINE_DATABASE_URL="+databaseURL,
		"VITRINE_RATE_LIMITS=guest=0,free=0,premium=0,supporter=0")
	p.env = append(p.env, settings...)
	p.run("migrate")
	return p
}

// run runs a command and returns its output.
func (p program) run(args ...string) string {
	p.t.Helper()
	var errs bytes.Buffer
	// Cleanups run commands after the test's context is done.
	cmd := exec.CommandContext(context.Background(), p.path, args...)
	cmd.Env, cmd.Stderr = p.env, &errs
	out, err := cmd.Output()
	if err != nil {
		p.t.Fatalf("vitrine %s: %v\n%s%s", strings.Join(args, " "), err, out, errs.Bytes())
	}
	return strings.TrimSpace(string(out))
}

// json runs a command and decodes its output.
func (p program) json(out any, args ...string) {
	p.t.Helper()
	if err := json.Unmarshal([]byte(p.run(args...)), out); err != nil {
		p.t.Fatal(err)
	}
}

// user creates an account and returns a write token.
func (p program) user(slug string) (token string) { return p.userOf(slug, "supporter") }

// userOf does the same for an account of a tier.
func (p program) userOf(slug, tier string) (token string) {
	p.t.Helper()
	p.run("user", "create", "--slug", slug, "--name", slug, "--email", slug+"@example.org", "--tier", tier)
	return p.run("token", "create", "--user", slug, "--scope", "write")
}

// process is a running server, or only workers.
type process struct {
	cmd *exec.Cmd
	url string        // of a server
	log *bytes.Buffer // may be read when the process has ended
}

var listens = regexp.MustCompile(`listens on (\S+)`)

// serve starts a server and waits until it listens. It is killed at the end of the test if it is
// still running.
func (p program) serve() *process {
	p.t.Helper()
	return p.start("serve", listens)
}

var works = regexp.MustCompile(`runs the jobs in (\S+)`)

// work starts workers in the same way.
func (p program) work() *process {
	p.t.Helper()
	return p.start("work", works)
}

// start starts a command and waits for a line that shows that it is ready, from which it extracts
// the process's url.
func (p program) start(command string, ready *regexp.Regexp) *process {
	p.t.Helper()
	s := &process{cmd: exec.CommandContext(p.t.Context(), p.path, command), log: new(bytes.Buffer)}
	s.cmd.Env, s.cmd.Stderr = p.env, s.log
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	for s.url == "" {
		line, err := lines.ReadString('\n')
		if found := ready.FindStringSubmatch(line); found != nil {
			s.url = found[1]
		} else if err != nil {
			p.t.Fatalf("%s does not begin: %v, %v\n%s", command, err, s.cmd.Wait(), s.log)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }() // so that the process never blocks
	p.t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		if p.t.Failed() {
			p.t.Logf("%s wrote\n%s", command, telling(s.log.String()))
		}
	})
	return s
}

// alike matches the variable parts of similar log lines.
var alike = regexp.MustCompile(`(time|duration|request_id|trace_id|user_id|bytes|path)=\S+|\d+`)

// telling shortens a log: it removes successful requests, and keeps at most three similar lines.
// Otherwise thousands of refused requests would hide failures.
func telling(log string) string {
	const most = 3
	seen := map[string]int{}
	var out strings.Builder
	for line := range strings.Lines(log) {
		if strings.Contains(line, "level=INFO msg=request ") {
			continue
		}
		kind := alike.ReplaceAllString(line, "")
		if seen[kind]++; seen[kind] <= most {
			out.WriteString(line)
		}
	}
	return out.String()
}

// ended waits for the end of the process and returns its exit code, -1 for a signal.
func (s *process) ended(t *testing.T) int {
	t.Helper()
	err := s.cmd.Wait()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatal(err)
	}
	return s.cmd.ProcessState.ExitCode()
}
