// Package drive sends requests to servers over loopback and measures them. It contains the bare handler for comparison.
package drive

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Request is one HTTP/1.1 request.
type Request struct {
	Method, Path, Body string
	Header             []string // "Name: value"
}

// Get returns a GET request; each header is "Name: value".
func Get(path string, header ...string) Request {
	return Request{Method: http.MethodGet, Path: path, Header: header}
}

// For prepares a request for a host.
func (r Request) For(host string) Prepared { return Prepared{r, r.Bytes(host)} }

// Bytes returns the encoded request.
func (r Request) Bytes(host string) []byte {
	lines := append([]string{r.Method + " " + r.Path + " HTTP/1.1", "Host: " + host}, r.Header...)
	if r.Body != "" {
		lines = append(lines, "Content-Type: application/json", "Content-Length: "+strconv.Itoa(len(r.Body)))
	}
	return []byte(strings.Join(lines, "\r\n") + "\r\n\r\n" + r.Body)
}

// Sender sends requests one after the other. It writes the bodies of responses to keep if that is not nil.
type Sender interface {
	Do(r Prepared, keep *bytes.Buffer) (status int, err error)
	Close()
}

// Prepared is a request in the form for either client.
type Prepared struct {
	Request
	Raw []byte
}

// client is a keep-alive connection. It does the minimum that HTTP/1.1 requires of a client, so that its own work hardly
// affects the measurement.
type client struct {
	conn net.Conn
	in   *bufio.Reader
}

// slowest is the timeout of a response, after which the measurement fails.
const slowest = 30 * time.Second

// Dial connects a minimal client.
func Dial(addr string) (*client, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &client{conn, bufio.NewReaderSize(conn, 64<<10)}, conn.SetDeadline(time.Now().Add(10 * slowest))
}

func (c *client) Close() { _ = c.conn.Close() } // no unsent data can be lost

func (c *client) Do(r Prepared, keep *bytes.Buffer) (status int, err error) {
	if _, err := c.conn.Write(r.Raw); err != nil {
		return 0, err
	}
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	if len(line) < 12 {
		return 0, fmt.Errorf("status line %q", line)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, err
	}
	length, chunked, err := c.head()
	if err != nil {
		return 0, err
	}
	body := io.Writer(io.Discard)
	if keep != nil {
		body = keep
	}
	switch {
	case status == 204 || status == 304:
		return status, nil
	case chunked:
		return status, c.chunks(body)
	case length < 0:
		return 0, errors.New("an answer of unknown length")
	}
	return status, c.copy(body, length)
}

// head reads header lines; length is -1 if it is not given.
func (c *client) head() (length int, chunked bool, err error) {
	for length = -1; ; {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return 0, false, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			return length, chunked, nil
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(value)); err != nil {
				return 0, false, err
			}
		}
		chunked = chunked || bytes.Equal(line, []byte("Transfer-Encoding: chunked"))
	}
}

func (c *client) chunks(body io.Writer) error {
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		n, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 16, 32)
		if err != nil {
			return err
		}
		if err := c.copy(body, int(n)); err != nil {
			return err
		}
		if _, err := c.in.Discard(2); err != nil || n == 0 {
			return err
		}
	}
}

// copy moves n bytes from the reader's buffer directly.
func (c *client) copy(body io.Writer, n int) error {
	for n > 0 {
		if _, err := c.in.Peek(1); err != nil {
			return err
		}
		part, err := c.in.Peek(min(n, c.in.Buffered()))
		if err != nil {
			return err
		}
		if _, err := body.Write(part); err != nil {
			return err
		}
		if _, err := c.in.Discard(len(part)); err != nil {
			return err
		}
		n -= len(part)
	}
	return nil
}
