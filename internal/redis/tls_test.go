package redis_test

import (
	"bytes"
	"crypto/x509"
	"log/slog"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/redis"
	"vitrine/internal/redis/redistest"
)

// The only account of a server, with the permissions listed in docs/operators.md.
const (
	user   = "vitrine"
	secret = "p@ss:w/rd?"
)

var account = []string{"--requirepass", secret, "--user", user, "on", ">" + secret, "~test:*", "+eval", "+evalsha", "+get", "+set", "+time"}

func trusting(t *testing.T, file string) *x509.CertPool {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		t.Fatal("no certificate")
	}
	return roots
}

// A TLS server is used only if its certificate is trusted and accepts the user and password. Otherwise
// nothing is counted, and the log contains the reason but not the password.
func TestTLS(t *testing.T) {
	t.Parallel()
	s, other, plain := redistest.ServeTLS(t, account...), redistest.ServeTLS(t), redistest.Start(t)
	right, wrong := trusting(t, s.Authority), trusting(t, other.Authority)
	_, port, err := net.SplitHostPort(s.Address)
	if err != nil {
		t.Fatal(err)
	}
	who := url.UserPassword(user, secret)
	for name, of := range map[string]struct {
		url   url.URL
		roots *x509.CertPool
		says  string // log message; "" if it counts
	}{
		"user and password":    {url.URL{Scheme: "rediss", User: who, Host: s.Address}, right, ""},
		"password alone":       {url.URL{Scheme: "rediss", User: url.UserPassword("", secret), Host: s.Address}, right, ""},
		"no account is needed": {url.URL{Scheme: "rediss", Host: other.Address}, wrong, ""},
		"no password":          {url.URL{Scheme: "rediss", Host: s.Address}, right, "NOAUTH"},
		"another password":     {url.URL{Scheme: "rediss", User: url.UserPassword(user, secret+"x"), Host: s.Address}, right, "WRONGPASS"},
		"another user":         {url.URL{Scheme: "rediss", User: url.UserPassword("nobody", secret), Host: s.Address}, right, "WRONGPASS"},
		"another authority":    {url.URL{Scheme: "rediss", User: who, Host: s.Address}, wrong, "certificate"},
		"the system's":         {url.URL{Scheme: "rediss", User: who, Host: s.Address}, nil, "certificate"},
		"another name":         {url.URL{Scheme: "rediss", User: who, Host: "localhost:" + port}, right, "certificate"},
		"TLS is not asked for": {url.URL{Scheme: "redis", User: who, Host: s.Address}, right, "error="},
		"there is no TLS":      {url.URL{Scheme: "rediss", Host: plain}, right, "error="},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 50 { // a slow machine may exceed the timeout
				var log bytes.Buffer // contains only the first failure
				l, err := redis.New(redis.Options{URL: of.url.String(), Prefix: "test:", Roots: of.roots, Log: slog.New(slog.NewTextHandler(&log, nil))})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = l.Close() })
				counted, ok := l.Take(t.Context(), name, 100, time.Hour)
				switch said := log.String(); {
				case ok && (of.says != "" || !counted.Allowed):
					t.Fatalf("%+v is counted, want %q", counted, of.says)
				case ok:
					return
				case of.says != "" && strings.Contains(said, of.says):
					if !l.Stats().Away || strings.Contains(said, secret) || strings.Contains(said, url.QueryEscape(secret)) {
						t.Errorf("away: %v; %s", l.Stats().Away, said)
					}
					return
				case !strings.Contains(said, "timeout"):
					t.Fatalf("it says %s, want %q", said, of.says)
				}
			}
			t.Errorf("it never says %q", of.says)
		})
	}
}

// Three servers that use TLS count exactly, too.
func TestTLSIsExact(t *testing.T) {
	t.Parallel()
	s := redistest.ServeTLS(t, account...)
	address := url.URL{Scheme: "rediss", User: url.UserPassword(user, secret), Host: s.Address}
	const limit, atOnce, each = 47, 6, 5
	for try := range 20 { // on a slow machine a request may time out after it was counted
		var allowed, alone atomic.Int64
		var all sync.WaitGroup
		for range 3 {
			l := newLimitsAt(t, address.String(), trusting(t, s.Authority), nil)
			for range atOnce {
				all.Go(func() {
					for range each {
						switch c, ok := l.Take(t.Context(), strconv.Itoa(try), limit, 1000*time.Hour); {
						case !ok:
							alone.Add(1)
						case c.Allowed:
							allowed.Add(1)
						}
					}
				})
			}
		}
		all.Wait()
		if allowed.Load() > limit || alone.Load() == 0 && allowed.Load() < limit {
			t.Fatalf("%d are allowed, want %d", allowed.Load(), limit)
		}
		if alone.Load() == 0 {
			return
		}
	}
	t.Error("Redis does not answer in time")
}
