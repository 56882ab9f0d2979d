package apptest

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
)

// Listen serves on a port of the loopback interface until the test ends, and returns its address.
func (r *Rig) Listen() string {
	r.T.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		r.T.Fatal(err)
	}
	if err := r.S.Start(l); err != nil {
		r.T.Fatal(err)
	}
	return l.Addr().String()
}

// Request creates a request like Do, without sending it.
func (r *Rig) Request(as, method, path string, body any, headers ...string) *http.Request {
	r.T.Helper()
	req := httptest.NewRequestWithContext(r.T.Context(), method, Base+path, reader(r.T, body))
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if token := r.token(as); token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return req
}

// Break shuts the server down but keeps its handler, so that later requests have no database.
func (r *Rig) Break() {
	r.T.Helper()
	if err := r.Stop(context.WithoutCancel(r.T.Context())); err != nil {
		r.T.Error(err)
	}
}

// Stop calls the server's Shutdown, for tests of its behaviour.
func (r *Rig) Stop(ctx context.Context) error {
	r.broken = true
	return r.S.Shutdown(ctx)
}

// Wire is a TCP connection for sending arbitrary bytes.
type Wire struct {
	net.Conn
	r  *Rig
	In *bufio.Reader // data from the server
}

// Dial connects to a listening server.
func (r *Rig) Dial(addr string) *Wire {
	r.T.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		r.T.Fatal(err)
	}
	r.T.Cleanup(func() { _ = conn.Close() })
	return &Wire{Conn: conn, r: r, In: bufio.NewReader(conn)}
}

// Say writes text unchanged.
func (w *Wire) Say(text string) {
	w.r.T.Helper()
	if _, err := w.Write([]byte(text)); err != nil {
		w.r.T.Fatal(err)
	}
}

// Head writes the head of a request of a member of the cast. Further header fields have the form
// "Name: value".
func (w *Wire) Head(as, method, path string, fields ...string) {
	w.r.T.Helper()
	lines := append([]string{method + " " + path + " HTTP/1.1", "Host: vitrine.test"}, fields...)
	if token := w.r.token(as); token != "" {
		lines = append(lines, "Authorization: Bearer "+token)
	}
	w.Say(strings.Join(lines, "\r\n") + "\r\n\r\n")
}

// Answer reads a response to the method, including 1xx, and validates it against its description.
func (w *Wire) Answer(method, path string) *Response {
	w.r.T.Helper()
	req := httptest.NewRequest(method, Base+path, nil)
	res, err := http.ReadResponse(w.In, req)
	if err != nil {
		w.r.T.Fatal(err)
	}
	if res.StatusCode < http.StatusOK {
		return &Response{T: w.r.T, Status: res.StatusCode, Header: res.Header}
	}
	return w.r.read(req, res)
}
