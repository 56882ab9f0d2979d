package fetch

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
)

// heard is a connection that notifies the other side before it closes, like TLS.
type heard struct {
	net.Conn
	tell func()
}

func (h heard) Close() error {
	h.tell()
	return h.Conn.Close()
}

// If a server ends its response properly because we hung up, the response is still incomplete.
func TestEndAfterHangingUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := New(Options{})
		var server sync.WaitGroup
		c.transport.(*http.Transport).DialContext = func(context.Context, string, string) (net.Conn, error) {
			ours, theirs := net.Pipe()
			server.Go(func() {
				ask(theirs)
				_, _ = io.WriteString(theirs, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n")
				_, _ = io.Copy(io.Discard, theirs)
			})
			return heard{ours, sync.OnceFunc(func() { _, _ = io.WriteString(theirs, "0\r\n\r\n") })}, nil
		}
		resp, err := c.Get(t.Context(), Request{URL: "http://1.1.1.1/", MaxBytes: 1 << 10})
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		if e, ok := errors.AsType[*Error](err); !ok || !e.Temporary || e.Reason != "The server stopped answering" || string(got) != "half" {
			t.Errorf("%q, %v", got, err)
		}
		_ = resp.Body.Close()
		c.Close()
		server.Wait()
	})
}
