package drive

import (
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// Answer is a recorded response.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Bare is the handler for comparison: it only writes the bytes and header fields that Vitrine wrote.
type Bare struct {
	answers atomic.Pointer[map[string]Answer] // by path
}

// Know sets the answers by path. Other paths get the answer of "".
func (b *Bare) Know(answers map[string]Answer) { b.answers.Store(&answers) }

func (b *Bare) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a, known := (*b.answers.Load())[r.RequestURI]
	if !known {
		a = (*b.answers.Load())[""]
	}
	if r.Body != http.NoBody {
		_, _ = io.Copy(io.Discard, r.Body) // the client notices errors
	}
	h := w.Header()
	for name, values := range a.Header {
		h[name] = values
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body)
}

// Serve serves the handler with the timeouts of the real server.
func (b *Bare) Serve(l net.Listener) *http.Server {
	s := &http.Server{Handler: b, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
	go func() { _ = s.Serve(l) }() // until Close
	return s
}

// Record sends a request and returns its response. Header fields that net/http adds are omitted.
func Record(addr string, r Request) (Answer, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.Write(r.Bytes(addr)); err != nil {
		return Answer{}, err
	}
	res, err := readResponse(conn, r.Method)
	if err != nil {
		return Answer{}, err
	}
	defer res.Body.Close()
	a := Answer{Status: res.StatusCode, Header: res.Header}
	a.Header.Del("Date")
	a.Body, err = io.ReadAll(res.Body)
	return a, err
}
