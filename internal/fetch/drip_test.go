package fetch

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// fetchFrom fetches from a server whose connections are served by say, in a synctest bubble, and
// returns how long it took.
func fetchFrom(t *testing.T, url string, say func(conn net.Conn)) (took time.Duration, err error) {
	t.Helper()
	var servers sync.WaitGroup
	c := New(Options{})
	c.transport.(*http.Transport).DialContext = func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		servers.Go(func() {
			defer func() { _ = theirs.Close() }()
			say(theirs)
		})
		return ours, nil
	}
	start := time.Now()
	resp, err := c.Get(t.Context(), Request{URL: url, MaxBytes: 10 << 20})
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body)
		err = errors.Join(err, resp.Body.Close())
	}
	took = time.Since(start)
	c.Close()
	servers.Wait()
	return took, err
}

// ask reads a request.
func ask(conn net.Conn) { _, _ = http.ReadRequest(bufio.NewReader(conn)) }

// drip writes n parts, one each second, until the client disconnects.
func drip(w io.Writer, part string, n int) {
	for range n {
		time.Sleep(time.Second)
		if _, err := io.WriteString(w, part); err != nil {
			return
		}
	}
}

const head = "HTTP/1.1 200 OK\r\nConnection: close\r\n"

// A server that drips is given up soon, in any phase of a fetch. A slow but steady body, or one
// with pauses, is read to its end. The clock is synctest's.
func TestDrips(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		say  func(conn net.Conn)
		most time.Duration
		want string // the reason, or "" for a complete body
	}{
		"the body": {func(conn net.Conn) {
			_, _ = io.WriteString(conn, head+"\r\n")
			drip(conn, ".", 1000)
		}, 16 * time.Second, "The server sends too slowly"},
		"the body, after a burst": {func(conn net.Conn) {
			_, _ = io.WriteString(conn, head+"\r\n"+strings.Repeat(".", 1<<20))
			drip(conn, ".", 1000)
		}, 16 * time.Second, "The server sends too slowly"},
		"the headers": {func(conn net.Conn) {
			_, _ = io.WriteString(conn, head)
			drip(conn, "X: y\r\n", 1000)
		}, 16 * time.Second, "The server took too long"},
		"redirects": {func(conn net.Conn) {
			time.Sleep(6 * time.Second)
			_, _ = io.WriteString(conn, "HTTP/1.1 302 Found\r\nConnection: close\r\nContent-Length: 0\r\nLocation: /\r\n\r\n")
		}, 21 * time.Second, "The server took too long"},
		"a slow and steady body": {func(conn net.Conn) {
			_, _ = io.WriteString(conn, head+"\r\n")
			drip(conn, strings.Repeat(".", 3<<10), 50)
		}, time.Minute, ""},
		"pauses": {func(conn net.Conn) {
			_, _ = io.WriteString(conn, head+"\r\n")
			for range 4 {
				time.Sleep(12 * time.Second)
				_, _ = io.WriteString(conn, strings.Repeat(".", 1<<20))
			}
		}, time.Minute, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				took, err := fetchFrom(t, "http://a.example/", func(conn net.Conn) { ask(conn); c.say(conn) })
				var reason string
				if e, ok := errors.AsType[*Error](err); ok {
					reason = e.Reason
				}
				if reason != c.want || (err == nil) != (c.want == "") || took > c.most {
					t.Errorf("after %s: %v", took, err)
				}
			})
		})
	}
}

// A server that drips during the handshake is given up too.
func TestDripsInHandshake(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		took, err := fetchFrom(t, "https://a.example/", func(conn net.Conn) {
			go func() { _, _ = io.Copy(io.Discard, conn) }()
			_, _ = io.WriteString(conn, "\x16\x03\x03\x10\x00") // a record of 4 KiB
			drip(conn, "\x02", 1000)
		})
		if err == nil || took > 21*time.Second {
			t.Errorf("after %s: %v", took, err)
		}
	})
}
