package capture

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/fetch"
)

// file is a file of a website.
type file struct {
	contentType string
	body        string
	handler     http.HandlerFunc // instead of the body
}

// files are a website by path.
type files map[string]file

func markup(body string) file { return file{contentType: "text/html; charset=utf-8", body: body} }
func css(body string) file    { return file{contentType: "text/css", body: body} }
func svg(body string) file    { return file{contentType: "image/svg+xml", body: body} }
func font(body string) file   { return file{contentType: "font/woff2", body: body} }
func photo(shade byte) file   { return file{contentType: "image/png", body: picture(shade)} }
func script(body string) file { return file{contentType: "text/javascript", body: body} }

// woff2 begins like a font.
const woff2 = "wOF2\x00\x01\x00\x00\x00\x00\x00\x10\x00\x01\x00\x00"

// picture returns a PNG of one colour.
func picture(shade byte) string {
	made := image.NewRGBA(image.Rect(0, 0, 8, 8))
	for i := range 64 {
		made.Set(i%8, i/8, color.RGBA{shade, 80, 160, 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, made); err != nil {
		panic(err)
	}
	return b.String()
}

// site is a web server for tests.
type site struct {
	*httptest.Server
	mu       sync.Mutex
	requests map[string]int // by path
}

// serve starts a server for files. "SITE" in their texts is its address.
func serve(t testing.TB, all files) *site {
	t.Helper()
	s := &site{requests: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests[r.URL.Path]++
		s.mu.Unlock()
		f, ok := all[r.URL.Path]
		switch {
		case !ok:
			http.NotFound(w, r)
		case f.handler != nil:
			f.handler(w, r)
		default:
			w.Header().Set("Content-Type", f.contentType)
			_, _ = w.Write([]byte(strings.ReplaceAll(f.body, "SITE", s.URL)))
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *site) asked(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[path]
}

// total returns the number of requests.
func (s *site) total() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, count := range s.requests {
		n += count
	}
	return n
}

func client(t testing.TB) *fetch.Client {
	c := fetch.New(fetch.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Wait: time.Minute})
	t.Cleanup(c.Close)
	return c
}

// copyOf copies the page "/" of a website, and stops its server.
func copyOf(t testing.TB, all files) *Copy {
	t.Helper()
	return copyWith(t, all, Default())
}

func copyWith(t testing.TB, all files, limits Limits) *Copy {
	t.Helper()
	s := serve(t, all)
	made, err := Page(context.Background(), client(t), s.URL+"/", limits)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	for _, problem := range requests(string(made.HTML)) {
		t.Error(problem)
	}
	return made
}

// holds fails a test if a copy lacks a text.
func holds(t *testing.T, made *Copy, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(string(made.HTML), text) {
			t.Errorf("the copy lacks %q:\n%.3000s", text, made.HTML)
		}
	}
}

// lacks fails a test if a copy holds a text.
func lacks(t *testing.T, made *Copy, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(string(made.HTML), text) {
			t.Errorf("the copy holds %q:\n%.3000s", text, made.HTML)
		}
	}
}
