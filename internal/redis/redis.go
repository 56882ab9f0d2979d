// Package redis counts requests of all servers together in a Redis or Valkey server. It is independent of
// the service's limits.
package redis

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	_ "embed"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gomodule/redigo/redis"
)

//go:embed take.lua
var takeText string

// take runs by its hash, and is only sent in full if the server does not know it.
var take = redis.NewScript(1, takeText)

const (
	// timeout is the timeout for connecting, the TLS handshake and a reply. Requests wait for it.
	timeout = 100 * time.Millisecond
	// Idle connections that are kept open, and for how long.
	idle    = 16
	idleFor = 4 * time.Minute
	// firstPause is how long no request is sent after a failure. Each further failure doubles it, up to
	// lastPause.
	firstPause = 250 * time.Millisecond
	lastPause  = 8 * time.Second
)

// Limits enforces rate limits. It is safe for concurrent use.
type Limits struct {
	pool   *redis.Pool
	prefix string
	log    *slog.Logger
	now    func() time.Time

	observe func(ctx context.Context, took time.Duration, err error)

	counted, local atomic.Int64

	mu      sync.Mutex
	pause   time.Duration // 0 while the server answers
	until   time.Time     // no requests before then
	probing bool          // one request is testing the server after a pause
}

// Options configure Limits.
type Options struct {
	URL    string         // redis:// or rediss://, with user, password and database number
	Prefix string         // of all keys
	Roots  *x509.CertPool // trusted certificate authorities; nil for those of the system
	Log    *slog.Logger
	Now    func() time.Time // clock for pauses; nil for time.Now
	// Observe, if not nil, is called after each request to the server.
	Observe func(ctx context.Context, took time.Duration, err error)
}

// New returns limits. It connects when it first counts, and only returns errors about the URL.
func New(o Options) (*Limits, error) {
	if err := Check(o.URL); err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	roots := o.Roots
	if roots == nil && strings.HasPrefix(o.URL, "rediss:") { // load them now, because the first request would time out
		var err error
		if roots, err = x509.SystemCertPool(); err != nil {
			return nil, fmt.Errorf("redis: load the certificate authorities of the system: %w", err)
		}
	}
	// The session cache saves signatures, which block the server's only thread.
	secure := &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12, ClientSessionCache: tls.NewLRUClientSessionCache(1)}
	l := &Limits{prefix: o.Prefix, log: o.Log, now: o.Now, observe: o.Observe}
	l.pool = &redis.Pool{MaxIdle: idle, IdleTimeout: idleFor, Dial: func() (redis.Conn, error) {
		return redis.DialURL(o.URL, redis.DialConnectTimeout(timeout), redis.DialTLSHandshakeTimeout(timeout),
			redis.DialReadTimeout(timeout), redis.DialWriteTimeout(timeout), redis.DialTLSConfig(secure))
	}}
	return l, nil
}

// Close closes all connections.
func (l *Limits) Close() error { return l.pool.Close() }

// Counted is the result of a counted request.
type Counted struct {
	Allowed   bool
	Remaining int           // requests that are currently left
	Reset     time.Duration // until the whole limit is available
	Retry     time.Duration // until another request is allowed; 0 if this one was
}

// Take counts a request of key against a limit per window. The whole limit may be used at once. The
// result is exact for concurrent calls on any number of servers. ok is false if Redis is
// unavailable. Then nothing is counted, and for a while only one caller at a time tries again. ctx
// is only passed to the observer: nothing cancels the request, because its timeout is short.
func (l *Limits) Take(ctx context.Context, key string, limit int, window time.Duration) (c Counted, ok bool) {
	if !l.mayAsk() {
		l.local.Add(1)
		return c, false
	}
	start := time.Now()
	c, err := l.ask(key, limit, window)
	l.heard(err)
	if l.observe != nil {
		l.observe(ctx, time.Since(start), err)
	}
	if err != nil {
		l.local.Add(1)
		return c, false
	}
	l.counted.Add(1)
	return c, true
}

func (l *Limits) ask(key string, limit int, window time.Duration) (c Counted, err error) {
	conn := l.pool.Get()
	defer func() { _ = conn.Close() }() // returns it to the pool
	got, err := redis.Int64s(take.Do(conn, l.prefix+key, limit, window.Microseconds()))
	if err == nil && len(got) != 4 {
		err = fmt.Errorf("redis: the script returned %d numbers", len(got))
	}
	if err != nil {
		return c, err
	}
	return Counted{Allowed: got[0] == 1, Remaining: int(got[1]),
		Reset: time.Duration(got[2]) * time.Microsecond, Retry: time.Duration(got[3]) * time.Microsecond}, nil
}

// mayAsk reports whether to send a request: always while the server answers, and otherwise one at a time
// after a pause.
func (l *Limits) mayAsk() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pause == 0 {
		return true
	}
	if l.probing || l.now().Before(l.until) {
		return false
	}
	l.probing = true
	return true
}

// heard records whether the server answered, and logs changes.
func (l *Limits) heard(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.pause
	switch {
	case err == nil:
		l.pause = 0
	case was == 0:
		l.pause = firstPause
	case l.probing: // requests from before the first failure change nothing
		l.pause = min(2*was, lastPause)
	}
	l.probing = l.probing && err != nil && was == 0
	if err != nil {
		l.until = l.now().Add(l.pause)
	}
	switch {
	case err != nil && was == 0:
		l.log.WarnContext(context.Background(), "Redis does not answer: each server now limits requests on its own", "error", err)
	case err == nil && was != 0:
		l.log.InfoContext(context.Background(), "Redis answers again: requests are limited across all servers")
	}
}

// Stats counts requests since the process started.
type Stats struct {
	Counted, Alone int64 // counted by Redis, or only in this process
	Away           bool
}

// Stats returns the statistics.
func (l *Limits) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Stats{Counted: l.counted.Load(), Alone: l.local.Load(), Away: l.pause != 0}
}
