package server_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/blob"
	"vitrine/internal/config"
	"vitrine/internal/server"
)

// A server that is being stopped immediately responds 503 at /readyz, and serves old and new
// connections until its delay is over. Each connection ends after its response.
func TestDrain(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		addr := r.Listen()
		kept := r.Dial(addr)
		kept.Head("", "GET", "/v3/ping")
		kept.Answer("GET", "/v3/ping").Want(http.StatusOK)
		ctx, over := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- r.Stop(ctx) }()
		for r.Do("", "GET", "/readyz", nil).Status != http.StatusServiceUnavailable && t.Context().Err() == nil {
			continue
		}
		for _, conn := range []*apptest.Wire{kept, r.Dial(addr)} {
			conn.Head("ada", "GET", "/v3/me")
			conn.Answer("GET", "/v3/me").Want(http.StatusOK)
			if _, err := conn.In.ReadByte(); !errors.Is(err, io.EOF) {
				t.Errorf("the connection stays: %v", err)
			}
		}
		select {
		case err := <-done:
			t.Fatalf("it stopped before its time: %v", err)
		default:
		}
		over()
		<-done
	}, func(c *config.Config) { c.DrainDelay = time.Hour })
}

// Without its storage a server is not ready. Only the log contains the cause.
func TestReadyKnowsOfStorage(t *testing.T) {
	t.Parallel()
	var dir string
	r := apptest.New(t, func(c *config.Config) { dir = c.FilesPath() })
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	res := r.Do("", "GET", "/readyz", nil).Want(http.StatusServiceUnavailable)
	if string(res.Body) != "not ready: storage\n" || len(r.Log("for=storage")) != 1 {
		t.Errorf("%q, %q", res.Body, r.Log("not ready"))
	}
	r.Do("", "GET", "/healthz", nil).Want(http.StatusOK)
	r.Do("", "GET", "/readyz?exclude=storage", nil).Want(http.StatusOK)
	r.Do("", "GET", "/readyz?exclude=disk&exclude=database", nil).Want(http.StatusServiceUnavailable)
}

// A server whose disk is nearly full at start logs that.
func TestStartSaysThatTheDiskIsNearlyFull(t *testing.T) {
	t.Parallel()
	r := apptest.NewServer(t, func(o *server.Options) {
		o.FreeSpace = func(string) (blob.Space, bool, error) { return blob.Space{Free: 9, Total: 1000}, true, nil }
	}, func(c *config.Config) { c.DiskReserve = config.DiskReserve{Percent: 1} })
	r.Listen()
	if lines := r.Log("--disk-reserve"); len(lines) != 1 || !strings.Contains(lines[0], "disk-reserve=1%") {
		t.Errorf("%q", lines)
	}
}
