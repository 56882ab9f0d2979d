package wire_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/go-faster/jx"

	"vitrine/internal/oas/wire"
)

// items writes a list of n long texts.
func items(n int) func(e *jx.Encoder) {
	return func(e *jx.Encoder) {
		e.ArrStart()
		for i := range n {
			e.Str(strconv.Itoa(i) + strings.Repeat("\u00fc\"x", 1000))
		}
		e.ArrEnd()
	}
}

// For any size, the body, its length and its ETag are correct.
func TestWriteJSON(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 12, 13, 14, 50, 51, 52, 53, 54, 1000} {
		for range 2 { // encoders are reused
			var e jx.Encoder
			items(n)(&e)
			w := httptest.NewRecorder()
			if err := wire.WriteJSON(w, items(n)); err != nil {
				t.Fatal(err)
			}
			if w.Body.String() != e.String() {
				t.Errorf("%d items: %d bytes, want %d", n, w.Body.Len(), len(e.Bytes()))
			}
			if got := w.Header().Get("Content-Length"); got != strconv.Itoa(len(e.Bytes())) {
				t.Errorf("%d items: Content-Length %s of %d", n, got, len(e.Bytes()))
			}
			if tag := w.Header().Get("ETag"); !strings.HasPrefix(tag, `W/"`) || len(tag) != len(`W/""`)+16 {
				t.Errorf("%d items: ETag %s", n, tag)
			}
		}
	}
}

// If a client disconnects, the writing ends, and the next response is not affected.
func TestWriteJSONFails(t *testing.T) {
	t.Parallel()
	for range 10 {
		if err := wire.WriteJSON(&gone{httptest.NewRecorder(), 100 << 10}, items(1000)); !errors.Is(err, errGone) {
			t.Errorf("the error is %v", err)
		}
		w := httptest.NewRecorder()
		if err := wire.WriteJSON(w, items(2)); err != nil || w.Body.Len() > 11_000 {
			t.Errorf("after that: %d bytes, %v", w.Body.Len(), err)
		}
	}
}

// A large body allocates no more than a small one.
func TestWriteJSONAllocates(t *testing.T) {
	text := strings.Repeat("x", 100_000)
	large := func(e *jx.Encoder) {
		e.ArrStart()
		for range 100 {
			e.Str(text)
		}
		e.ArrEnd()
	}
	write := func() {
		if err := wire.WriteJSON(discard{http.Header{}}, large); err != nil {
			t.Fatal(err)
		}
	}
	write()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 10 {
		write()
	}
	runtime.ReadMemStats(&after)
	if n := (after.TotalAlloc - before.TotalAlloc) / 10; n > 1<<20 {
		t.Errorf("a body of 10 MB allocates %d bytes", n)
	}
}

var errGone = errors.New("gone")

// gone accepts a number of bytes and then fails.
type gone struct {
	http.ResponseWriter
	left int
}

func (g *gone) Write(p []byte) (int, error) {
	if g.left -= len(p); g.left < 0 {
		return 0, errGone
	}
	return len(p), nil
}

type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(p []byte) (int, error) { return len(p), nil }
func (d discard) WriteHeader(int)             {}
