package database_test

import (
	"path/filepath"
	"testing"

	"vitrine/internal/database"
)

// Opening a database removes the planner statistics of an earlier ANALYZE, and closing it creates none.
func TestNoStatisticsAreKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	o := database.Options{URL: path, Synchronous: "OFF"}
	tables := func(db *database.DB) (n int) {
		t.Helper()
		err := db.Reader().QueryRow(t.Context(), "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'sqlite_stat%'").Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	db := open(t, o)
	exec(t, db, "CREATE TABLE t (a INTEGER)", "CREATE INDEX t_a ON t (a)", "INSERT INTO t VALUES (1), (2)")
	if n := tables(db); n != 0 {
		t.Errorf("there are statistics at first: %d tables", n)
	}
	exec(t, db, "ANALYZE")
	if n := tables(db); n == 0 {
		t.Fatal("ANALYZE made no statistics")
	}
	other := open(t, o) // while the first is open, as a command does
	if n := tables(other); n != 0 {
		t.Errorf("opening leaves %d tables of statistics", n)
	}
	for _, db := range []*database.DB{other, db} {
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	db = open(t, o)
	if n := tables(db); n != 0 {
		t.Errorf("closing leaves %d tables of statistics", n)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
