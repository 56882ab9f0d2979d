package main

import (
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// answer is a recorded response.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// bare is the handler to compare with: it writes the bytes that Vitrine wrote, with
// the same header fields, and does nothing else.
type bare struct {
	answers atomic.Pointer[map[string]answer] // by address
}

func (b *bare) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a, known := (*b.answers.Load())[r.RequestURI]
	if !known {
		a = (*b.answers.Load())[""]
	}
	if r.Body != http.NoBody {
		_, _ = io.Copy(io.Discard, r.Body) // what is lost here the client notices
	}
	h := w.Header()
	for name, values := range a.header {
		h[name] = values
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body)
}

// serve serves it with the timeouts that the real server has.
func (b *bare) serve(l net.Listener) *http.Server {
	s := &http.Server{Handler: b, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
	go func() { _ = s.Serve(l) }() // ends with Close
	return s
}

// record sends a request to Vitrine and keeps its answer. What net/http writes by
// itself is left to it.
func record(addr string, r request) (answer, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.Write(r.bytes(addr)); err != nil {
		return answer{}, err
	}
	res, err := readResponse(conn, r.method)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	a := answer{status: res.StatusCode, header: res.Header}
	a.header.Del("Date")
	a.body, err = io.ReadAll(res.Body)
	return a, err
}
