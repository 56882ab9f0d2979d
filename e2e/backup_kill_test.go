package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/bench/dataset"
	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
	"vitrine/internal/store"
)

// killedRounds is how often a backup, and then a restore, is killed.
const killedRounds = 3

// A backup and a restore are killed at random points several times. The source is unchanged,
// earlier backups stay complete, there is never a partly restored site, and the next run works as
// if nothing had happened.
func TestKillBackup(t *testing.T) {
	t.Parallel()
	path := build(t)
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		killBackups(t, newProgram(t, path, ""), func() string { return "" })
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		killBackups(t, newProgram(t, path, dbtest.PostgresURL(t)), func() string { return dbtest.PostgresURL(t) })
	})
}

func killBackups(t *testing.T, p program, empty func() (databaseURL string)) {
	db, err := database.Open(t.Context(), database.Options{URL: p.database, Synchronous: "OFF"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = dataset.Fill(t.Context(), store.New(db), dataset.Size{Users: 30, Channels: 40, Blocks: 1500, Connections: 2500, Large: 3000, Small: 100, Seed: 1})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	folder := filepath.Join(t.TempDir(), "backups")
	began := time.Now()
	p.run("backup", folder)
	whole := time.Since(began)
	for range killedRounds {
		p.kill(time.Duration(random.Int64N(int64(whole))), "backup", folder, "--keep", "1")
		p.run("backup", "verify", folder)
	}
	p.run("backup", folder, "--keep", "1")
	p.run("backup", "verify", folder)
	p.run("check")
	var list []struct {
		ID string `json:"id"`
	}
	p.json(&list, "backup", "list", folder, "--json")
	if len(list) != 1 {
		t.Errorf("%d backups are left", len(list))
	}
	wantNoStrays(t, folder)

	to := p.into(empty())
	began = time.Now()
	to.run("restore", folder)
	whole = time.Since(began)
	to.run("check", "--files")
	to = p.into(empty())
	for range killedRounds {
		to.kill(time.Duration(random.Int64N(int64(whole))), "restore", folder)
		if to.there() { // the restore was complete before the kill
			to.run("check", "--files")
			to = p.into(empty())
		}
	}
	to.run("restore", folder)
	to.run("check", "--files")
	p.run("check")
}

// into returns the program with other, empty places.
func (p program) into(databaseURL string) program {
	p.t.Helper()
	to := p
	to.dataDir = filepath.Join(p.t.TempDir(), "data")
	to.env = slices.DeleteFunc(slices.Clone(p.env), func(s string) bool {
		return strings.HasPrefix(s, "VITRINE_DATA_DIR=") || strings.HasPrefix(s, "VITRINE_DATABASE_URL=")
	})
	to.env = append(to.env, "VITRINE_DATA_DIR="+to.dataDir, "VITRINE_DATABASE_URL="+databaseURL)
	to.database = databaseURL
	return to
}

// kill runs a command and kills it after a delay, unless it has finished by then.
func (p program) kill(after time.Duration, args ...string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), after)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.path, args...) // killed with SIGKILL
	cmd.Env = p.env
	if out, err := cmd.CombinedOutput(); err != nil && ctx.Err() == nil {
		p.t.Fatalf("vitrine %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// there reports whether the database contains anything. Then it must be complete.
func (p program) there() bool {
	p.t.Helper()
	if p.database == "" {
		_, err := os.Stat(filepath.Join(p.dataDir, "vitrine.db"))
		return err == nil
	}
	db, err := database.Open(p.t.Context(), database.Options{URL: p.database})
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	// The server completes statements that it had received from the killed program.
	for killed := true; killed; {
		err := db.Reader().QueryRow(p.t.Context(), "SELECT EXISTS (SELECT 1 FROM pg_locks JOIN pg_stat_activity a USING (pid)"+
			" WHERE a.datname = current_database() AND locktype = 'advisory')").Scan(&killed)
		if err != nil {
			p.t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	version, err := db.SchemaVersion(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	return version > 0
}

// wantNoStrays fails the test if a folder contains anything that its only backup does not need.
func wantNoStrays(t *testing.T, folder string) {
	t.Helper()
	manifests, err := filepath.Glob(filepath.Join(folder, "backups", "*.json"))
	if err != nil || len(manifests) != 1 {
		t.Fatalf("%v, error %v", manifests, err)
	}
	raw, err := os.ReadFile(manifests[0])
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		Chunks []struct {
			Sum string `json:"sum"`
		} `json:"chunks"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	needed := map[string]bool{}
	for _, c := range m.Chunks {
		needed[c.Sum] = true
	}
	entries, err := os.ReadDir(filepath.Join(folder, "rows"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !needed[e.Name()] {
			t.Errorf("rows/%s is left of a backup that was killed", e.Name())
		}
	}
	if unfinished, err := os.ReadDir(filepath.Join(folder, ".tmp")); err != nil || len(unfinished) > 0 {
		t.Errorf("unfinished files are left: %v, error %v", unfinished, err)
	}
}
