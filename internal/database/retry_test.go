package database

import (
	"context"
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
	if _, err := second.writer.ExecContext(t.Context(), "PRAGMA busy_timeout = 0"); err != nil {
		t.Fatal(err)
	}
	second.patience = 0
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

// conn runs f on the caching connection of db's writer.
func conn(t testing.TB, db *DB, f func(c *cachingConn)) {
	t.Helper()
	c, err := db.writer.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.Raw(func(driverConn any) error {
		f(driverConn.(*cachingConn))
		return nil
	})
}

func TestStatementsAreKept(t *testing.T) {
	t.Parallel()
	db := openFileDB(t, filepath.Join(t.TempDir(), "a.db"))
	ctx := t.Context()
	run := func(query string, args ...any) error {
		return db.Transact(ctx, func(tx *Tx) error {
			_, err := tx.Exec(ctx, query, args...)
			return err
		})
	}
	if err := run("CREATE TABLE t (n INTEGER UNIQUE)"); err != nil {
		t.Fatal(err)
	}
	const insert = "INSERT INTO t VALUES ($1)"
	var kept *cachedStmt
	for n := range 3 {
		if err := run(insert, n); err != nil {
			t.Fatal(err)
		}
		conn(t, db, func(c *cachingConn) {
			if n > 0 && c.stmts[insert] != kept {
				t.Error("the statement was prepared anew")
			}
			if kept = c.stmts[insert]; kept == nil || kept.busy {
				t.Errorf("the statement is %+v", kept)
			}
		})
	}
	if err := run(insert, 1); !IsUnique(err) {
		t.Errorf("insert = %v", err)
	}
	conn(t, db, func(c *cachingConn) {
		if c.stmts[insert] != nil {
			t.Error("a failed statement is kept")
		}
	})
	if err := run(insert, 4); err != nil {
		t.Error(err)
	}
}

func TestStatementsAreBounded(t *testing.T) {
	t.Parallel()
	db := openFileDB(t, filepath.Join(t.TempDir(), "a.db"))
	for n := range maxStatements + 50 {
		var got int
		query := "SELECT 1" + strings.Repeat(" ", n)
		if err := db.writer.QueryRowContext(t.Context(), query).Scan(&got); err != nil || got != 1 {
			t.Fatal(got, err)
		}
	}
	conn(t, db, func(c *cachingConn) {
		if len(c.stmts) != maxStatements {
			t.Errorf("%d statements", len(c.stmts))
		}
	})
}

// A query that runs while rows of the same text are read has to be another one.
func TestStatementInUse(t *testing.T) {
	t.Parallel()
	db := openFileDB(t, filepath.Join(t.TempDir(), "a.db"))
	const query = "SELECT value FROM json_each($1)"
	var sum func(ctx context.Context, q Querier, depth int) int
	sum = func(ctx context.Context, q Querier, depth int) int {
		if depth == 0 {
			return 1
		}
		rows, err := q.Query(ctx, query, "[1,2,3]")
		if err != nil {
			t.Error(err)
			return 0
		}
		defer rows.Close()
		total := 0
		for rows.Next() {
			var n int
			if err := rows.Scan(&n); err != nil {
				t.Error(err)
			}
			total += n * sum(ctx, q, depth-1)
		}
		return total
	}
	err := db.Transact(t.Context(), func(tx *Tx) error {
		if got := sum(t.Context(), tx, 3); got != 6*6*6 {
			t.Errorf("sum = %d, want %d", got, 6*6*6)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// A prepared statement follows a change of the schema.
func TestStatementAfterSchemaChange(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	db, other := openFileDB(t, path), openFileDB(t, path)
	for i, statement := range []string{
		"CREATE TABLE t AS SELECT 0 AS n",
		"CREATE INDEX i ON t (n)",
		"ALTER TABLE t ADD COLUMN m INTEGER DEFAULT 5",
		"UPDATE t SET n = 3",
	} {
		if _, err := other.writer.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
		rows, err := db.writer.QueryContext(t.Context(), "SELECT * FROM t")
		if err != nil {
			t.Fatal(err)
		}
		columns, err := rows.Columns()
		rows.Close()
		if want := 1 + i/2; err != nil || len(columns) != want {
			t.Errorf("after %s: columns %v, want %d; %v", statement, columns, want, err)
		}
	}
}
