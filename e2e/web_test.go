package e2e

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// pageTime is the response time of a page, so that a kill interrupts some fetches.
const pageTime = 50 * time.Millisecond

// web is a local site of numbered pages, each with its own image.
type web struct {
	url   string
	mu    sync.Mutex
	hits  map[string]int // by path
	pages int            // requested pages
	at    int            // number of pages after which then is called
	then  func()
	gate  chan struct{} // pages wait until it is closed; may be nil
	drips atomic.Int32  // in progress
}

func newWeb(t *testing.T) *web {
	t.Helper()
	w := &web{hits: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("/page/{n}", w.page)
	mux.HandleFunc("/image/{n}", w.image)
	mux.HandleFunc("/drip/{n}", w.drip)
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	w.url = s.URL
	return w
}

func (w *web) page(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	w.hits[r.URL.Path]++
	if w.pages++; w.pages == w.at {
		w.then()
	}
	gate := w.gate
	w.mu.Unlock()
	select {
	case <-r.Context().Done():
	case <-time.After(pageTime):
	}
	if gate != nil {
		select {
		case <-r.Context().Done():
		case <-gate:
		}
	}
	n := r.PathValue("n")
	out.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(out, `<title>Page %s</title><meta property="og:image" content="/image/%s"><p>Words.</p>`, n, n)
}

// drip sends a byte per second until the client disconnects.
func (w *web) drip(out http.ResponseWriter, r *http.Request) {
	w.drips.Add(1)
	defer w.drips.Add(-1)
	for r.Context().Err() == nil {
		_, _ = out.Write([]byte("."))
		out.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
		case <-time.After(time.Second):
		}
	}
}

// close blocks all pages until open is called.
func (w *web) close() (open func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	gate := make(chan struct{})
	w.gate = gate
	return sync.OnceFunc(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.gate = nil
		close(gate)
	})
}

func (w *web) image(out http.ResponseWriter, r *http.Request) {
	var n int
	if _, err := fmt.Sscan(r.PathValue("n"), &n); err != nil {
		http.NotFound(out, r)
		return
	}
	picture := image.NewNRGBA(image.Rect(0, 0, 64, 48))
	for i := range 64 * 48 {
		picture.SetNRGBA(i%64, i/64, color.NRGBA{uint8(n), uint8(n >> 8), uint8(i), 255})
	}
	var file bytes.Buffer
	if err := png.Encode(&file, picture); err != nil {
		http.Error(out, err.Error(), http.StatusInternalServerError)
		return
	}
	out.Header().Set("Content-Type", "image/png")
	_, _ = out.Write(file.Bytes())
}

// after calls a function once, when a number of further pages were requested.
func (w *web) after(pages int, then func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at, w.then = w.pages+pages, then
}

// again returns the number of pages that were requested more than once.
func (w *web) again() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, hits := range w.hits {
		if hits > 1 {
			n++
		}
	}
	return n
}
