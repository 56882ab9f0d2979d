package blob_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/blob"
)

func TestDiskModes(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "media")
	disk := openDisk(t, dir)
	put(t, disk, "a/b/put", "x")
	if err := disk.PutStaged(t.Context(), "a/b/staged", receive(t, "x"), ""); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]fs.FileMode{
		"": 0o700 | fs.ModeDir, ".tmp": 0o700 | fs.ModeDir, "a": 0o700 | fs.ModeDir, "a/b": 0o700 | fs.ModeDir,
		"a/b/put": 0o600, "a/b/staged": 0o600,
	} {
		if got := mode(t, filepath.Join(dir, path)); got != want {
			t.Errorf("%q has the mode %v, want %v", path, got, want)
		}
	}
}

// A staged file is linked instead of copied if possible.
func TestDiskLinksStaged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		move string // new location of the folder, which breaks linking by path
		same bool
	}{
		"linked": {"media", true},
		"copied": {"moved", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			disk := openDisk(t, filepath.Join(dir, "media"))
			if c.move != "media" {
				if err := os.Rename(filepath.Join(dir, "media"), filepath.Join(dir, c.move)); err != nil {
					t.Fatal(err)
				}
			}
			staged := receive(t, "hello")
			if err := disk.PutStaged(t.Context(), "a", staged, ""); err != nil {
				t.Fatal(err)
			}
			want(t, disk, "a", "hello")
			f, err := staged.Open()
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if got := os.SameFile(stat(t, filepath.Join(dir, c.move, "a")), stat(t, f.Name())); got != c.same {
				t.Errorf("the same file: %t", got)
			}
		})
	}
}

func stat(t *testing.T, path string) fs.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// Links out of the folder are not followed.
func TestDiskLinksOut(t *testing.T) {
	t.Parallel()
	for name, link := range map[string]string{"folder": "out", "temporary folder": ".tmp", "file": "out/file"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, outside := t.TempDir(), t.TempDir()
			disk := openDisk(t, dir)
			if err := os.WriteFile(filepath.Join(outside, "file"), []byte("secret"), 0o600); err != nil {
				t.Fatal(err)
			}
			path, target := filepath.Join(dir, link), outside
			if strings.Contains(link, "/") {
				target = filepath.Join(outside, "file")
			}
			err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.RemoveAll(path), os.Symlink(target, path))
			if err != nil {
				t.Fatal(err)
			}
			if f, err := disk.Open(t.Context(), "out/file"); err == nil {
				t.Error("the file outside was opened", f.Close())
			}
			if info, err := disk.Stat(t.Context(), "out/file"); err == nil {
				t.Errorf("the file outside was seen: %+v", info)
			}
			put := disk.Put(t.Context(), "out/file", strings.NewReader("x"), 1, "")
			staged := disk.PutStaged(t.Context(), "out/file", receive(t, "y"), "")
			if link == "out/file" { // the link is replaced
				if put != nil || staged != nil {
					t.Errorf("put: %v, %v", put, staged)
				}
				want(t, disk, "out/file", "y")
			} else if put == nil || staged == nil {
				t.Error("put has followed the link")
			}
			_ = disk.Delete(t.Context(), "out/file")
			_ = disk.Sweep(t.Context(), 0)
			if got := files(t, outside); !slices.Equal(got, []string{"file"}) {
				t.Errorf("outside there is %q", got)
			}
			if content, err := os.ReadFile(filepath.Join(outside, "file")); err != nil || string(content) != "secret" {
				t.Errorf("outside: %q, %v", content, err)
			}
		})
	}
}

// A name cannot be both a file and a folder.
func TestDiskNameIsFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	disk := openDisk(t, dir)
	put(t, disk, "a/b", "x")
	for _, name := range []string{"a", "a/b/c"} {
		if err := disk.Put(t.Context(), name, strings.NewReader("y"), 1, ""); err == nil || errors.Is(err, blob.ErrNotFound) {
			t.Errorf("put %s: %v", name, err)
		}
	}
	if got := files(t, dir); !slices.Equal(got, []string{"a/b"}) {
		t.Errorf("there is %q", got)
	}
}

func TestDiskSweep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	disk := openDisk(t, dir)
	put(t, disk, "kept", "x")
	for _, name := range []string{".tmp/old", ".tmp/new"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	age(t, filepath.Join(dir, "kept"), 2*time.Hour)
	age(t, filepath.Join(dir, ".tmp/old"), 2*time.Hour)
	if err := disk.Sweep(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	if got := files(t, dir); !slices.Equal(got, []string{"unfinished new", "kept"}) {
		t.Errorf("there is %q", got)
	}
}

func TestDiskCheckFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	disk := openDisk(t, dir)
	if err := os.Remove(filepath.Join(dir, ".tmp")); err != nil {
		t.Fatal(err)
	}
	if err := disk.Check(t.Context()); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("check: %v", err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := blob.OpenDisk(file); err == nil {
		t.Error("a file was taken for the folder")
	}
}

func TestDiskDoesNotPresign(t *testing.T) {
	t.Parallel()
	url, ok, err := openDisk(t, t.TempDir()).PresignPut(t.Context(), "a", "text/plain", time.Hour)
	if url != "" || ok || err != nil {
		t.Errorf("%q, %t, %v", url, ok, err)
	}
}
