package api_test

import (
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
)

// A body that ends early, or in the middle of a chunk, is a client error and changes nothing.
func TestBodyCutShort(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	addr := r.Listen()
	r.Person("ada")
	before := r.Dump()
	for name, fields := range map[string]struct{ field, body string }{
		"length":         {"Content-Length: 100", `{"title":"Cut"}`},
		"chunk":          {"Transfer-Encoding: chunked", "f\r\n{\"title\":\"Cut\"}\r\n64\r\n{"},
		"no last chunk":  {"Transfer-Encoding: chunked", "f\r\n{\"title\":\"Cut\"}\r\n"},
		"no chunk":       {"Transfer-Encoding: chunked", "{\"title\":\"Cut\"}\r\n"},
		"negative chunk": {"Transfer-Encoding: chunked", "-1\r\n{\"title\":\"Cut\"}\r\n"},
	} {
		c := r.Dial(addr)
		c.Head("ada", "POST", "/v3/channels", "Content-Type: application/json", fields.field)
		c.Say(fields.body)
		if err := c.Conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		res := c.Answer("POST", "/v3/channels")
		refused(t, name, res, http.StatusBadRequest, "body: cannot be read to its end")
		complete(t, name, res)
	}
	if diff := before.Diff(r.Dump()); diff != nil {
		t.Errorf("the database has changed: %s", diff)
	}
}

// Raw requests that net/http lets through.
func TestRawAddresses(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	addr := r.Listen()
	for target, status := range map[string]int{
		"/v3/ping":                         200,
		"http://elsewhere/v3/ping":         200, // RFC 9112 section 3.2.2
		"/v3/ping?\xff":                    200,
		"/v3/channels/\xff":                404,
		"/v3/channels/a/contents?per=\xff": 400,
		"//v3/ping":                        404,
		"/v3/../v3/ping":                   404,
		"/v3/channels/%2e%2e":              404,
		"/v3/%63hannels":                   405,
		"/v3/blocks/1%2fconnections":       400,
		"*":                                404,
	} {
		c := r.Dial(addr)
		c.Head("", "GET", target)
		res, err := http.ReadResponse(c.In, nil)
		if err != nil {
			t.Fatalf("%q: %v", target, err)
		}
		if res.StatusCode != status || !strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") {
			t.Errorf("%q: %d of type %q, want %d", target, res.StatusCode, res.Header.Get("Content-Type"), status)
		}
	}
}

// An escaped path requires a token like the plain one.
func TestEscapedPathsAreGuarded(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	for _, path := range []string{"/v3/channels", "/v3/%63hannels", "/%76%33/channels", "/v3%2Fchannels"} {
		res := r.Do("", "POST", path, `{"title":"x"}`)
		if res.Status != http.StatusUnauthorized && res.Status != http.StatusNotFound {
			t.Errorf("%s: %d", path, res.Status)
		}
	}
	if n := len(r.Dump()["channels"]); n != 0 {
		t.Errorf("%d channels were made", n)
	}
}

// A body that arrives too slowly gets 408 at the deadline, and no longer blocks others.
func TestSlowBody(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, func(c *config.Config) { c.RequestTimeout = 300 * time.Millisecond })
	addr := r.Listen()
	c := r.Dial(addr)
	c.Head("ada", "POST", "/v3/channels", "Content-Type: application/json", "Content-Length: 100")
	c.Say(`{"title":`)
	res := c.Answer("POST", "/v3/channels")
	refused(t, "slow body", res, http.StatusRequestTimeout)
	complete(t, "slow body", res)
	if !strings.Contains(res.Str("details.message"), "300ms") {
		t.Errorf("the message %q does not say how long it may take", res.Body)
	}
}
