// Package browsertest starts a headless Chromium for tests.
package browsertest

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Program returns the path of Chromium. Without Chromium it skips the test.
func Program(t testing.TB) string {
	t.Helper()
	program := cmp.Or(os.Getenv("CHROMIUM"), "/usr/bin/chromium")
	if _, err := os.Stat(program); err != nil {
		if os.Getenv("VITRINE_TEST_REQUIRE_CHROMIUM") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return program
}

// Start starts Chromium until the test ends, and returns its address.
func Start(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	c := exec.Command(Program(t), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--remote-debugging-port=0", "--user-data-dir="+dir)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = c.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = c.Process.Kill()
		<-ended
		for os.RemoveAll(dir) != nil { // its other processes write until they notice
			time.Sleep(10 * time.Millisecond)
		}
	})
	for {
		text, err := os.ReadFile(filepath.Join(dir, "DevToolsActivePort"))
		if port, path, ok := strings.Cut(string(text), "\n"); err == nil && ok && path != "" {
			return "http://127.0.0.1:" + port
		}
		select {
		case <-ended:
			t.Fatal("the browser ended")
		case <-time.After(20 * time.Millisecond):
		}
	}
}
