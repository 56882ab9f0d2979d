package cli_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"vitrine/internal/database/dbtest"
)

func entries(t *testing.T, dir string) (names []string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
}

// cutOff puts the data folder into the state that a killed restore leaves.
func cutOff(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, ".restoring"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".restoring", "vitrine.db"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// After a restore was killed, every command refuses the data folder and changes nothing in it until
// the restore has been run again.
func TestRestoreCutOff(t *testing.T) {
	t.Parallel()
	source := folder(t)
	source.run("migrate").ok()
	source.ada()
	backup := filepath.Join(t.TempDir(), "site.tar.zst")
	source.run("backup", backup).ok()
	if got := entries(t, filepath.Dir(backup)); !slices.Equal(got, []string{"site.tar.zst"}) {
		t.Errorf("a backup leaves %q", got)
	}
	p := folder(t)
	dir := p.flags[1]
	cutOff(t, dir)
	for _, args := range [][]string{
		{"serve", "--addr", "127.0.0.1:0"}, {"work"}, {"migrate"}, {"check"}, {"backup", backup + ".2.tar.zst"}, {"user", "list"}, {"jobs"},
		{"token", "list", "--user", "ada"}, {"app", "list"}, {"audit"}, {"reports", "list"}, {"hidden", "list"}, {"blocklist", "list"},
		{"export", "--user", "ada", "--out", filepath.Join(t.TempDir(), "x.zip")}, {"providers", "update"},
	} {
		refuses(p.run(args...), 1, "an unfinished `vitrine restore`")
		if got := entries(t, dir); !slices.Equal(got, []string{".restoring"}) {
			t.Fatalf("%q leaves %q", args, got)
		}
	}
	p.run("restore", backup).ok()
	if got := entries(t, dir); slices.Contains(got, ".restoring") || slices.Contains(got, "vitrine.db.serving") {
		t.Errorf("a restore leaves %q", got)
	}
	p.run("user", "list").ok()
	// A refused restore leaves no files either.
	before := entries(t, dir)
	refuses(p.run("restore", backup), 1, "can only be restored to an empty place")
	if got := entries(t, dir); !slices.Equal(got, before) {
		t.Errorf("a refused restore makes %q of %q", got, before)
	}
	// Once the database is in place, the restore is complete.
	if err := os.Mkdir(filepath.Join(dir, ".restoring"), 0o700); err != nil {
		t.Fatal(err)
	}
	p.run("user", "list").ok()
	if slices.Contains(entries(t, dir), ".restoring") {
		t.Error("a leftover stays")
	}
}

// With PostgreSQL, the database records whether the restore was finished.
func TestRestoreCutOffPostgres(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	p := place{t, []string{"--data-dir", dir, "--database-url", dbtest.PostgresURL(t)}}
	cutOff(t, dir)
	refuses(p.run("migrate"), 1, "an unfinished `vitrine restore`")
	if err := os.RemoveAll(filepath.Join(dir, ".restoring")); err != nil {
		t.Fatal(err)
	}
	p.run("migrate").ok()
	cutOff(t, dir)
	p.run("user", "list").ok()
	if slices.Contains(entries(t, dir), ".restoring") {
		t.Error("a leftover stays")
	}
}
