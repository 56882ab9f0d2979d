//go:build !race

package exporting

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"runtime"
	"testing"
)

// An archive is written by one goroutine, so the race detector cannot find anything. With it, this
// number of entries would take minutes.

// beyond is an archive preceded by a large number of bytes that are not read.
type beyond struct {
	bytes []byte
	begin int64
}

func (b beyond) ReadAt(p []byte, at int64) (int, error) {
	before := 0
	for ; before < len(p) && at+int64(before) < b.begin; before++ {
		p[before] = 0
	}
	n, err := bytes.NewReader(b.bytes).ReadAt(p[before:], at+int64(before)-b.begin)
	return before + n, err
}

// An archive can be read back wherever its parts end, with more than 65,535 entries, and at an
// offset beyond 4 GiB.
func TestArchive(t *testing.T) {
	t.Parallel()
	for _, at := range []int64{0, 1 << 32, 5 << 30} {
		for _, n := range []int{0, 1, partSize - 1, partSize, partSize + 1, 70_000} {
			if n == 70_000 && at == 1<<32 {
				continue // as many beyond what four bytes count are tried once
			}
			var out bytes.Buffer
			a := &archive{out: &counted{Writer: &out, n: at}, dir: spool{folder: t.TempDir()}, at: testTime}
			a.begin()
			for i := range n {
				if err := a.add(fmt.Sprintf("e%d", i), fmt.Append(nil, i)); err != nil {
					t.Fatal(err)
				}
			}
			if err := a.close(); err != nil {
				t.Fatal(err)
			}
			a.free()
			z, err := zip.NewReader(beyond{out.Bytes(), at}, at+int64(out.Len()))
			if err != nil || len(z.File) != n {
				t.Fatalf("%d entries from %d on: %v", n, at, err)
			}
			for i := 0; i < n; i += max(1, n/50) {
				r, err := z.File[i].Open()
				if err != nil {
					t.Fatal(err)
				}
				text, err := io.ReadAll(r)
				if err != nil || string(text) != fmt.Sprint(i) || z.File[i].Name != fmt.Sprintf("e%d", i) || !z.File[i].Modified.Equal(testTime) {
					t.Errorf("entry %d of %d from %d on is %s: %q (%v)", i, n, at, z.File[i].Name, text, err)
				}
			}
		}
	}
}

// The memory of an archive does not grow with its entries.
func TestArchiveMemory(t *testing.T) {
	a := newArchive(io.Discard, t.TempDir(), testTime)
	defer a.free()
	live := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // the first one leaves what is in a sync.Pool, such as compressors
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	fill := func(n int) {
		for i := range n {
			if err := a.add(fmt.Sprintf("folder/a-name-of-some-length-%d", i), nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	fill(5 * partSize)
	before := live()
	fill(20 * partSize)
	if grown := live() - before; grown > 1<<19 {
		t.Errorf("10,000 entries more hold %d bytes more", grown)
	}
	runtime.KeepAlive(a)
}
