package blob_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"vitrine/internal/blob"
)

func TestPutOpenStat(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, r rig) {
		began := time.Now().Add(-time.Minute)
		for i, size := range []int{0, 1, 5, 1<<20 + 1, 16 << 20, partsLength} {
			content := patterned(size)
			for kind, reader := range map[string]io.Reader{
				"stream": stream{bytes.NewReader(content)}, "file": bytes.NewReader(content),
			} {
				name := fmt.Sprintf("a/%d/%s.bin", i, kind)
				if err := r.Put(t.Context(), name, reader, int64(size), "image/png"); err != nil {
					t.Fatal(err)
				}
				want(t, r, name, string(content))
				info, err := r.Stat(t.Context(), name)
				if err != nil {
					t.Fatal(err)
				}
				if info.Size != int64(size) || info.ModTime.Before(began) || (info.ContentType == "image/png") != r.s3 {
					t.Errorf("%s of %d bytes: %+v", name, size, info)
				}
			}
		}
	})
}

// Put reads the rest of a reader from its current position.
func TestPutRest(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, r rig) {
		reader := strings.NewReader("before and after")
		if _, err := reader.Seek(6, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if err := r.Put(t.Context(), "rest", reader, 10, ""); err != nil {
			t.Fatal(err)
		}
		want(t, r, "rest", " and after")
	})
}

func TestPutReplaces(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, r rig) {
		put(t, r, "a/b", "the first")
		put(t, r, "a/b", "2nd")
		want(t, r, "a/b", "2nd")
		if got := r.contents(t); !slices.Equal(got, []string{"a/b"}) {
			t.Errorf("there is %q", got)
		}
	})
}

var errReader = errors.New("the line is dead")

// Readers that fail, or have fewer or more bytes than expected, change nothing.
func TestPutRefusesReaders(t *testing.T) {
	t.Parallel()
	big := patterned(partsLength)
	for name, c := range map[string]struct {
		reader func() io.Reader
		size   int64
		want   error
	}{
		"short":             {func() io.Reader { return stream{strings.NewReader("1234")} }, 5, blob.ErrSize},
		"long":              {func() io.Reader { return stream{strings.NewReader("123456")} }, 5, blob.ErrSize},
		"not empty":         {func() io.Reader { return stream{strings.NewReader("1")} }, 0, blob.ErrSize},
		"empty":             {func() io.Reader { return stream{strings.NewReader("")} }, 1, blob.ErrSize},
		"short file":        {func() io.Reader { return strings.NewReader("1234") }, 5, blob.ErrSize},
		"long file":         {func() io.Reader { return strings.NewReader("123456") }, 5, blob.ErrSize},
		"byte by byte":      {func() io.Reader { return iotest.OneByteReader(strings.NewReader("123456")) }, 5, blob.ErrSize},
		"fails":             {func() io.Reader { return failing("1234") }, 5, errReader},
		"fails at the end":  {func() io.Reader { return failing("12345") }, 5, errReader},
		"cut off":           {func() io.Reader { return io.MultiReader(strings.NewReader("1"), iotest.ErrReader(io.ErrUnexpectedEOF)) }, 5, io.ErrUnexpectedEOF},
		"short in parts":    {func() io.Reader { return stream{bytes.NewReader(big)} }, partsLength + 1, blob.ErrSize},
		"long in parts":     {func() io.Reader { return stream{bytes.NewReader(big)} }, partsLength - 1, blob.ErrSize},
		"fails in 2nd part": {func() io.Reader { return failing(string(big)) }, partsLength + 1, errReader},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachStore(t, func(t *testing.T, r rig) {
				put(t, r, "old", "as it was")
				for _, name := range []string{"old", "new"} {
					err := r.Put(t.Context(), name, c.reader(), c.size, "text/plain")
					if !errors.Is(err, c.want) || blob.Temporary(err) {
						t.Errorf("put %s: %v", name, err)
					}
					if c.want != blob.ErrSize && !errors.Is(err, blob.ErrSource) {
						t.Errorf("put %s does not blame the reader: %v", name, err)
					}
				}
				want(t, r, "old", "as it was")
				if got := r.contents(t); !slices.Equal(got, []string{"old"}) {
					t.Errorf("there is %q", got)
				}
			})
		})
	}
}

// failing returns a reader that fails after content.
func failing(content string) io.Reader {
	return io.MultiReader(strings.NewReader(content), iotest.ErrReader(errReader))
}

// Put ends when its context ends during an upload.
func TestPutEndsWithContext(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, r rig) {
		for _, size := range []int64{10, partsLength} {
			ctx, cancel := context.WithCancel(t.Context())
			half := io.LimitReader(bytes.NewReader(patterned(partsLength)), size/2)
			reader := io.MultiReader(half, readerFunc(func([]byte) (int, error) {
				cancel()
				return 0, nil
			}))
			if err := r.Put(ctx, "a", reader, size, ""); !errors.Is(err, context.Canceled) || blob.Temporary(err) {
				t.Errorf("%d bytes: %v", size, err)
			}
		}
		if got := r.contents(t); got != nil {
			t.Errorf("there is %q", got)
		}
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestMissing(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, r rig) {
		put(t, r, "folder/file", "x")
		for _, name := range []string{"none", "none/at/all", "folder", "folder/file/below"} {
			if _, err := r.Open(t.Context(), name); !errors.Is(err, blob.ErrNotFound) || blob.Temporary(err) {
				t.Errorf("open %s: %v", name, err)
			}
			if _, err := r.Stat(t.Context(), name); !errors.Is(err, blob.ErrNotFound) {
				t.Errorf("stat %s: %v", name, err)
			}
			if err := r.Delete(t.Context(), name); err != nil {
				t.Errorf("delete %s: %v", name, err)
			}
		}
		want(t, r, "folder/file", "x")
	})
}

func TestDelete(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, r rig) {
		put(t, r, "a/b", "x")
		put(t, r, "a/c", "y")
		for range 2 {
			if err := r.Delete(t.Context(), "a/b"); err != nil {
				t.Fatal(err)
			}
		}
		if got := r.contents(t); !slices.Equal(got, []string{"a/c"}) {
			t.Errorf("there is %q", got)
		}
		put(t, r, "a/b", "again")
		want(t, r, "a/b", "again")
	})
}

func TestNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(strings.Repeat("x", 255)+"/", 2)
	eachStore(t, func(t *testing.T, r rig) {
		staged := receive(t, "x")
		for _, name := range []string{"a", "A-Z_0.9", ".a", "..a", "a/.tmp", "-", long[:255], long[:511]} {
			put(t, r, name, name)
			want(t, r, name, name)
			if err := r.Delete(t.Context(), name); err != nil {
				t.Error(err)
			}
		}
		for _, name := range []string{
			"", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/./b", "a/..", "a b", "ä", "a\x00", "a\\b",
			"a\n", "a%2fb", "C:a", ".tmp", ".tmp/a", long + "xx", strings.Repeat("x", 256),
		} {
			_, open := r.Open(t.Context(), name)
			_, stat := r.Stat(t.Context(), name)
			_, _, presign := r.PresignPut(t.Context(), name, "text/plain", time.Hour)
			for op, err := range map[string]error{
				"open": open, "stat": stat, "presign": presign, "delete": r.Delete(t.Context(), name),
				"put":    r.Put(t.Context(), name, strings.NewReader("x"), 1, ""),
				"staged": r.PutStaged(t.Context(), name, staged, ""),
			} {
				if !errors.Is(err, blob.ErrName) {
					t.Errorf("%s %q: %v", op, name, err)
				}
			}
		}
		if got := r.contents(t); got != nil {
			t.Errorf("there is %q", got)
		}
	})
}

func TestCheck(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, r rig) {
		if err := r.Check(t.Context()); err != nil {
			t.Error(err)
		}
		if got := r.contents(t); got != nil {
			t.Errorf("there is %q", got)
		}
	})
}
