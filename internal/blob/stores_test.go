package blob_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"vitrine/internal/blob"
)

// Environment variables for an S3 server: the URL of a bucket, as in ParseURL, and its keys. Without the
// first one, S3 tests are skipped, or fail if the last one is set.
const (
	s3Env       = "VITRINE_TEST_S3"
	accessEnv   = "VITRINE_TEST_S3_ACCESS_KEY"
	secretEnv   = "VITRINE_TEST_S3_SECRET_KEY"
	requireEnv  = "VITRINE_TEST_REQUIRE_S3"
	partsLength = 17 << 20 // long enough for a multipart upload
)

// rig is a store for one test.
type rig struct {
	blob.Store
	s3       bool
	contents func(t *testing.T) []string // everything stored: names, and "unfinished …"
}

// eachStore runs f in parallel subtests "disk" and "s3", each with an empty store.
func eachStore(t *testing.T, f func(t *testing.T, r rig)) {
	t.Helper()
	t.Run("disk", func(t *testing.T) {
		t.Parallel()
		dir := filepath.Join(t.TempDir(), "media")
		disk := openDisk(t, dir)
		f(t, rig{Store: disk, contents: func(t *testing.T) []string { return files(t, dir) }})
	})
	t.Run("s3", func(t *testing.T) {
		t.Parallel()
		o := s3Options(t)
		f(t, rig{Store: openS3(t, o), s3: true, contents: func(t *testing.T) []string { return objects(t, o) }})
	})
}

func openDisk(t *testing.T, dir string) *blob.Disk {
	t.Helper()
	disk, err := blob.OpenDisk(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := disk.Close(); err != nil {
			t.Error(err)
		}
	})
	return disk
}

// files lists all files below a folder.
func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if unfinished, ok := strings.CutPrefix(name, ".tmp/"); ok {
			name = "unfinished " + unfinished
		}
		names = append(names, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// s3Options returns options with a prefix that is emptied when the test ends, or skips the test.
func s3Options(t *testing.T) blob.S3Options {
	t.Helper()
	raw := os.Getenv(s3Env)
	if raw == "" {
		if os.Getenv(requireEnv) != "" {
			t.Fatalf("%s is not set, but %s is", s3Env, requireEnv)
		}
		t.Skipf("%s is not set to the URL of a bucket, such as s3://bucket?endpoint=http://127.0.0.1:7070", s3Env)
	}
	o, err := blob.ParseURL(raw)
	if err != nil {
		t.Fatal(err)
	}
	o.AccessKey, o.SecretKey = os.Getenv(accessEnv), os.Getenv(secretEnv)
	o.Prefix = strings.TrimPrefix(o.Prefix+"/test-"+rand.Text(), "/")
	t.Cleanup(func() {
		core := s3Core(t, o)
		for _, name := range objects(t, o) {
			if !strings.HasPrefix(name, "unfinished ") {
				err := core.Client.RemoveObject(context.Background(), o.Bucket, o.Prefix+"/"+name, minio.RemoveObjectOptions{})
				if err != nil {
					t.Error(err)
				}
			}
		}
		if err := openS3(t, o).Sweep(context.Background(), 0); err != nil {
			t.Error(err)
		}
	})
	return o
}

func openS3(t *testing.T, o blob.S3Options) *blob.S3 {
	t.Helper()
	store, err := blob.OpenS3(o)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// s3Core returns a client for direct access to the bucket.
func s3Core(t *testing.T, o blob.S3Options) *minio.Core {
	t.Helper()
	core, err := minio.NewCore(strings.TrimPrefix(o.Endpoint, "http://"), &minio.Options{
		Creds: credentials.NewStaticV4(o.AccessKey, o.SecretKey, ""), Region: o.Region,
	})
	if err != nil {
		t.Fatal(err)
	}
	return core
}

// objects lists the objects below the prefix.
func objects(t *testing.T, o blob.S3Options) (names []string) {
	t.Helper()
	core, prefix := s3Core(t, o), o.Prefix+"/"
	for object := range core.Client.ListObjects(context.Background(), o.Bucket, minio.ListObjectsOptions{Prefix: prefix, Recursive: true}) {
		if object.Err != nil {
			t.Fatal(object.Err)
		}
		names = append(names, strings.TrimPrefix(object.Key, prefix))
	}
	for upload := range core.ListIncompleteUploads(context.Background(), o.Bucket, prefix, true) {
		if upload.Err != nil {
			t.Fatal(upload.Err)
		}
		names = append(names, "unfinished "+strings.TrimPrefix(upload.Key, prefix))
	}
	return names
}

func put(t *testing.T, s blob.Store, name, content string) {
	t.Helper()
	if err := s.Put(t.Context(), name, strings.NewReader(content), int64(len(content)), "text/plain"); err != nil {
		t.Fatal(err)
	}
}

// read returns the content of a file, and whether it exists.
func read(t *testing.T, s blob.Store, name string) (string, bool) {
	t.Helper()
	f, err := s.Open(t.Context(), name)
	if errors.Is(err, blob.ErrNotFound) {
		return "", false
	}
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(f)
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	if int64(len(content)) != f.Size {
		t.Errorf("%s has %d bytes, but its size is %d", name, len(content), f.Size)
	}
	return string(content), true
}

func want(t *testing.T, s blob.Store, name, content string) {
	t.Helper()
	got, ok := read(t, s, name)
	if !ok {
		t.Errorf("%s is missing", name)
	} else if got != content {
		t.Errorf("%s has %d bytes %.50q, want %d bytes %.50q", name, len(got), got, len(content), content)
	}
}

// stream hides all methods except Read.
type stream struct{ io.Reader }

// patterned returns n bytes that do not repeat within a part.
func patterned(n int) []byte {
	b := make([]byte, 0, n+16)
	for i := 0; len(b) < n; i++ {
		b = append(b, byte(i), byte(i>>8), byte(i>>16), '.')
	}
	return bytes.Clone(b[:n])
}
