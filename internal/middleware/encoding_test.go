package middleware

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func TestCompressNegotiates(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("all work and no play ", 100)
	tests := map[string]string{
		"":                                  "",
		"gzip":                              "gzip",
		"GZIP":                              "gzip",
		"x-gzip":                            "gzip",
		"zstd":                              "zstd",
		"gzip, zstd":                        "zstd",
		"gzip, deflate, br, zstd":           "zstd",
		"gzip, zstd;q=0.9":                  "gzip",
		"gzip;q=0.5, zstd;q=0.9":            "zstd",
		"gzip; q=0.5 , zstd; q=0.4":         "gzip",
		"gzip;q=0":                          "",
		"gzip;q=0, zstd;q=0.000":            "",
		"*":                                 "zstd",
		"*, zstd;q=0":                       "gzip",
		"gzip, *;q=0":                       "gzip",
		"br, identity":                      "",
		"identity, gzip;q=0.5":              "",
		"identity;q=0.5, gzip;q=0.5":        "gzip",
		"identity;q=0, gzip":                "gzip",
		"gzip;q=junk":                       "",
		"gzip;q=NaN":                        "",
		"gzip;q=2":                          "",
		"gzip;level=9;q=0.1, identity;q=.2": "",
	}
	for accept, coding := range tests {
		t.Run(accept, func(t *testing.T) {
			t.Parallel()
			r := get()
			if accept != "" {
				r.Header.Set("Accept-Encoding", accept)
			}
			w := serve(Compress(text(body)), r)
			wantHeader(t, w.Header(), "Content-Encoding", coding)
			wantHeader(t, w.Header(), "Vary", "Accept-Encoding")
			if got := decode(t, coding, w.Body); got != body {
				t.Errorf("decoded body has %d bytes, want %d", len(got), len(body))
			}
		})
	}
}

func TestCompressReadsAllHeaderLines(t *testing.T) {
	t.Parallel()
	w := serve(Compress(text(strings.Repeat("a", 2000))), get("Accept-Encoding", "br", "Accept-Encoding", "gzip"))
	wantHeader(t, w.Header(), "Content-Encoding", "gzip")
}

func TestCompressContentTypes(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{
		"application/json":                true,
		"application/json; charset=utf-8": true,
		"application/problem+json":        true,
		"image/svg+xml":                   true,
		"Text/HTML":                       true,
		"image/png":                       false,
		"image/webp":                      false,
		"image/jpeg":                      false,
		"video/mp4":                       false,
		"application/zip":                 false,
		"application/pdf":                 false,
		"application/octet-stream":        false,
		"font/woff2":                      false,
	}
	for contentType, want := range tests {
		t.Run(contentType, func(t *testing.T) {
			t.Parallel()
			h := Compress(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", contentType)
				_, _ = io.WriteString(w, strings.Repeat("a", 4000))
			}))
			w := serve(h, get("Accept-Encoding", "gzip"))
			if got := w.Header().Get("Content-Encoding") != ""; got != want {
				t.Errorf("compressed = %v, want %v", got, want)
			}
		})
	}
}

func TestCompressLeavesAlone(t *testing.T) {
	t.Parallel()
	tests := map[string]http.Handler{
		"short": text(strings.Repeat("a", 1023)),
		"encoded already": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/css")
			w.Header().Set("Content-Encoding", "br")
			_, _ = io.WriteString(w, strings.Repeat("a", 4000))
		}),
		"not modified": status(http.StatusNotModified),
		"no content":   status(http.StatusNoContent),
	}
	for name, h := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plain, w := serve(h, get()), serve(Compress(h), get("Accept-Encoding", "gzip, zstd"))
			if w.Code != plain.Code || !bytes.Equal(w.Body.Bytes(), plain.Body.Bytes()) {
				t.Errorf("answer = %d, %d bytes; want %d, %d bytes", w.Code, w.Body.Len(), plain.Code, plain.Body.Len())
			}
			wantHeader(t, w.Header(), "Content-Encoding", plain.Header().Get("Content-Encoding"))
			wantHeader(t, w.Header(), "Vary", "Accept-Encoding")
		})
	}
}

func TestCompressKeepsTheTag(t *testing.T) {
	t.Parallel()
	h := Chain(text(strings.Repeat("same ", 1000)), Compress, Conditional)
	want := serve(h, get()).Header().Get("ETag")
	if !strings.HasPrefix(want, `W/"`) {
		t.Fatalf("ETag = %q, want a weak one", want)
	}
	for _, coding := range []string{"gzip", "zstd"} {
		w := serve(h, get("Accept-Encoding", coding))
		wantHeader(t, w.Header(), "Content-Encoding", coding)
		wantHeader(t, w.Header(), "ETag", want)
		wantHeader(t, w.Header(), "Content-Length", "")
		again := serve(h, get("Accept-Encoding", coding, "If-None-Match", want))
		if again.Code != http.StatusNotModified || again.Body.Len() != 0 {
			t.Errorf("%s: revalidation = %d, %d bytes; want 304, none", coding, again.Code, again.Body.Len())
		}
		wantHeader(t, again.Header(), "Content-Encoding", "")
	}
}

func decode(t *testing.T, coding string, body io.Reader) string {
	t.Helper()
	switch coding {
	case "gzip":
		r, err := gzip.NewReader(body)
		if err != nil {
			t.Fatal(err)
		}
		body = r
	case "zstd":
		r, err := zstd.NewReader(body)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		body = r
	}
	out, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestHeadAnswersLikeGetWithoutBody(t *testing.T) {
	t.Parallel()
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			t.Errorf("the handler saw %s", r.Method)
		}
		switch r.URL.Path {
		case "/missing":
			renderText(w, r, http.StatusNotFound, "no")
		case "/empty":
		default:
			text(strings.Repeat("long ", 1000)).ServeHTTP(w, r)
		}
	})
	server := httptest.NewServer(Chain(handler, Begin(time.Now), CacheHeaders, Head, Compress, Conditional))
	t.Cleanup(server.Close)
	for _, path := range []string{"/", "/missing", "/empty"} {
		for _, encoding := range []string{"identity", "gzip", "zstd"} {
			want, body := fetch(t, http.MethodGet, server.URL+path, "Accept-Encoding", encoding)
			got, none := fetch(t, http.MethodHead, server.URL+path, "Accept-Encoding", encoding)
			if got.StatusCode != want.StatusCode || none != "" {
				t.Errorf("%s %s: HEAD = %d %q, GET = %d %d bytes", path, encoding, got.StatusCode, none, want.StatusCode, len(body))
			}
			// net/http sets Content-Length for short GET responses, but not for HEAD.
			if got.Header.Get("Content-Length") == "" {
				want.Header.Del("Content-Length")
			}
			if !maps.EqualFunc(got.Header, want.Header, func(a, b []string) bool { return strings.Join(a, "|") == strings.Join(b, "|") }) {
				t.Errorf("%s %s: HEAD headers = %v, GET headers = %v", path, encoding, got.Header, want.Header)
			}
		}
	}
	head, _ := fetch(t, http.MethodHead, server.URL, "Accept-Encoding", "identity")
	wantHeader(t, head.Header, "Content-Length", "5000")
}

func TestHeadConditional(t *testing.T) {
	t.Parallel()
	w := serve(Chain(text("x"), Head, Conditional), request(http.MethodHead, "If-None-Match", "*"))
	if w.Code != http.StatusNotModified {
		t.Errorf("status = %d, want 304", w.Code)
	}
}

// fetch sends a request over the wire and drops the Date header.
func fetch(t *testing.T, method, url string, headers ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	resp.Header.Del("Date")
	return resp, string(body)
}
