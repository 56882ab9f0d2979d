package fetch_test

import (
	"bytes"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine/internal/fetch"
)

func TestStatuses(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		status, err := strconv.Atoi(r.URL.Path[1:])
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Retry-After", r.URL.Query().Get("retry"))
		w.WriteHeader(status)
	})
	c := client(t, fetch.Options{PerHost: 1})
	for path, want := range map[string]fetch.Error{
		"300":           {Reason: "The server answered 300 Multiple Choices", Status: 300},
		"304":           {Reason: "The server answered 304 Not Modified", Status: 304},
		"401":           {Reason: "The server answered 401 Unauthorized", Status: 401},
		"404?retry=5":   {Reason: "The server answered 404 Not Found", Status: 404},
		"408":           {Reason: "The server answered 408 Request Timeout", Status: 408, Temporary: true},
		"410":           {Reason: "The server answered 410 Gone", Status: 410},
		"425":           {Reason: "The server answered 425 Too Early", Status: 425, Temporary: true},
		"429?retry=120": {Reason: "The server answered 429 Too Many Requests", Status: 429, Temporary: true, RetryAfter: 2 * time.Minute},
		"429?retry=Wed,+21+Oct+2015+07:28:00+GMT": {Reason: "The server answered 429 Too Many Requests", Status: 429, Temporary: true},
		"429?retry=Thu,+21+Oct+2315+07:28:00+GMT": {Reason: "The server answered 429 Too Many Requests", Status: 429, Temporary: true, RetryAfter: time.Hour},
		"500":              {Reason: "The server answered 500 Internal Server Error", Status: 500, Temporary: true},
		"503?retry=999999": {Reason: "The server answered 503 Service Unavailable", Status: 503, Temporary: true, RetryAfter: time.Hour},
		"599":              {Reason: "The server answered 599", Status: 599, Temporary: true},
		"999":              {Reason: "The server answered 999", Status: 999},
	} {
		if e := failure(t, c, fetch.Request{URL: url + "/" + path, MaxBytes: mib}); *e != want {
			t.Errorf("%s: got %+v", path, *e)
		}
	}
}

// notPublic is the reason for unknown names and for those that are not public.
const notPublic = "The host of the address does not exist or is not public"

func TestNames(t *testing.T) {
	t.Parallel()
	c := client(t, fetch.Options{Resolver: resolver(func(name string) []string {
		return map[string][]string{"outage.example": {"::"}}[name]
	})})
	for url, want := range map[string]fetch.Error{
		"http://missing.example/": {Reason: notPublic},
		"http://outage.example/":  {Reason: "The host of the address could not be looked up", Temporary: true},
	} {
		if e := failure(t, c, fetch.Request{URL: url}); e.Reason != want.Reason || e.Temporary != want.Temporary {
			t.Errorf("%s: got %v", url, e)
		}
	}
}

// raw starts a server that sends a fixed text on each connection, and hangs up.
func raw(t *testing.T, text string) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 4096))
			_, _ = conn.Write([]byte(text))
			_ = conn.Close()
		}
	}()
	return listener.Addr().String()
}

func TestBrokenServers(t *testing.T) {
	t.Parallel()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	const unreadable, insecure = "The server's answer could not be read", "No secure connection to the server is possible"
	for name, test := range map[string]struct {
		url       string
		want      string
		temporary bool
	}{
		"refused":          {"http://" + closed.Addr().String(), "The server could not be reached", true},
		"hangs up":         {"http://" + raw(t, ""), unreadable, true},
		"another protocol": {"http://" + raw(t, "220 mail.example ESMTP\r\n"), unreadable, true},
		"http on https":    {"https://" + raw(t, "HTTP/1.1 400 Bad Request\r\n\r\n"), insecure, false},
		"ssh on https":     {"https://" + raw(t, "SSH-2.0-OpenSSH_9.2\r\n"), insecure, false},
		"alert":            {"https://" + raw(t, "\x15\x03\x03\x00\x02\x02\x28"), insecure, false},
		"endless head":     {"http://" + raw(t, "HTTP/1.1 200 OK\r\n"+strings.Repeat("X-A: "+strings.Repeat("a", 1000)+"\r\n", 200)+"\r\n"), unreadable, true},
		"endless hints":    {"http://" + raw(t, strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 50_000)), unreadable, true},
		"two lengths":      {"http://" + raw(t, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"), unreadable, true},
	} {
		if e := failure(t, client(t, fetch.Options{}), fetch.Request{URL: test.url, MaxBytes: mib}); e.Reason != test.want || e.Temporary != test.temporary {
			t.Errorf("%s: got %v", name, e)
		}
	}
}

// Large headers are accepted up to the limit.
func TestLargeHead(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", string(bytes.Repeat([]byte("a"), 100<<10)))
	})
	if _, _, err := get(t, client(t, fetch.Options{}), fetch.Request{URL: url}); err != nil {
		t.Error(err)
	}
}
