package capture

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/capture/capturetest"
	"vitrine/internal/fetch"
)

// The kinds of files of websites, which capturetest describes.
type (
	file  = capturetest.File
	files = capturetest.Files
)

var (
	markup, css, svg = capturetest.Markup, capturetest.CSS, capturetest.SVG
	photo, picture   = capturetest.Photo, capturetest.Picture
	written, repeat  = capturetest.Written, capturetest.Repeat
	pages            = capturetest.Pages
)

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
		case f.Handler != nil:
			f.Handler(w, r)
		default:
			w.Header().Set("Content-Type", f.ContentType)
			_, _ = w.Write([]byte(strings.ReplaceAll(f.Body, "SITE", s.URL)))
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
