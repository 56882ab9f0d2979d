package fetch_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"vitrine/internal/fetch"
)

// A reader receives the part of a body that arrived, and an error that the rest is missing.
func TestCutOff(t *testing.T) {
	t.Parallel()
	var words strings.Builder
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		words.WriteString(strconv.FormatUint(random.Uint64(), 36) + " ")
	}
	text := words.String()
	hangUp := func(w http.ResponseWriter) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = conn.Close()
		}
	}
	for name, handler := range map[string]http.HandlerFunc{
		"length": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(2*len(text)))
			_, _ = io.WriteString(w, text)
		},
		"chunked": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, text)
			w.(http.Flusher).Flush()
			hangUp(w)
		},
		"gzip":           shortened("gzip", pack(t, "gzip", strings.NewReader(text))),
		"br":             shortened("br", pack(t, "br", strings.NewReader(text))),
		"zlib":           shortened("deflate", pack(t, "zlib", strings.NewReader(text))),
		"raw":            shortened("deflate", pack(t, "raw", strings.NewReader(text))),
		"zstd":           shortened("zstd", pack(t, "zstd", io.MultiReader(strings.NewReader(text), bytes.NewReader(make([]byte, mib))))),
		"gzip in brotli": shortened("gzip, br", pack(t, "gzip, br", strings.NewReader(text))),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, got, err := get(t, client(t, fetch.Options{}), fetch.Request{URL: serve(t, handler), MaxBytes: 4 * mib})
			if !errors.Is(err, fetch.ErrCutOff) || !strings.HasPrefix(got, text[:1000]) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		})
	}
}

// shortened serves a compressed body without its last bytes.
func shortened(coding string, body []byte) http.HandlerFunc {
	return coded(coding, bytesOf(body[:len(body)-9]))
}

func TestMediaType(t *testing.T) {
	t.Parallel()
	for header, want := range map[string][2]string{
		"text/html":                                {"text/html", ""},
		"Text/HTML; Charset=UTF-8":                 {"text/html", "utf-8"},
		"text/html, text/html":                     {"text/html", ""},
		"text/html; charset=utf-8, text/html":      {"text/html", "utf-8"},
		"text/plain; charset=utf-8, text/html":     {"text/html", ""},
		"text/html, */*":                           {"text/html", ""},
		"text/html; charset='windows-1251'":        {"text/html", "windows-1251"},
		`text/html; charset="utf-8`:                {"text/html", "utf-8"},
		"text/html; charset = utf-8 ;":             {"text/html", "utf-8"},
		"text/html;charset=utf-8;charset=latin1":   {"text/html", "utf-8"},
		"text/html charset=utf-8":                  {"text/html", "utf-8"},
		"text/html;charset":                        {"text/html", ""},
		"text/html; profile=x; charset=Shift_JIS;": {"text/html", "shift_jis"},
		"html":                              {"", ""},
		"":                                  {"", ""},
		"application/vnd.x+json; a=\"b;c\"": {"application/vnd.x+json", ""},
	} {
		resp, _, err := get(t, client(t, fetch.Options{}), fetch.Request{MaxBytes: mib, URL: serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", header)
			_, _ = io.WriteString(w, "x")
		})})
		if err != nil || [2]string{resp.ContentType, resp.Charset} != want {
			t.Errorf("%q is %q, %q: %v", header, resp.ContentType, resp.Charset, err)
		}
	}
}

func TestAcceptLanguage(t *testing.T) {
	t.Parallel()
	for tags, want := range map[string]string{
		"": "", "en": "en,*;q=0.1", "de-AT,en": "de-AT,de;q=0.9,en;q=0.8,*;q=0.1", "de,de-AT": "de,de-AT;q=0.9,*;q=0.1",
		"a,b,c,d,e,f,g,h,i-J": "a,b;q=0.9,c;q=0.8,d;q=0.7,e;q=0.6,f;q=0.5,g;q=0.4,h;q=0.3,i-J;q=0.2,i;q=0.2,*;q=0.1",
	} {
		_, got, err := get(t, client(t, fetch.Options{Languages: tags}), fetch.Request{MaxBytes: mib, URL: serve(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, r.Header.Get("Accept-Language"))
		})})
		if err != nil || got != want {
			t.Errorf("%s: %q, want %q, %v", tags, got, want, err)
		}
	}
}
