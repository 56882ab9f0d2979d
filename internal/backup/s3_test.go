package backup_test

import (
	"crypto/rand"
	"os"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/backup"
	"vitrine/internal/blob"
	"vitrine/internal/config"
	"vitrine/internal/database"
)

// bucket returns the address and the content of an empty prefix in a bucket, or skips the test.
func bucket(t *testing.T) (address string, kept *blob.S3) {
	t.Helper()
	raw := os.Getenv("VITRINE_TEST_S3")
	if raw == "" {
		if os.Getenv("VITRINE_TEST_REQUIRE_S3") != "" {
			t.Fatal("VITRINE_TEST_S3 holds no bucket's address")
		}
		t.Skip("VITRINE_TEST_S3 is not set to the address of a bucket")
	}
	before, query, _ := strings.Cut(raw, "?")
	address = strings.TrimSuffix(before, "/") + "/test-" + rand.Text() + "?" + query
	o, err := blob.ParseURL(address)
	if err != nil {
		t.Fatal(err)
	}
	o.AccessKey, o.SecretKey = keys().Access, keys().Secret
	if kept, err = blob.OpenS3(o); err != nil {
		t.Fatal(err)
	}
	return address, kept
}

func names(t *testing.T, s blob.Store) (all []string) {
	t.Helper()
	err := s.List(t.Context(), "", func(name string, _ int64) error {
		all = append(all, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Backups and restores work with buckets, as with folders.
func TestBackupInBucket(t *testing.T) {
	t.Parallel()
	address, kept := bucket(t)
	s := seeded(t, apptest.New(t))
	first := s.backUp(address)
	s.Clock.Advance(time.Hour)
	second := s.backUp(address, func(o *backup.Options) { o.Keep = 1 })
	if second.New > first.New/4 || len(second.Removed) != 1 {
		t.Errorf("%d bytes are new, of %d; removed %v", second.New, first.New, second.Removed)
	}
	if err := verify(t, address); err != nil {
		t.Error(err)
	}
	for _, name := range names(t, kept) {
		if strings.HasPrefix(name, "running/") || name == "unfinished" {
			t.Errorf("%s is left", name)
		}
	}

	files, storage := bucket(t)
	to, o := place(t, database.SQLite)
	to.Files, to.Bucket = "", storage
	if _, err := restore(t, address, to); err != nil {
		t.Fatal(err)
	}
	for _, name := range names(t, storage) {
		if !strings.HasPrefix(name, "originals/") {
			t.Errorf("%s is left in the bucket of files", name)
		}
	}
	again := site{apptest.Boot(t, o, func(c *config.Config) {
		c.DataDir, c.Blob = to.Folder, config.Blob{URL: files, AccessKey: keys().Access, SecretKey: keys().Secret}
	}), storage}
	compare(t, rowsOf(t, s), rowsOf(t, again))
	if res := again.backUp(t.TempDir()); res.Manifest.Files != second.Manifest.Files || len(res.Manifest.Missing) > 0 {
		t.Errorf("%d files, want %d; missing %v", res.Manifest.Files, second.Manifest.Files, res.Manifest.Missing)
	}
	other, _ := place(t, database.SQLite)
	other.Files, other.Bucket = "", storage
	if _, err := restore(t, address, other); err == nil {
		t.Error("restored into a bucket that is not empty")
	}
	if len(names(t, storage)) == 0 {
		t.Error("what was in it is gone")
	}

	// A modified backup in a bucket is rejected, and nothing remains of the restore.
	for _, name := range names(t, kept) {
		if strings.HasPrefix(name, "files/") {
			if err := kept.Put(t.Context(), name, strings.NewReader("x"), 1, ""); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	_, third := bucket(t)
	other.Bucket = third
	if _, err := restore(t, address, other); err == nil {
		t.Error("an altered backup was restored")
	}
	if left := names(t, third); len(left) > 0 {
		t.Errorf("left in the bucket: %v", left)
	}
}

// Only one backup runs in a bucket at a time, and the lease of one that died expires.
func TestBucketLease(t *testing.T) {
	t.Parallel()
	address, kept := bucket(t)
	s := siteOf(t, apptest.New(t))
	s.backUp(address)
	if err := kept.Put(t.Context(), "running/another", strings.NewReader("x"), 1, ""); err != nil {
		t.Fatal(err)
	}
	to, err := backup.ToWrite(t.Context(), address, keys())
	if err == nil {
		_, err = backup.Run(t.Context(), backup.Options{DB: s.DB(), Store: s.S.Store, Blobs: s.blobs, To: to, Now: s.Clock.Now, OnProgress: quiet})
	}
	if err == nil {
		t.Error("two backups at once")
	}
}
