package api_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// relay relays connections to PostgreSQL, and reads the start of each.
type relay struct {
	host    string
	port    string
	cancels atomic.Int64 // connections that request the cancellation of a statement

	network, address string // of PostgreSQL
	closing          chan struct{}
	open             sync.WaitGroup
	gate             sync.RWMutex // writers hold it for reading
	silent           sync.Once    // ends silence
}

// cancelRequest replaces the version at the start of a connection that cancels a statement (PostgreSQL documentation,
// "Message Formats").
const cancelRequest = 80877102

// newRelay relays to the server at an address until the test ends.
func newRelay(t *testing.T, to string) *relay {
	t.Helper()
	server, err := pgx.ParseConfig(to)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{closing: make(chan struct{})}
	r.network, r.address = pgconn.NetworkAddress(server.Host, server.Port)
	if r.host, r.port, err = net.SplitHostPort(l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = l.Close()
		close(r.closing)
		r.open.Wait()
	})
	r.open.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return // the test ends
			}
			r.open.Go(func() { r.pass(client) })
		}
	})
	return r
}

// url returns the URL of a database behind the relay.
func (r *relay) url(user, password, database string) string {
	u := url.URL{Scheme: "postgres", User: url.UserPassword(user, password), Host: net.JoinHostPort(r.host, r.port), Path: "/" + database, RawQuery: "sslmode=disable"}
	return u.String()
}

// silence stops all traffic until speak is called, without refusing or closing connections. Only the first call of speak
// has an effect.
func (r *relay) silence() { r.gate.Lock() }

func (r *relay) speak() { r.silent.Do(r.gate.Unlock) }

// gated writes while the relay is not silent.
type gated struct {
	net.Conn
	gate *sync.RWMutex
}

func (g gated) Write(p []byte) (int, error) {
	g.gate.RLock()
	defer g.gate.RUnlock()
	return g.Conn.Write(p)
}

// pass relays a connection.
func (r *relay) pass(client net.Conn) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r.open.Go(func() { // blocked reads and writes continue when the test ends
		select {
		case <-r.closing:
		case <-ctx.Done():
		}
		_ = client.Close()
	})
	begin := make([]byte, 8)
	if _, err := io.ReadFull(client, begin); err != nil {
		return
	}
	if binary.BigEndian.Uint32(begin[4:]) == cancelRequest {
		r.cancels.Add(1)
	}
	server, err := net.Dial(r.network, r.address)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	if _, err := (gated{server, &r.gate}).Write(begin); err != nil {
		return
	}
	r.open.Go(func() {
		_, _ = io.Copy(gated{client, &r.gate}, server) // until one side closes
		cancel()
	})
	_, _ = io.Copy(gated{server, &r.gate}, client)
}
