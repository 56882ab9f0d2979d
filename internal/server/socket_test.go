//go:build !windows

package server_test

import (
	"context"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/server"
)

// socketFolder creates a folder with a short name, since the path of a socket is limited to about 100 bytes.
func socketFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "v")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// over returns a client for the server on a socket.
func over(path string) *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}}
}

func TestSocket(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	path := filepath.Join(socketFolder(t), "s")
	l, err := server.Listen("addr", "unix:"+path, 0o620)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.S.Start(l); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode().Type() != fs.ModeSocket || info.Mode().Perm() != 0o620 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://vitrine.test/v3/ping", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Forwarded-For", "1.1.1.1, 192.0.2.7")
	req.Header.Set("X-Request-Id", "by-the-proxy")
	res, err := over(path).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK || res.Header.Get("X-Request-Id") != "by-the-proxy" {
		t.Errorf("%d, request %s", res.StatusCode, res.Header.Get("X-Request-Id"))
	}
	if _, err := server.Listen("addr", "unix:"+path, 0o660); err == nil || !strings.Contains(err.Error(), "--addr: another program listens on") {
		t.Errorf("a second server: %v", err)
	}
	if err := r.Stop(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("the socket still exists after shutdown: %v", err)
	}
	if lines := r.Log("by-the-proxy"); len(lines) != 1 || !strings.Contains(lines[0], "client=192.0.2.7") {
		t.Errorf("logged as %q", lines)
	}
}

// The socket of a killed server is replaced, but no other file is.
func TestStaleSocket(t *testing.T) {
	t.Parallel()
	dir := socketFolder(t)
	stale := filepath.Join(dir, "stale")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: stale, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := server.Listen("addr", "unix:"+stale, 0o660)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()

	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := server.Listen("metrics-addr", "unix:"+file, 0o660); err == nil || !strings.Contains(err.Error(), "is not a socket") {
		t.Errorf("a file: %v", err)
	}
	if text, err := os.ReadFile(file); string(text) != "kept" {
		t.Errorf("the file: %q, %v", text, err)
	}
	if _, err := server.Listen("addr", "unix:"+filepath.Join(dir, "none", "s"), 0o660); err == nil || !strings.Contains(err.Error(), "--addr") {
		t.Errorf("a missing folder: %v", err)
	}
}

// If several servers start at once on one socket, one of them listens.
func TestSocketRace(t *testing.T) {
	t.Parallel()
	path := filepath.Join(socketFolder(t), "s")
	type result struct {
		l   net.Listener
		err error
	}
	const servers = 8
	results := make(chan result, servers)
	for range servers {
		go func() {
			l, err := server.Listen("addr", "unix:"+path, 0o660)
			results <- result{l, err}
		}()
	}
	listening := 0
	for range servers {
		if got := <-results; got.err == nil {
			listening++
			defer got.l.Close()
		}
	}
	if listening != 1 {
		t.Errorf("%d listen", listening)
	}
}
