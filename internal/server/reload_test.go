package server_test

import (
	"fmt"
	"hash/crc32"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/server"
)

// A reload takes what it can while requests run, none of which fails, and names the rest. A wrong one changes nothing.
func TestReload(t *testing.T) {
	t.Parallel()
	var cfg config.Config
	r := apptest.New(t, func(c *config.Config) { c.LogLevel = "info"; cfg = *c })
	stop := make(chan struct{})
	var load sync.WaitGroup
	for range 4 {
		load.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if res := r.Do("", "GET", "/v3/ping", nil); res.Status != http.StatusOK {
					t.Errorf("during a reload: %d %s", res.Status, res.Body)
				}
			}
		})
	}
	limits := func(guest int) map[string]int {
		return map[string]int{"guest": guest, "free": 0, "premium": 0, "supporter": 0}
	}
	for n := range 20 {
		cfg.RateLimits, cfg.LogLevel, cfg.BodyLimit = limits(1_000_000+n), []string{"debug", "info"}[n%2], 2<<20
		result, err := r.S.Reload(cfg)
		if err != nil || !slices.Equal(result.Applied, []string{"log-level", "rate-limits"}) || !slices.Equal(result.Restart, []string{"body-limit"}) {
			t.Errorf("%+v, %v", result, err)
		}
	}
	close(stop)
	load.Wait()
	bad := cfg
	bad.RateLimits, bad.MailFrom = limits(1), "nobody"
	if _, err := r.S.Reload(bad); err == nil {
		t.Error("a wrong sender was accepted")
	}
	r.Do("", "GET", "/v3/ping", nil).Want(http.StatusOK)
	r.Do("", "GET", "/v3/ping", nil).Want(http.StatusOK)
	cfg.RateLimits = limits(1)
	if _, err := r.S.Reload(cfg); err != nil {
		t.Fatal(err)
	}
	r.Do("", "GET", "/v3/ping", nil).Want(http.StatusTooManyRequests)
}

// A new process removes the control sockets of killed ones, and leaves those of others.
func TestDeadControlSockets(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "v") // socket paths must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	listen := func(name string) *net.UnixListener {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, name), Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		l.SetUnlinkOnClose(false)
		t.Cleanup(func() { _ = l.Close() })
		return l
	}
	name := func(pid int) string {
		host, err := os.Hostname()
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("control-%08x-%d.sock", crc32.ChecksumIEEE([]byte(host)), pid)
	}
	listen(name(1))
	if err := listen(name(2)).Close(); err != nil {
		t.Fatal(err)
	}
	stop, err := server.Control(config.Config{DataDir: dir}, slog.New(slog.DiscardHandler), func() (server.Reloaded, error) { return server.Reloaded{}, nil })
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	left, err := server.ControlSockets(dir)
	if err != nil || len(left) != 2 || filepath.Base(left[0]) != name(1) || filepath.Base(left[1]) != name(os.Getpid()) {
		t.Errorf("%v: %q", err, left)
	}
}
