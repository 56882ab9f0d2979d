package blob_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"vitrine/internal/blob"
)

func TestReadSeekReadAt(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, r rig) {
		for _, size := range []int{0, 1, 60} {
			content := patterned(size)
			put(t, r, "file", string(content))
			f, err := r.Open(t.Context(), "file")
			if err != nil {
				t.Fatal(err)
			}
			if err := iotest.TestReader(f, content); err != nil {
				t.Errorf("%d bytes: %v", size, err)
			}
			if _, err := f.Seek(1000, io.SeekStart); err != nil {
				t.Errorf("seek beyond the end: %v", err)
			}
			if n, err := f.Read(make([]byte, 1)); n != 0 || err != io.EOF {
				t.Errorf("read beyond the end: %d, %v", n, err)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
			if _, err := f.Read(make([]byte, 1)); err == nil || err == io.EOF {
				t.Errorf("read after close: %v", err)
			}
		}
	})
}

// ReadAt does not affect Read, and can be called concurrently.
func TestReadAtConcurrently(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, r rig) {
		content := patterned(100_000)
		put(t, r, "file", string(content))
		f, err := r.Open(t.Context(), "file")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		head := make([]byte, 10)
		if _, err := io.ReadFull(f, head); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				part, at := make([]byte, 20_000), int64(i)*12_000
				n, err := f.ReadAt(part, at)
				if err != nil && err != io.EOF || !bytes.Equal(part[:n], content[at:at+int64(n)]) || (n < len(part)) != (err == io.EOF) {
					t.Errorf("%d bytes at %d: %v", n, at, err)
				}
			})
		}
		all.Wait()
		rest, err := io.ReadAll(f)
		if err != nil || !bytes.Equal(append(head, rest...), content) {
			t.Errorf("%d bytes after ReadAt, %v", len(rest), err)
		}
	})
}

// Concurrent readers and writers never see mixed content.
func TestRacingPuts(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, r rig) {
		content := func(writer int) string {
			return strings.Repeat(string(rune('a'+writer)), 100_000+writer)
		}
		put(t, r, "a/b/c", content(0))
		var writers sync.WaitGroup
		done := make(chan struct{})
		for w := range 6 {
			writers.Go(func() {
				for range 10 {
					if err := r.Put(t.Context(), "a/b/c", strings.NewReader(content(w)), int64(len(content(w))), ""); err != nil {
						t.Error(err)
					}
				}
			})
		}
		go func() { writers.Wait(); close(done) }()
		whole := 0
		for ended := false; !ended; {
			select {
			case <-done:
				ended = true
			default:
			}
			if got, err := readWhole(t.Context(), r, "a/b/c"); err == nil {
				whole++
				if len(got) < 100_000 || got != content(int(got[0]-'a')) {
					t.Errorf("torn: %d bytes", len(got))
				}
			} else if !r.s3 { // on S3, readers get an error after a replacement
				t.Error(err)
			}
		}
		got, _ := read(t, r, "a/b/c")
		if whole == 0 || got == "" || got != content(int(got[0]-'a')) {
			t.Errorf("%d whole reads, %d bytes at last", whole, len(got))
		}
		if got := r.contents(t); !slices.Equal(got, []string{"a/b/c"}) {
			t.Errorf("there is %q", got)
		}
	})
}

func readWhole(ctx context.Context, s blob.Store, name string) (string, error) {
	f, err := s.Open(ctx, name)
	if err != nil {
		return "", err
	}
	content, err := io.ReadAll(f)
	return string(content), errors.Join(err, f.Close())
}

// An open file keeps its content or fails.
func TestOpenFileIsReplaced(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, r rig) {
		put(t, r, "a", "the first")
		f, err := r.Open(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		put(t, r, "a", "another 1")
		got, err := io.ReadAll(f)
		if err == nil && string(got) != "the first" || err != nil && (!r.s3 || len(got) > 0) {
			t.Errorf("%q, %v", got, err)
		}
	})
}
