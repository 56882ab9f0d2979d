//go:build !windows

package cli_test

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A running server reloads its settings with `vitrine reload` and with SIGHUP. It goes on with the old ones if a new one is wrong.
func TestReload(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "v") // socket paths must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p := place{t, []string{"--data-dir", filepath.Join(dir, "data")}}
	p.run("migrate").ok()
	p.run("reload").fails(1, "no server with the data folder "+p.folder()+" runs on this machine")
	file := filepath.Join(dir, "vitrine.conf")
	sets := func(lines ...string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sets(`rate-limits = "guest=1000"`)

	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "serve", "--addr", "127.0.0.1:0", "--config", file, p.flags[0], p.flags[1])
	cmd.Env = append(os.Environ(), asProgram+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	log := make(chan string, 1000)
	go func() {
		defer close(log)
		for lines := bufio.NewScanner(errs); lines.Scan(); {
			log <- lines.Text()
		}
	}()
	logged := func(what string) {
		t.Helper()
		late := time.After(time.Minute)
		for {
			select {
			case line, open := <-log:
				if strings.Contains(line, what) {
					return
				}
				if !open {
					t.Fatalf("the server ended, and did not log %q", what)
				}
			case <-late:
				t.Fatalf("the server does not log %q", what)
			}
		}
	}
	var at string
	lines := bufio.NewScanner(out)
	for at == "" && lines.Scan() {
		if found := listens.FindStringSubmatch(lines.Text()); found != nil {
			at = found[1]
		}
	}
	if at == "" {
		t.Fatal("the server does not start")
	}
	go func() {
		for lines.Scan() { // the server must be able to write
		}
	}()
	ask := func(want int) {
		t.Helper()
		res, err := http.Get(at + "/v3/ping")
		if err != nil {
			t.Fatal(err)
		}
		if _ = res.Body.Close(); res.StatusCode != want {
			t.Errorf("%s, want %d", res.Status, want)
		}
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) { // it listens before it takes reloads
		if found, err := filepath.Glob(filepath.Join(p.folder(), "control-*.sock")); err != nil || len(found) == 1 {
			break
		} else if time.Now().After(end) {
			t.Fatal("there is no control socket")
		}
	}
	ask(http.StatusOK)
	ask(http.StatusOK)

	if r := p.run("reload").ok(); r.out != "Applied: none\nChanged, but need a restart: none\n" {
		t.Errorf("%q", r.out)
	}
	sets(`rate-limits = "guest=many"`, `log-level = "debug"`)
	if r := p.run("reload"); r.code != 1 || r.out != "" || !strings.HasPrefix(r.err, "vitrine: nothing was changed:\n") || !strings.Contains(r.err, "rate-limits") {
		t.Errorf("exit code %d\n%s%s", r.code, r.out, r.err)
	}
	logged("the settings were not reloaded, and nothing has changed")
	ask(http.StatusOK)
	sets(`rate-limits = "guest=1000"`, `log-level = "debug"`, `body-limit = "2MiB"`)
	var result struct{ Applied, Restart []string }
	if p.run("reload", "--json").json(&result); strings.Join(result.Applied, " ") != "log-level" || strings.Join(result.Restart, " ") != "body-limit" {
		t.Errorf("%+v", result)
	}
	ask(http.StatusOK)
	logged("reloaded the settings")

	sets(`rate-limits = "guest=1"`)
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	logged("reloaded the settings")
	ask(http.StatusTooManyRequests)

	if err := cmd.Process.Kill(); err != nil { // which leaves the socket behind
		t.Fatal(err)
	}
	for range log { // until the server ends
	}
	_ = cmd.Wait() // killed
	p.run("reload").fails(1, "no server with the data folder "+p.folder()+" runs on this machine")
}
