package database_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
	"vitrine/internal/domain"
)

// victimEnv turns this test program into one that migrates a file and is killed.
const victimEnv = "VITRINE_TEST_VICTIM"

func TestMain(m *testing.M) {
	if path := os.Getenv(victimEnv); path != "" {
		db, err := database.Open(context.Background(), database.Options{URL: path})
		if err == nil {
			_, err = db.Migrate(context.Background(), files(createItems, addNote))
		}
		panic(err)
	}
	m.Run()
}

// large fills a database with about 20 MB, so that copying it is slow enough to interrupt.
func large(t *testing.T, db *database.DB) {
	t.Helper()
	exec(t, db, "INSERT INTO items (id, name) WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i, hex(randomblob(2000)) FROM n")
}

func copies(t *testing.T, db *database.DB) (whole, unfinished []string) {
	t.Helper()
	all, err := filepath.Glob(db.Path() + ".before-*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		if strings.Contains(path, ".unfinished") {
			unfinished = append(unfinished, path)
		} else {
			whole = append(whole, path)
		}
	}
	return whole, unfinished
}

// An upgrade that is killed while it copies the database leaves no copy under its final name, and the
// next start removes the unfinished copy.
func TestMigrateKilledWhileCopying(t *testing.T) {
	t.Parallel()
	db := open(t, database.Options{URL: dbtest.SQLitePath(t)})
	migrate(t, db, database.MigrationsUpTo(files(createItems, addNote), 1))
	large(t, db)
	command := startVictim(t, victimEnv+"="+db.Path())
	for killed := false; !killed; {
		_, unfinished := copies(t, db)
		for _, path := range unfinished {
			if info, err := os.Stat(path); err == nil && info.Size() > 0 && !killed {
				killed = true
				if err := command.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if whole, _ := copies(t, db); len(whole) > 0 && !killed {
			t.Fatalf("%q exists before the unfinished copy", whole)
		}
	}
	_ = command.Wait()
	whole, unfinished := copies(t, db)
	if len(whole) == 0 && len(unfinished) == 0 {
		t.Fatal("the program was not killed while copying")
	}
	for _, path := range whole { // the copy may have been completed before the kill
		wantVersion(t, open(t, database.Options{URL: path}), 1)
	}
	// A program without pending migrations removes it, too.
	migrate(t, db, database.MigrationsUpTo(files(createItems, addNote), 1))
	if _, unfinished := copies(t, db); len(unfinished) > 0 {
		t.Errorf("%q stays", unfinished)
	}
	res := migrate(t, db, files(createItems, addNote))
	before := open(t, database.Options{URL: res.BackupPath})
	wantVersion(t, before, 1)
	if n := number(t, before.Reader(), "SELECT count(*) FROM items"); n != 4992 {
		t.Errorf("the copy has %d items", n)
	}
}

// startVictim starts this test program with victimEnv set.
func startVictim(t *testing.T, variable string) *osexec.Cmd {
	t.Helper()
	command := osexec.CommandContext(t.Context(), os.Args[0])
	command.Env = append(os.Environ(), variable)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	return command
}

// An unfinished copy of another running program is not removed.
func TestMigrateLeavesCopiesOfOthers(t *testing.T) {
	t.Parallel()
	db := open(t, database.Options{URL: dbtest.SQLitePath(t)})
	migrate(t, db, files(createItems))
	theirs := db.Path() + ".before-1-to-2.unfinished"
	if err := os.WriteFile(theirs, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	unlock, err := database.LockMigrations(db, t.Context())
	if err != nil {
		t.Fatal(err)
	}
	migrate(t, db, files(createItems))
	if _, err := os.Stat(theirs); err != nil {
		t.Errorf("removed: %v", err)
	}
	unlock()
	migrate(t, db, files(createItems))
	if _, err := os.Stat(theirs); err == nil {
		t.Error("it stays")
	}
}

// On a full disk the error names the required space and the folder, and nothing is changed.
func TestMigrateOnFullDisk(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("NOT TESTED: a full disk, because mounting one requires root")
	}
	folder := t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, fmt.Sprintf("size=%d", 32<<20)); err != nil {
		t.Skipf("NOT TESTED: a full disk, because mounting one failed: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(folder, syscall.MNT_DETACH) })
	db, err := database.Open(t.Context(), database.Options{URL: filepath.Join(folder, "site.db")})
	if err != nil {
		t.Fatal(err)
	}
	migrate(t, db, files(createItems))
	large(t, db)
	if err := db.Close(); err != nil { // removes the write-ahead log
		t.Fatal(err)
	}
	db = open(t, database.Options{URL: filepath.Join(folder, "site.db")})
	_, err = db.Migrate(t.Context(), files(createItems, addNote))
	if err == nil || !strings.Contains(err.Error(), "not enough space in "+folder) || !strings.Contains(err.Error(), "needs up to ") ||
		strings.Contains(err.Error(), "try again in a few seconds") || errors.As(err, new(*domain.Error)) {
		t.Errorf("%v", err)
	}
	if whole, unfinished := copies(t, db); len(whole)+len(unfinished) > 0 {
		t.Errorf("%q %q are left", whole, unfinished)
	}
	wantVersion(t, db, 1)
}
