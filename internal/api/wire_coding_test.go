package api_test

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"vitrine/internal/apptest"
)

// decoded removes the content coding of a body.
func decoded(t *testing.T, res *apptest.Response) string {
	t.Helper()
	var from io.Reader = bytes.NewReader(res.Body)
	switch coding := res.Header.Get("Content-Encoding"); coding {
	case "":
	case "gzip":
		r, err := gzip.NewReader(from)
		if err != nil {
			t.Fatal(err)
		}
		from = r
	case "zstd":
		r, err := zstd.NewReader(from)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		from = r
	default:
		t.Fatalf("Content-Encoding %q", coding)
	}
	body, err := io.ReadAll(from)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestCompression(t *testing.T) {
	t.Parallel()
	w := newWorld(apptest.New(t))
	large := at("/v3/blocks/%d", w.Block("ada", strings.Repeat("Many words. ", 500), w.closed))
	for _, path := range []string{large, "/v3/openapi", "/v3/openapi.json", "/v3/channels/closed/contents"} {
		plain := w.Do("ada", "GET", path, nil).Want(http.StatusOK)
		if plain.Header.Get("Content-Length") != strconv.Itoa(len(plain.Body)) {
			t.Errorf("%s: Content-Length %s of %d bytes", path, plain.Header.Get("Content-Length"), len(plain.Body))
		}
		for accept, want := range map[string]string{
			"gzip": "gzip", "zstd": "zstd", "gzip, deflate, br, zstd": "zstd", "gzip;q=1, zstd;q=0.5": "gzip", "*": "zstd",
			"identity": "", "br": "", "gzip;q=0": "", "x-gzip": "gzip", "identity, gzip;q=0.5": "", "nonsense;q=x": "",
		} {
			res := w.Do("ada", "GET", path, nil, "Accept-Encoding", accept).Want(http.StatusOK)
			if got := res.Header.Get("Content-Encoding"); got != want {
				t.Errorf("%s: %q gives %q, want %q", path, accept, got, want)
			}
			if decoded(t, res) != string(plain.Body) {
				t.Errorf("%s: %q gives other bytes", path, accept)
			}
			if want != "" && len(res.Body) >= len(plain.Body) {
				t.Errorf("%s: %d bytes became %d", path, len(plain.Body), len(res.Body))
			}
			if tag := res.Header.Get("ETag"); tag == "" || tag != plain.Header.Get("ETag") {
				t.Errorf("%s: %q has the ETag %s, want %s", path, accept, tag, plain.Header.Get("ETag"))
			}
			if vary := res.Header.Get("Vary"); vary != "Authorization, Accept-Encoding" {
				t.Errorf("%s: Vary %q", path, vary)
			}
			w.Do("ada", "GET", path, nil, "Accept-Encoding", accept, "If-None-Match", plain.Header.Get("ETag")).
				Want(http.StatusNotModified)
		}
	}
	// Errors and small bodies are not encoded.
	for _, path := range []string{"/v3/ping", "/v3/nothing"} {
		if res := w.Do("", "GET", path, nil, "Accept-Encoding", "gzip"); res.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s is compressed", path)
		}
	}
}

func TestCORS(t *testing.T) {
	t.Parallel()
	w := newWorld(apptest.New(t))
	for _, path := range append(w.gets(), "/v3/blocks", "/v3/channels", "/v3/connections", "/v3/connections/1/move", "/v3/nothing") {
		for _, method := range []string{"GET", "POST", "PUT", "DELETE", "PATCH", "HEAD"} {
			res := w.Do("", "OPTIONS", path, nil, "Origin", "https://elsewhere.example", "Access-Control-Request-Method", method,
				"Access-Control-Request-Headers", "authorization,content-type,if-none-match")
			if res.Status != http.StatusNoContent || len(res.Body) != 0 {
				t.Errorf("preflight of %s %s: %d %s", method, path, res.Status, res.Body)
			}
			h := res.Header
			if h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Access-Control-Allow-Methods") != method ||
				h.Get("Access-Control-Allow-Headers") != "authorization,content-type,if-none-match" || h.Get("Access-Control-Max-Age") == "" {
				t.Errorf("preflight of %s %s: %v", method, path, h)
			}
			if h.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("%s allows credentials", path)
			}
		}
	}
	// A web page gets the CORS headers it needs with all responses, for any Origin.
	for _, origin := range []string{"https://elsewhere.example", "null", ""} {
		for _, res := range []*apptest.Response{
			w.Do("ada", "GET", "/v3/me", nil, "Origin", origin).Want(http.StatusOK),
			w.Do("", "GET", "/v3/me", nil, "Origin", origin).Want(http.StatusUnauthorized),
			w.Do("", "GET", "/v3/channels/secret", nil, "Origin", origin).Want(http.StatusNotFound),
			w.Do("ada", "DELETE", at("/v3/connections/%d", w.Block("bob", "x", w.open)), nil, "Origin", origin),
		} {
			complete(t, origin, res)
		}
	}
}
