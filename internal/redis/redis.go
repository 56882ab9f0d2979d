// Package redis counts requests of all servers together, in one Redis or Valkey. It knows no
// rule of the service.
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

// take runs by its sum, and is sent whole where the server does not know it.
var take = redis.NewScript(1, takeText)

const (
	// patience is how long a server has to take a connection, to shake hands where there is TLS, and
	// to answer. Requests wait for it.
	patience = 100 * time.Millisecond
	// Connections that are kept open while nobody counts, and for how long.
	idle    = 16
	idleFor = 4 * time.Minute
	// firstPause is for how long a server is left alone after a failure, doubled by each further
	// one up to lastPause.
	firstPause = 250 * time.Millisecond
	lastPause  = 8 * time.Second
)

// Limits counts requests against limits. It is safe for concurrent use.
type Limits struct {
	pool   *redis.Pool
	prefix string
	log    *slog.Logger
	now    func() time.Time

	observe func(ctx context.Context, took time.Duration, err error)

	counted, alone atomic.Int64

	mu      sync.Mutex
	pause   time.Duration // 0: the server answers
	until   time.Time     // nobody asks before
	probing bool          // somebody does, after a pause
}

// Options say where to count.
type Options struct {
	URL    string         // redis:// or rediss://, with user, password and number of the database
	Prefix string         // of all keys
	Roots  *x509.CertPool // by which a server with TLS is trusted; nil for the system's
	Log    *slog.Logger
	Now    func() time.Time // of pauses; nil means time.Now
	// Observe, if not nil, is told of each request that the server was asked to count.
	Observe func(ctx context.Context, took time.Duration, err error)
}

// New makes it. It connects when it first counts; an error is about the URL.
func New(o Options) (*Limits, error) {
	if err := Check(o.URL); err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	roots := o.Roots
	if roots == nil && strings.HasPrefix(o.URL, "rediss:") { // read now: the first request would not wait for that
		var err error
		if roots, err = x509.SystemCertPool(); err != nil {
			return nil, fmt.Errorf("redis: the system's authorities: %w", err)
		}
	}
	// A server does all in one thread: it signs once for each of us, and not for each connection.
	secure := &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12, ClientSessionCache: tls.NewLRUClientSessionCache(1)}
	l := &Limits{prefix: o.Prefix, log: o.Log, now: o.Now, observe: o.Observe}
	l.pool = &redis.Pool{MaxIdle: idle, IdleTimeout: idleFor, Dial: func() (redis.Conn, error) {
		return redis.DialURL(o.URL, redis.DialConnectTimeout(patience), redis.DialTLSHandshakeTimeout(patience),
			redis.DialReadTimeout(patience), redis.DialWriteTimeout(patience), redis.DialTLSConfig(secure))
	}}
	return l, nil
}

// Close ends all connections.
func (l *Limits) Close() error { return l.pool.Close() }

// Counted is what came of a request.
type Counted struct {
	Allowed   bool
	Remaining int           // that are left just now
	Reset     time.Duration // until the whole limit is there again
	Retry     time.Duration // until one more is allowed; 0 if this one was
}

// Take counts one request of key against so many in a window, of which the last may all come at
// once. Of any number of calls, on any number of servers, those that fit are allowed. It is false
// where the server is away: then nothing is counted, and for a while nobody waits for it but one
// caller now and then. The context is for who observes: patience is short, so nothing cancels it.
func (l *Limits) Take(ctx context.Context, key string, limit int, window time.Duration) (c Counted, ok bool) {
	if !l.mayAsk() {
		l.alone.Add(1)
		return c, false
	}
	begun := time.Now()
	c, err := l.ask(key, limit, window)
	l.heard(err)
	if l.observe != nil {
		l.observe(ctx, time.Since(begun), err)
	}
	if err != nil {
		l.alone.Add(1)
		return c, false
	}
	l.counted.Add(1)
	return c, true
}

func (l *Limits) ask(key string, limit int, window time.Duration) (c Counted, err error) {
	conn := l.pool.Get()
	defer func() { _ = conn.Close() }() // back to the pool
	got, err := redis.Int64s(take.Do(conn, l.prefix+key, limit, window.Microseconds()))
	if err == nil && len(got) != 4 {
		err = fmt.Errorf("redis: the script gives %d numbers", len(got))
	}
	if err != nil {
		return c, err
	}
	return Counted{Allowed: got[0] == 1, Remaining: int(got[1]),
		Reset: time.Duration(got[2]) * time.Microsecond, Retry: time.Duration(got[3]) * time.Microsecond}, nil
}

// mayAsk reports whether the server is asked: always while it answers, and else by one at a time,
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

// heard notes whether the server answered, and says in the log when that changes.
func (l *Limits) heard(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.pause
	switch {
	case err == nil:
		l.pause = 0
	case was == 0:
		l.pause = firstPause
	case l.probing: // those that had asked before the first failure was known change nothing
		l.pause = min(2*was, lastPause)
	}
	l.probing = l.probing && err != nil && was == 0
	if err != nil {
		l.until = l.now().Add(l.pause)
	}
	switch {
	case err != nil && was == 0:
		l.log.WarnContext(context.Background(), "Redis does not answer: each server limits requests by itself", "error", err)
	case err == nil && was != 0:
		l.log.InfoContext(context.Background(), "Redis answers: requests are limited over all servers")
	}
}

// Stats are what became of requests since the process began.
type Stats struct {
	Counted, Alone int64 // by the server, and by this process where it was away
	Away           bool
}

// Stats gives what is measured.
func (l *Limits) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Stats{Counted: l.counted.Load(), Alone: l.alone.Load(), Away: l.pause != 0}
}
