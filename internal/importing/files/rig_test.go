package files_test

import (
	"context"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"vitrine/internal/heavy"
	"vitrine/internal/importing/files"
	"vitrine/internal/importing/source"
	"vitrine/internal/importing/sourcetest"
)

// sample is a file and the transcript of its items.
type sample struct{ name, file, want string }

// expect compares the transcripts of samples, each read whole and byte by byte. The light version of the tests reads
// only small ones byte by byte.
func expect(t *testing.T, title string, samples []sample) {
	t.Helper()
	for _, s := range samples {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			readers := map[string]io.Reader{"whole": strings.NewReader(s.file)}
			if len(s.file) < heavy.Count(1<<20, math.MaxInt) {
				readers["byte by byte"] = iotest.OneByteReader(strings.NewReader(s.file))
			}
			for reader, r := range readers {
				told := strings.Join(sourcetest.Read(t, files.Text(r, files.Options{Title: title})), "\n")
				if want := strings.TrimSpace(s.want); told != want {
					t.Errorf("%s: told\n%s\n\nand not\n%s", reader, told, want)
				}
			}
		})
	}
}

// endless generates a file of n lines while it is read.
type endless struct {
	n    int
	line func(i int) string

	i    int
	rest strings.Reader
}

func (e *endless) Read(p []byte) (int, error) {
	for e.rest.Len() == 0 {
		if e.i == e.n {
			return 0, io.EOF
		}
		e.rest.Reset(e.line(e.i))
		e.i++
	}
	return e.rest.Read(p)
}

// heapCount is a Count that measures the heap at every n-th item, and at the end of a file to which it is
// appended.
type heapCount struct {
	sourcetest.Count
	every         int
	before, grown int64 // before is that of the first measurement
}

func (h *heapCount) measure() {
	now := heap()
	if h.before == 0 {
		h.before = now
	}
	h.grown = max(h.grown, now-h.before)
}

func (h *heapCount) Item(ctx context.Context, channel string, it source.Item) error {
	if h.Items%h.every == 0 {
		h.measure()
	}
	return h.Count.Item(ctx, channel, it)
}

func (h *heapCount) Read([]byte) (int, error) {
	h.measure()
	return 0, io.EOF
}

func heap() int64 {
	runtime.GC()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	return int64(now.HeapAlloc)
}
