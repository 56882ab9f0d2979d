package middleware

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

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
