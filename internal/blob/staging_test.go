package blob_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/blob"
)

func openStaging(t *testing.T, dir string) *blob.Staging {
	t.Helper()
	staging, err := blob.OpenStaging(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := staging.Close(); err != nil {
			t.Error(err)
		}
	})
	return staging
}

// receive stages content in a new folder.
func receive(t *testing.T, content string) *blob.Staged {
	t.Helper()
	staged, err := openStaging(t, filepath.Join(t.TempDir(), "staging")).Receive(t.Context(), strings.NewReader(content), math.MaxInt64)
	if err != nil {
		t.Fatal(err)
	}
	return staged
}

func TestReceive(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "staging")
	staging := openStaging(t, dir)
	for _, content := range []string{"", "x", string(patterned(100_000))} {
		staged, err := staging.Receive(t.Context(), strings.NewReader(content), int64(len(content)))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256([]byte(content))
		if staged.Size != int64(len(content)) || staged.SHA256 != hex.EncodeToString(sum[:]) {
			t.Errorf("%d bytes: %+v", len(content), staged)
		}
		f, err := staged.Open()
		if err != nil {
			t.Fatal(err)
		}
		if mode(t, f.Name()) != 0o600 || mode(t, dir) != 0o700|fs.ModeDir {
			t.Errorf("modes %v and %v", mode(t, f.Name()), mode(t, dir))
		}
		for range 2 {
			if err := staged.Close(); err != nil {
				t.Error(err)
			}
		}
		if got, err := io.ReadAll(f); err != nil || string(got) != content {
			t.Errorf("after closing: %d bytes, %v", len(got), err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if _, err := staged.Open(); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("open after closing: %v", err)
		}
		if got := files(t, dir); got != nil {
			t.Errorf("there is %q", got)
		}
	}
}

func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

func TestReceiveRefuses(t *testing.T) {
	t.Parallel()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx    context.Context
		reader io.Reader
		limit  int64
		want   []error
	}{
		"too large":          {t.Context(), strings.NewReader("123456"), 5, []error{blob.ErrTooLarge}},
		"more than nothing":  {t.Context(), strings.NewReader("1"), 0, []error{blob.ErrTooLarge}},
		"much too large":     {t.Context(), strings.NewReader(string(patterned(100_000))), 40_000, []error{blob.ErrTooLarge}},
		"interrupted":        {t.Context(), failing("1234"), 5, []error{blob.ErrSource, errReader}},
		"fails at the limit": {t.Context(), failing("12345"), 5, []error{blob.ErrSource, errReader}},
		"ended":              {ended, strings.NewReader("1"), 5, []error{context.Canceled}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			staged, err := openStaging(t, dir).Receive(c.ctx, c.reader, c.limit)
			for _, want := range c.want {
				if staged != nil || !errors.Is(err, want) || blob.Temporary(err) {
					t.Errorf("%+v, %v", staged, err)
				}
			}
			if got := files(t, dir); got != nil {
				t.Errorf("there is %q", got)
			}
		})
	}
}

func TestPutStaged(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, r rig) {
		for _, content := range []string{"", "hello", string(patterned(partsLength))} {
			staged := receive(t, content)
			for _, name := range []string{"a/one", "a/one", "two"} {
				if err := r.PutStaged(t.Context(), name, staged, "text/plain"); err != nil {
					t.Fatal(err)
				}
			}
			if f, err := staged.Open(); err != nil {
				t.Errorf("the staged file is gone: %v", err)
			} else if err := errors.Join(f.Close(), staged.Close()); err != nil {
				t.Error(err)
			}
			want(t, r, "a/one", content)
			want(t, r, "two", content)
			if err := r.PutStaged(t.Context(), "three", staged, "text/plain"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("put a closed one: %v", err)
			}
		}
		if got := r.contents(t); !slices.Equal(got, []string{"a/one", "two"}) {
			t.Errorf("there is %q", got)
		}
	})
}

// Replacing a file that was put from a staged file does not change the staged file.
func TestPutStagedThenReplace(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, r rig) {
		staged := receive(t, "staged")
		if err := r.PutStaged(t.Context(), "a", staged, ""); err != nil {
			t.Fatal(err)
		}
		put(t, r, "a", "other")
		if err := r.PutStaged(t.Context(), "b", staged, ""); err != nil {
			t.Fatal(err)
		}
		want(t, r, "a", "other")
		want(t, r, "b", "staged")
	})
}

func TestStagingSweep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	staging := openStaging(t, dir)
	for range 2 {
		if _, err := staging.Receive(t.Context(), strings.NewReader("x"), 1); err != nil {
			t.Fatal(err)
		}
	}
	names := files(t, dir)
	age(t, filepath.Join(dir, names[0]), 2*time.Hour)
	if err := staging.Sweep(time.Hour); err != nil {
		t.Fatal(err)
	}
	if got := files(t, dir); !slices.Equal(got, names[1:]) {
		t.Errorf("of %q there is %q", names, got)
	}
}

// age makes a file older.
func age(t *testing.T, path string, by time.Duration) {
	t.Helper()
	then := time.Now().Add(-by)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
}
