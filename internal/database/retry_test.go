package database

import (
	"path/filepath"
	"strings"
	"testing"
)

func openFileDB(t testing.TB, path string) *DB {
	t.Helper()
	db, err := Open(t.Context(), Options{URL: path, Synchronous: "OFF"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func TestRetryGivesUp(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	first, second := openFileDB(t, path), openFileDB(t, path)
	if _, err := second.writer.Exec(t.Context(), "PRAGMA busy_timeout = 0", nil); err != nil {
		t.Fatal(err)
	}
	second.retryTime = 0
	err := first.Transact(t.Context(), func(*Tx) error {
		err := second.Transact(t.Context(), func(*Tx) error {
			t.Error("two write at once")
			return nil
		})
		if !IsRetryable(err) || !strings.Contains(err.Error(), "gave up after 2 attempts") {
			t.Errorf("Transact = %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
