package server_test

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"vitrine/internal/config"
	"vitrine/internal/server"
	"vitrine/internal/store/storetest"
)

// logLines passes on the lines that a server logs, and calls waits when it begins to wait.
type logLines struct {
	slog.Handler
	lines chan string
	waits func()
}

func (h logLines) Enabled(context.Context, slog.Level) bool { return true }

func (h logLines) Handle(_ context.Context, r slog.Record) error {
	h.lines <- r.Message
	if strings.HasPrefix(r.Message, "waiting for") {
		h.waits()
	}
	return nil
}

// waiting starts a server with an unreachable service, calls then when the server logs that it
// waits, or ends the wait if it is nil, and returns the log.
func waiting(t *testing.T, cfg config.Config, then func()) (*server.Server, []string, error) {
	t.Helper()
	cfg.BaseURL, cfg.SiteURL, cfg.FilesURL = "http://vitrine.test", "http://vitrine.test", "http://vitrine.test"
	cfg.MailFrom, cfg.DataDir = "vitrine@vitrine.test", t.TempDir()
	cfg.RateLimits = map[string]int{"guest": 1, "free": 1, "premium": 1, "supporter": 1}
	lines := make(chan string, 100)
	type made struct {
		s   *server.Server
		err error
	}
	done := make(chan made, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if then == nil {
		then = cancel
	}
	go func() {
		s, err := server.New(ctx, cfg, server.Options{Log: slog.New(logLines{slog.DiscardHandler, lines, then})})
		done <- made{s, err}
	}()
	var said []string
	for {
		select {
		case line := <-lines:
			said = append(said, line)
		case m := <-done:
			for len(lines) > 0 {
				said = append(said, <-lines)
			}
			return m.s, said, m.err
		}
	}
}

// gatedProxy forwards connections to an address once open is set, and closes them before.
func gatedProxy(t *testing.T, network, address string) (addr string, open *atomic.Bool) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	open = new(atomic.Bool)
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			if !open.Load() {
				_ = in.Close()
				continue
			}
			out, err := net.Dial(network, address)
			if err != nil {
				_ = in.Close()
				continue
			}
			pass := func(to, from net.Conn) {
				_, _ = io.Copy(to, from)
				_ = to.Close()
			}
			go pass(out, in)
			go pass(in, out)
		}
	}()
	return l.Addr().String(), open
}

// behindProxy returns a migrated PostgreSQL database that is reachable once open is set.
func behindProxy(t *testing.T) (address string, open *atomic.Bool) {
	t.Helper()
	o := storetest.Migrated.Postgres(t)
	direct, err := pgconn.ParseConfig(cmp.Or(o.DirectURL, o.URL))
	if err != nil {
		t.Fatal(err)
	}
	network, target := pgconn.NetworkAddress(direct.Host, direct.Port)
	addr, open := gatedProxy(t, network, target)
	u, err := url.Parse(cmp.Or(o.DirectURL, o.URL))
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Del("host")
	q.Del("port")
	q.Set("sslmode", "disable")
	u.Host, u.RawQuery = addr, q.Encode()
	return u.String(), open
}

// A server that starts before its database waits for it, and logs that once.
func TestStartWaitsForPostgreSQL(t *testing.T) {
	t.Parallel()
	address, open := behindProxy(t)
	s, said, err := waiting(t, config.Config{DatabaseURL: address, WaitFor: 10 * time.Minute}, func() { open.Store(true) })
	if err != nil {
		t.Fatalf("%v, after %q", err, said)
	}
	if got := strings.Join(said, "; "); got != "waiting for the database, which does not answer; the database answers" {
		t.Errorf("said %q", got)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// The wait ends with the process and after its maximum, and permanent errors are not waited for.
func TestStartStopsWaiting(t *testing.T) {
	t.Parallel()
	address, open := behindProxy(t)
	for range 10 {
		if _, said, err := waiting(t, config.Config{DatabaseURL: address, WaitFor: 10 * time.Minute}, nil); !errors.Is(err, context.Canceled) || len(said) != 1 {
			t.Errorf("%v, after %q", err, said)
		}
	}
	for _, maxWait := range []time.Duration{0, time.Millisecond} {
		_, said, err := waiting(t, config.Config{DatabaseURL: address, WaitFor: maxWait}, func() {})
		if err == nil || errors.Is(err, context.DeadlineExceeded) || strings.Contains(strings.Join(said, "; "), "answers") {
			t.Errorf("%v, after %q", err, said)
		}
	}
	open.Store(true)
	u, _ := url.Parse(address)
	u.Path = "/no-such-database"
	if _, said, err := waiting(t, config.Config{DatabaseURL: u.String(), WaitFor: 10 * time.Minute}, func() {}); err == nil || len(said) != 0 {
		t.Errorf("%v, after %q", err, said)
	}
}

func TestStartWaitsForS3(t *testing.T) {
	t.Parallel()
	var open atomic.Bool
	bucket := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		switch {
		case !open.Load():
			w.WriteHeader(http.StatusServiceUnavailable)
		case r.Method == http.MethodPut:
			w.Header().Set("ETag", `"a"`)
		case r.Method == http.MethodDelete:
			w.WriteHeader(http.StatusNoContent)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer bucket.Close()
	cfg := config.Config{WaitFor: 10 * time.Minute, DatabaseURL: "", Blob: config.Blob{
		URL: "s3://files?endpoint=" + bucket.URL + "&region=here", AccessKey: "a", SecretKey: "b"}}
	s, said, err := waiting(t, cfg, func() { open.Store(true) })
	if err != nil {
		t.Fatalf("%v, after %q", err, said)
	}
	if got := strings.Join(said, "; "); !strings.HasSuffix(got, "waiting for the storage of files, which does not answer; the storage of files answers") {
		t.Errorf("said %q", got)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}
