package server_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// inFlight sends a request whose body is missing, and returns once the server is
// reading it.
func inFlight(t *testing.T, r *apptest.Rig, addr, body string) *apptest.Wire {
	t.Helper()
	c := r.Dial(addr)
	c.Head("ada", "POST", "/v3/channels", "Content-Type: application/json", "Expect: 100-continue",
		"Content-Length: "+strconv.Itoa(len(body)))
	c.Answer("POST", "/v3/channels").Want(http.StatusContinue)
	return c
}

// refusing waits until a server accepts no more connections.
func refusing(addr string) {
	for {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			return
		}
		_ = conn.Close()
	}
}

// A request in flight during a shutdown is completed.
func TestGracefulShutdown(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		addr, body := r.Listen(), `{"title":"In flight"}`
		idle := r.Dial(addr)
		idle.Head("", "GET", "/v3/ping")
		idle.Answer("GET", "/v3/ping").Want(http.StatusOK)
		c := inFlight(t, r, addr, body)
		other := r.DB()
		done := make(chan struct{})
		go func() {
			defer close(done)
			r.Break()
		}()
		refusing(addr)
		if _, err := idle.In.ReadByte(); !errors.Is(err, io.EOF) {
			t.Errorf("an idle connection stays: %v", err)
		}
		c.Say(body)
		c.Answer("POST", "/v3/channels").Want(http.StatusCreated)
		if _, err := c.In.ReadByte(); !errors.Is(err, io.EOF) {
			t.Errorf("the connection stays: %v", err)
		}
		<-done
		var n int
		if err := other.Reader().QueryRow(t.Context(), "SELECT count(*) FROM channels WHERE slug = 'in-flight'").Scan(&n); err != nil || n != 1 {
			t.Errorf("%d channels, %v", n, err)
		}
	})
}

// A request that does not end is cut off when the time is up. The last use of tokens is still
// saved.
func TestShutdownTimeout(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		addr := r.Listen()
		c := inFlight(t, r, addr, `{"title":"Never"}`)
		other := r.DB()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := r.Stop(ctx); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "requests were cut off") {
			t.Errorf("Shutdown: %v", err)
		}
		if rest, err := io.ReadAll(c.In); len(rest) > 0 {
			t.Errorf("the client still gets %q (%v)", rest, err)
		}
		var used, made int
		err := other.Reader().QueryRow(t.Context(),
			"SELECT (SELECT count(*) FROM tokens WHERE last_used_at IS NOT NULL), (SELECT count(*) FROM channels)").Scan(&used, &made)
		if err != nil || used != 1 || made != 0 {
			t.Errorf("%d tokens were used, %d channels made (%v)", used, made, err)
		}
	})
}
