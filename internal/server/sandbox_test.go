package server

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"vitrine/internal/database"
)

// The folders of killed sandboxes are removed; those of running and of new ones stay.
func TestAbandonedSandboxes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	hour := time.Now().Add(-time.Hour)
	folder := func(name string, changed time.Time) string {
		path := filepath.Join(dir, sandboxPrefix+name)
		if err := os.MkdirAll(filepath.Join(path, "1"), 0o700); err != nil {
			t.Fatal(err)
		}
		if name == "running" {
			release, err := database.HoldLock(t.Context(), filepath.Join(path, sandboxLock))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(release)
		}
		if err := os.Chtimes(path, changed, changed); err != nil {
			t.Fatal(err)
		}
		return path
	}
	killed, running, fresh := folder("killed", hour), folder("running", hour), folder("fresh", time.Now())
	removeAbandoned(t.Context(), dir)
	for path, stays := range map[string]bool{killed: false, running: true, fresh: true} {
		if _, err := os.Stat(path); (err == nil) != stays {
			t.Errorf("%s: %v", path, err)
		}
	}
}
