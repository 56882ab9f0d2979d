package redis_test

import (
	"crypto/x509"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	client "github.com/gomodule/redigo/redis"

	"vitrine/internal/redis"
	"vitrine/internal/redis/redistest"
)

// clock is a clock that tests can set.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time          { return time.Unix(0, c.at.Load()) }
func (c *clock) advance(d time.Duration) { c.at.Add(int64(d)) }

func newLimits(t *testing.T, address string, now func() time.Time) *redis.Limits {
	t.Helper()
	return newLimitsAt(t, "redis://"+address, nil, now)
}

func newLimitsAt(t *testing.T, url string, roots *x509.CertPool, now func() time.Time) *redis.Limits {
	t.Helper()
	l, err := redis.New(redis.Options{URL: url, Roots: roots, Prefix: "test:", Log: slog.New(slog.DiscardHandler), Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// Three servers together allow exactly the limit. The window is so long that no request becomes available
// again during the test.
func TestTakeIsExact(t *testing.T) {
	t.Parallel()
	address := redistest.Start(t)
	const limit, each = 47, 60
	for _, key := range []string{"a", "b"} {
		var allowed, unknown atomic.Int64
		var all sync.WaitGroup
		for range 3 {
			l := newLimits(t, address, nil)
			for range each {
				all.Go(func() {
					for range 100 { // a slow machine may exceed the timeout
						if c, ok := l.Take(t.Context(), key, limit, 1000*time.Hour); ok {
							if c.Allowed {
								allowed.Add(1)
							}
							return
						}
						time.Sleep(50 * time.Millisecond)
					}
					unknown.Add(1)
				})
			}
		}
		all.Wait()
		if allowed.Load() != limit || unknown.Load() != 0 {
			t.Errorf("%s: %d are allowed, want %d; %d were not counted", key, allowed.Load(), limit, unknown.Load())
		}
	}
}

// counted retries until the server answers.
func counted(t *testing.T, l *redis.Limits, key string, limit int, window time.Duration) redis.Counted {
	t.Helper()
	for range 100 {
		if c, ok := l.Take(t.Context(), key, limit, window); ok {
			return c
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("Redis does not answer")
	return redis.Counted{}
}

func TestTake(t *testing.T) {
	t.Parallel()
	address := redistest.Start(t)
	l := newLimits(t, address, nil)
	const window = 3000 * time.Hour
	for left := 2; left >= 0; left-- {
		c := counted(t, l, "k", 3, window)
		if !c.Allowed || c.Remaining != left || c.Retry != 0 || c.Reset <= window/3*time.Duration(2-left) || c.Reset > window/3*time.Duration(3-left) {
			t.Errorf("%+v, want %d left", c, left)
		}
	}
	for range 2 {
		if c := counted(t, l, "k", 3, window); c.Allowed || c.Remaining != 0 || c.Retry <= 0 || c.Retry > window/3 {
			t.Errorf("over the limit: %+v", c)
		}
	}
	conn, err := client.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if left, err := client.Int64(conn.Do("PTTL", "test:k")); err != nil || left <= 0 || left > window.Milliseconds() {
		t.Errorf("the key ends in %d ms, %v", left, err)
	}
	// A server that has lost the script gets it again. After its clock was set back or its limits were
	// reduced, no key is blocked for longer than a window.
	if _, err := conn.Do("SCRIPT", "FLUSH"); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Do("SET", "test:k", "9000000000000000"); err != nil {
		t.Fatal(err)
	}
	if c, ok := l.Take(t.Context(), "k", 3, window); !ok || c.Allowed || c.Reset > window || c.Retry > window/3 {
		t.Errorf("%+v, %v", c, ok)
	}
	// A limit that is too large to be represented allows everything.
	for range 3 {
		if c := counted(t, l, "many", 1<<30, time.Minute); !c.Allowed {
			t.Errorf("%+v", c)
		}
	}
}

// proxy is a proxy that forwards connections, closes them, or does not respond.
type proxy struct {
	to    string
	mode  atomic.Int32 // passes, refuses, silent
	calls atomic.Int64 // number of connections

	mu   sync.Mutex
	open []net.Conn
}

const (
	passes = iota
	refuses
	silent
)

func newProxy(t *testing.T, to string) (*proxy, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &proxy{to: to}
	t.Cleanup(func() {
		_ = l.Close()
		g.set(refuses)
	})
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			g.calls.Add(1)
			g.keep(in)
			switch g.mode.Load() {
			case refuses:
				_ = in.Close()
			case passes:
				if out, err := net.Dial("tcp", g.to); err == nil {
					g.keep(out)
					go func() { _, _ = io.Copy(out, in) }()
					go func() { _, _ = io.Copy(in, out) }()
				}
			}
		}
	}()
	return g, l.Addr().String()
}

func (g *proxy) keep(c net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open = append(g.open, c)
}

// set changes the mode, and closes existing connections.
func (g *proxy) set(mode int32) {
	g.mode.Store(mode)
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range g.open {
		_ = c.Close()
	}
	g.open = nil
}

// A server that is unavailable or does not respond gets a request now and then, and is used again once it
// answers.
func TestAway(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		mode int32
		tls  bool
	}{"refuses": {refuses, false}, "silent": {silent, false}, "refuses TLS": {refuses, true}, "silent in the handshake": {silent, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, scheme, roots := redistest.Serve, "redis://", (*x509.CertPool)(nil)
			if of.tls {
				s, scheme = redistest.ServeTLS, "rediss://"
			}
			server := s(t)
			if of.tls {
				roots = trusting(t, server.Authority)
			}
			g, address := newProxy(t, server.Address)
			at := new(clock)
			l := newLimitsAt(t, scheme+address, roots, at.now)
			for tries := 0; ; tries++ { // on a slow machine the first request may time out
				if _, ok := l.Take(t.Context(), "k", 10, time.Hour); ok || tries > 100 {
					break
				}
				at.advance(time.Minute)
			}
			if l.Stats().Away {
				t.Fatal("Redis does not answer")
			}
			g.set(of.mode)
			if _, ok := l.Take(t.Context(), "k", 10, time.Hour); ok || !l.Stats().Away {
				t.Fatal("a server that is away has counted")
			}
			before := g.calls.Load()
			for range 100 {
				if _, ok := l.Take(t.Context(), "k", 10, time.Hour); ok {
					t.Fatal("a server that is away has counted")
				}
			}
			if n := g.calls.Load() - before; n != 0 {
				t.Errorf("100 requests have asked it %d times", n)
			}
			at.advance(time.Minute)
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() { l.Take(t.Context(), "k", 10, time.Hour) })
			}
			all.Wait()
			if n := g.calls.Load() - before; n > 1 {
				t.Errorf("after the pause %d have asked it at once", n)
			}
			g.set(passes)
			back := false
			for range 100 {
				at.advance(time.Minute)
				if _, back = l.Take(t.Context(), "k", 10, time.Hour); back {
					break
				}
			}
			if s := l.Stats(); !back || s.Away || s.Counted < 2 || s.Alone < 121 {
				t.Errorf("back: %v, %+v", back, s)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"redis://host", "redis://host:6379", "rediss://u:secret@host:6380/2", "redis://[::1]:6379/"} {
		if err := redis.Check(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{"", "host:6379", "http://host", "redis://", "redis://:6379", "redis:host", "redis://u:secret@host/x",
		"redis://host/-1", "redis://host?x=1", "redis://u:secret@ho st", "redis://u:sec\x00ret@host"} {
		if err := redis.Check(bad); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
