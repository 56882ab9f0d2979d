package database_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
)

// open opens a database that is closed when the test ends.
func open(t testing.TB, o database.Options) *database.DB {
	t.Helper()
	db, err := database.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return db
}

// exec runs each statement in its own transaction.
func exec(t testing.TB, db *database.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		err := db.Transact(t.Context(), func(tx *database.Tx) error {
			_, err := tx.Exec(t.Context(), s)
			return err
		})
		if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// number queries one integer.
func number(t testing.TB, q database.Querier, query string, args ...any) int64 {
	t.Helper()
	var n int64
	if err := q.QueryRow(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]database.Options{
		"nothing":        {},
		"memory":         {URL: ":memory:"},
		"no path":        {URL: "sqlite:"},
		"unknown scheme": {URL: "mysql://localhost/x"},
		"synchronous":    {URL: filepath.Join(t.TempDir(), "a.db"), Synchronous: "MAYBE"},
		"not a database": {URL: garbage(t)},
		"no server":      {URL: "postgres://127.0.0.1:1/x?connect_timeout=2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, err := database.Open(t.Context(), o)
			if err == nil {
				db.Close()
				t.Fatal("opened")
			}
		})
	}
}

func garbage(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "garbage.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("not a database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpenHidesPassword(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"postgres://user:hush-hush@127.0.0.1:1/x?connect_timeout=2",
		"postgres://user:hush-hush@127.0.0.1:port/x",
	} {
		_, err := database.Open(t.Context(), database.Options{URL: url})
		if err == nil || strings.Contains(err.Error(), "hush-hush") {
			t.Errorf("Open = %v", err)
		}
	}
}

func TestOpenMakesPrivateFile(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "100% what?#")
	path := filepath.Join(dir, "a b.db")
	for _, url := range []string{path, "sqlite:" + path, "sqlite://" + path} {
		db := open(t, database.Options{URL: url})
		if db.Dialect() != database.SQLite || db.Path() != path {
			t.Errorf("%s opened %s %s", url, db.Dialect(), db.Path())
		}
		exec(t, db, "CREATE TABLE IF NOT EXISTS t (n INTEGER)")
	}
	for file, want := range map[string]os.FileMode{dir: 0o700, path: 0o600, path + "-wal": 0o600} {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", file, got, want)
		}
	}
}

func TestOpenAtOnce(t *testing.T) {
	t.Parallel()
	path := dbtest.SQLitePath(t)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			db, err := database.Open(context.Background(), database.Options{URL: path})
			if err != nil {
				t.Error(err)
				return
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

func TestPragmas(t *testing.T) {
	t.Parallel()
	for _, sync := range []struct {
		name string
		want int64
	}{{"", 2}, {"full", 2}, {"NORMAL", 1}, {"OFF", 0}} {
		db := open(t, database.Options{URL: dbtest.SQLitePath(t), Synchronous: sync.name})
		err := db.Transact(t.Context(), func(tx *database.Tx) error {
			for pragma, want := range map[string]int64{"synchronous": sync.want, "foreign_keys": 1, "query_only": 0} {
				if got := number(t, tx, "PRAGMA "+pragma); got != want {
					t.Errorf("Synchronous %q: writer's %s = %d, want %d", sync.name, pragma, got, want)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		var mode string
		if err := db.Reader().QueryRow(t.Context(), "PRAGMA journal_mode").Scan(&mode); err != nil || mode != "wal" {
			t.Errorf("journal_mode = %s, %v", mode, err)
		}
	}
}

func TestReaderCannotWrite(t *testing.T) {
	t.Parallel()
	db := open(t, database.Options{URL: dbtest.SQLitePath(t)})
	exec(t, db, "CREATE TABLE t (n INTEGER)")
	if _, err := db.Reader().Exec(t.Context(), "INSERT INTO t VALUES (1)"); err == nil {
		t.Error("a reader has written")
	}
	err := db.View(t.Context(), func(q database.Querier) error {
		_, err := q.Exec(t.Context(), "INSERT INTO t VALUES (1)")
		return err
	})
	if err == nil {
		t.Error("a view has written")
	}
	if n := number(t, db.Reader(), "SELECT COUNT(*) FROM t"); n != 0 {
		t.Errorf("%d rows", n)
	}
}

func TestViewCannotWrite(t *testing.T) {
	t.Parallel()
	db := open(t, database.Options{URL: dbtest.PostgresURL(t)})
	exec(t, db, "CREATE TABLE t (n INTEGER)")
	err := db.View(t.Context(), func(q database.Querier) error {
		_, err := q.Exec(t.Context(), "INSERT INTO t VALUES (1)")
		return err
	})
	if err == nil {
		t.Error("a view has written")
	}
}

func TestCloseTwice(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		db := open(t, o) // open also closes it at the end of the test
		if err := errors.Join(db.Close(), db.Close()); err != nil {
			t.Error(err)
		}
		if err := db.Ping(t.Context()); err == nil {
			t.Error("a closed database answers")
		}
	})
}
