package server_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// Requests that net/http refuses itself get an error in the usual shape, and the connection is
// closed.
func TestRefusalsOfTheListener(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	addr := r.Listen()
	long := strings.Repeat("x", 70<<10)
	for name, c := range map[string]struct {
		head   string
		status int
	}{
		"no HTTP":             {"hello\r\n\r\n", 400},
		"no host":             {"GET /v3/ping HTTP/1.1\r\n\r\n", 400},
		"two lengths":         {"POST /v3/ping HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400},
		"a header by itself":  {"GET /v3/ping HTTP/1.1\r\nHost: x\r\nodd\r\n\r\n", 400},
		"another coding":      {"POST /v3/ping HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: odd\r\n\r\n", 501},
		"another version":     {"GET /v3/ping HTTP/3.0\r\nHost: x\r\n\r\n", 505},
		"another expectation": {"GET /v3/ping HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\n\r\n", 417},
		"a long header":       {"GET /v3/ping HTTP/1.1\r\nHost: x\r\nX-Long: " + long + "\r\n\r\n", 431},
		"a long address":      {"GET /v3/ping?" + long + " HTTP/1.1\r\nHost: x\r\n\r\n", 431},
		"a very long header":  {"GET /v3/ping HTTP/1.1\r\nHost: x\r\nX-Long: " + strings.Repeat(long, 5) + "\r\n\r\n", 431},
		"a long one of files": {"GET /files/x HTTP/1.1\r\nHost: x\r\nX-Long: " + long + "\r\n\r\n", 431},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := r.Dial(addr)
			_, _ = conn.Write([]byte(c.head)) // the server may have closed the connection already
			res, err := http.ReadResponse(conn.In, nil)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(res.Body)
			if err != nil {
				t.Fatal(err)
			}
			var said struct {
				Error   string
				Code    int
				Details struct{ Message string }
			}
			if err := json.Unmarshal(body, &said); err != nil || res.StatusCode != c.status || said.Code != c.status ||
				said.Error != http.StatusText(c.status) || said.Details.Message == "" {
				t.Errorf("%d %s (%v)", res.StatusCode, body, err)
			}
			if res.Header.Get("Content-Type") != "application/json; charset=utf-8" || !res.Close {
				t.Errorf("header %v", res.Header)
			}
			if rest, err := io.ReadAll(conn.In); len(rest) > 0 {
				t.Errorf("%q comes after that (%v)", rest, err)
			}
		})
	}
	// Mounts with their own shapes.
	for path, want := range map[string]string{"/sign-in": "text/html; charset=utf-8", "/v3/oauth/token": "application/json; charset=utf-8"} {
		res := r.Do("", "GET", path, nil, "X-Long", long)
		if res.Status != http.StatusRequestHeaderFieldsTooLarge || res.Header.Get("Content-Type") != want || res.Header.Get("Connection") != "close" {
			t.Errorf("%s: %d %v", path, res.Status, res.Header)
		}
	}
}

// Content that looks like a refusal is not rewritten, wherever in a response it appears.
func TestContentThatReadsLikeARefusal(t *testing.T) {
	t.Parallel()
	r := apptest.New(t)
	addr := r.Listen()
	const like = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request"
	file := bytes.Repeat([]byte{'.'}, 256<<10)
	for at := 32 << 10; at < len(file); at += 32 << 10 { // positions of single writes
		copy(file[at:], like)
	}
	address := r.Do("ada", "POST", "/v3/uploads/presign", `{"files":[{"filename":"like.txt","content_type":"text/plain"}]}`).
		Want(http.StatusCreated).Str("files.0.upload_url")
	r.Do("", "PUT", strings.TrimPrefix(address, apptest.Base), string(file), "Content-Type", "text/plain").Want(http.StatusOK)
	url, _, _ := strings.Cut(address, "?")
	channel := r.Channel("ada", "Files", "public")
	id := r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": url, "channel_ids": []int64{channel}}).Want(http.StatusCreated).Int("id")
	r.WorkJobs()
	path := strings.TrimPrefix(r.Get("ada", "/v3/blocks/%d", id).Str("attachment.url"), apptest.Base)
	conn := r.Dial(addr)
	for range 2 { // the connection stays usable
		conn.Head("", "GET", path)
		res, err := http.ReadResponse(conn.In, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		if err != nil || !bytes.Equal(body, file) {
			t.Fatalf("%d: %d bytes (%v)", res.StatusCode, len(body), err)
		}
	}
	conn.Head("", "BAD METHOD", "/")
	if res, err := http.ReadResponse(conn.In, nil); err != nil || res.StatusCode != http.StatusBadRequest || res.Header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("%+v, %v", res, err)
	}
}
