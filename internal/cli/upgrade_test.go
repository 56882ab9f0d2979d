package cli_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/database"
	"vitrine/internal/server"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// contentOf returns the sums of all files in a folder, except those that only exist while SQLite has a file open.
func contentOf(t *testing.T, folder string) map[string][32]byte {
	t.Helper()
	all := map[string][32]byte{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "-shm") {
			return err
		}
		content, err := os.ReadFile(path)
		all[path] = sha256.Sum256(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// rehearsed runs a rehearsal that must succeed.
func rehearsed(t *testing.T, from string, more ...string) (r server.Rehearsal) {
	t.Helper()
	scratch := t.TempDir()
	res := run(t, append([]string{"upgrade", "check", "--json", "--from", from, "--scratch", scratch, "--data-dir", t.TempDir() + "/none"}, more...)...).ok()
	if err := json.Unmarshal([]byte(res.out), &r); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
	return r
}

// old creates a data folder with an older schema.
func old(t *testing.T, version int64) (folder string) {
	t.Helper()
	folder = t.TempDir()
	db, err := database.Open(t.Context(), database.Options{URL: filepath.Join(folder, "vitrine.db")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Migrate(t.Context(), database.MigrationsUpTo(store.Migrations(database.SQLite), version)); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return folder
}

// A rehearsal of a data folder changes nothing there, tells the time of each migration, and whether the old program
// still works afterwards.
func TestUpgradeCheck(t *testing.T) {
	t.Parallel()
	latest := server.SchemaVersion()
	for _, c := range []struct {
		version    int64
		reversible bool
	}{{latest - 3, true}, {20, false}} {
		folder := old(t, c.version)
		before := contentOf(t, folder)
		r := rehearsed(t, folder)
		if r.From != c.version || r.To != latest || r.Reversible != c.reversible || (len(r.Ends) == 0) != c.reversible || r.Before == 0 || r.After < r.Before || len(r.Differences) > 0 {
			t.Errorf("from %d: %+v", c.version, r)
		}
		if n := len(r.Migrations); n == 0 || r.Migrations[n-1].Version != latest || r.Migrations[0].Version <= c.version {
			t.Errorf("from %d: %+v", c.version, r.Migrations)
		}
		after := contentOf(t, folder)
		for path, sum := range before {
			if after[path] != sum {
				t.Errorf("%s was changed", path)
			}
		}
		for path := range after {
			if _, was := before[path]; !was && !strings.HasSuffix(path, "-wal") { // an empty one
				t.Errorf("%s was created", path)
			}
		}
	}
	text := run(t, "upgrade", "check", "--from", old(t, 20), "--data-dir", t.TempDir()).ok().out
	for _, part := range []string{"The schema goes from version 20 to ", "To go back, you need a backup", "_"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in\n%s", part, text)
		}
	}
}

// The server of the folder can be running, and wrong derived values are found in the copy only.
func TestUpgradeCheckOfARunningSite(t *testing.T) {
	t.Parallel()
	p := folder(t)
	p.run("migrate").ok()
	r := apptest.Boot(t, p.database())
	moss := r.Channel("ada", "Moss", "public")
	r.Block("ada", "text", moss)
	if got := rehearsed(t, p.folder()); got.From != got.To || len(got.Migrations) > 0 || !got.Reversible {
		t.Errorf("%+v", got)
	}
	r.Exec("UPDATE channels SET blocks_count = blocks_count + 1")
	res := run(t, "upgrade", "check", "--from", p.folder(), "--data-dir", t.TempDir())
	if res.code != 3 || !strings.Contains(res.err, "1 check failed") {
		t.Errorf("exit code %d\n%s%s", res.code, res.out, res.err)
	}
	r.Exec("UPDATE channels SET blocks_count = blocks_count - 1")

	for _, to := range []string{t.TempDir() + "/site.tar.zst", t.TempDir() + "/all"} {
		p.run("backup", to).ok()
		if got := rehearsed(t, to); got.From != got.To || got.After == 0 || got.Database != "sqlite" {
			t.Errorf("%s: %+v", to, got)
		}
	}
}

func TestUpgradeCheckRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	check := func(from, want string) {
		t.Helper()
		res := run(t, "upgrade", "check", "--from", from, "--data-dir", t.TempDir())
		if res.code != 1 || !strings.Contains(res.err, want) {
			t.Errorf("%s: exit code %d, %s, want %s", from, res.code, res.err, want)
		}
	}
	check(dir+"/none", "no such file")
	check(dir, "there is no vitrine.db")
	if err := os.WriteFile(filepath.Join(dir, "vitrine.db"), bytes.Repeat([]byte("x"), 8192), 0o600); err != nil {
		t.Fatal(err)
	}
	check(dir, "not a database")
	check("postgres://vitrine:hush@127.0.0.1:1/x_upgrade", "connect")
	if res := run(t, "upgrade", "check", "--from", "postgres://vitrine:hush@127.0.0.1:1/x_upgrade"); strings.Contains(res.err, "hush") {
		t.Error("the password is shown")
	}
}

// In PostgreSQL, only a copy with a certain name that nothing uses is migrated.
func TestUpgradeCheckOfPostgres(t *testing.T) {
	t.Parallel()
	o := storetest.Migrated.Postgres(t)
	res := run(t, "upgrade", "check", "--from", o.URL, "--data-dir", t.TempDir())
	if res.code != 1 || !strings.Contains(res.err, "must end in _upgrade") {
		t.Errorf("exit code %d, %s", res.code, res.err)
	}
	site, err := database.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	name := ""
	if err := site.Reader().QueryRow(t.Context(), "SELECT CAST(current_database() AS TEXT)").Scan(&name); err != nil {
		t.Fatal(err)
	}
	if _, err := site.SQL().ExecContext(t.Context(), "CREATE DATABASE "+name+"_upgrade"); err != nil {
		t.Fatal(err)
	}
	defer site.SQL().ExecContext(t.Context(), "DROP DATABASE "+name+"_upgrade WITH (FORCE)")
	copied := database.Options{URL: strings.Replace(o.URL, "/"+name, "/"+name+"_upgrade", 1)}
	db, err := database.Open(t.Context(), copied)
	if err != nil {
		t.Fatal(err)
	}
	latest := server.SchemaVersion()
	if _, err := db.Migrate(t.Context(), database.MigrationsUpTo(store.Migrations(database.Postgres), latest-3)); err != nil {
		t.Fatal(err)
	}
	if res := run(t, "upgrade", "check", "--from", copied.URL, "--data-dir", t.TempDir()); res.code != 1 || !strings.Contains(res.err, "uses the database") {
		t.Errorf("a database in use: exit code %d, %s", res.code, res.err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	r := rehearsed(t, copied.URL)
	if r.From != latest-3 || r.To != latest || r.Database != "postgres" || r.Before == 0 || !slices.ContainsFunc(r.Migrations, func(m server.RehearsedStep) bool { return m.Version == latest }) {
		t.Errorf("%+v", r)
	}
}
