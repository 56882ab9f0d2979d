package server

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"

	"vitrine/internal/httpedge"
)

// refusals is a listener that rewrites the error responses of net/http itself to requests that
// never reach a handler (400, 417, 431, 501 and 505), so that they have the shape of all other
// errors. net/http has no hook for them, so its output is recognized. With TLS, net/http writes to
// its own connection, so there they remain plain text.
//
// A handler's response may contain the same text, for example in an uploaded file. So nothing is
// checked between the start of a handler and the end of its response.
type refusals struct{ net.Listener }

// answers makes a server tell its connections when a handler is responding.
func answers(srv *http.Server) {
	type key struct{}
	next := srv.Handler
	srv.ConnContext = func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, key{}, c) }
	srv.ConnState = func(c net.Conn, state http.ConnState) {
		if c, ok := c.(*refusing); ok && state == http.StateIdle {
			c.answering.Store(false)
		}
	}
	srv.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(key{}).(*refusing); ok {
			c.answering.Store(true)
		}
		next.ServeHTTP(w, r)
	})
}

// Accept implements net.Listener.
func (l refusals) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &refusing{Conn: conn}, nil
}

type refusing struct {
	net.Conn
	answering atomic.Bool // a handler is writing
}

// Write implements net.Conn. net/http writes each refusal with a single call.
func (c *refusing) Write(p []byte) (int, error) {
	if c.answering.Load() {
		return c.Conn.Write(p)
	}
	status, ok := refusal(p)
	if !ok {
		return c.Conn.Write(p)
	}
	if _, err := c.Conn.Write(refusalText(status)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// CloseWrite is called by net/http after a refusal, so that the client reads the response before
// the connection is reset.
func (c *refusing) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// refusalHeader follows the status line of net/http's refusals only: handlers' responses have a
// Date header.
var refusalHeader = []byte("\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")

// refusal returns the status if p is one of net/http's refusals.
func refusal(p []byte) (status int, ok bool) {
	rest, ok := bytes.CutPrefix(p, []byte("HTTP/1.1 "))
	if !ok || len(rest) < 3 || rest[0] < '4' {
		return 0, false
	}
	if status, _ = strconv.Atoi(string(rest[:3])); status == http.StatusExpectationFailed { // no handler uses this status
		return status, true
	}
	end := bytes.IndexByte(rest, '\r')
	return status, end >= 0 && bytes.HasPrefix(rest[end:], refusalHeader)
}

// refusalText returns the whole response.
func refusalText(status int) []byte {
	message := "The server does not understand this HTTP request"
	if status == http.StatusRequestHeaderFieldsTooLarge {
		message = "The header of the request is too large"
	}
	body := httpedge.ErrorBody(status, message, nil)
	return fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: %d\r\n"+
		"Cache-Control: no-store\r\nConnection: close\r\n\r\n%s", status, http.StatusText(status), len(body), body)
}
