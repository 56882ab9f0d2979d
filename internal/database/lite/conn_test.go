//go:build !databasesql

package lite

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"modernc.org/libc"
	engine "modernc.org/sqlite/lib"
)

func connect(t testing.TB, path string) *Conn {
	t.Helper()
	c, err := Connect(path, 0, "PRAGMA journal_mode = WAL", "PRAGMA synchronous = OFF")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func connectNew(t testing.TB) *Conn {
	t.Helper()
	return connect(t, filepath.Join(t.TempDir(), "a.db"))
}

func (c *Conn) must(t testing.TB, text string, args ...any) int64 {
	t.Helper()
	n, err := c.Exec(t.Context(), text, args)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return n
}

// scan reads the first row of a query.
func (c *Conn) scan(ctx context.Context, text string, args []any, dest ...any) error {
	rows, err := c.Query(ctx, text, args)
	if err != nil {
		return err
	}
	return (*Row)(rows).Scan(dest...)
}

func TestStatementsAreKept(t *testing.T) {
	t.Parallel()
	c := connectNew(t)
	c.must(t, "CREATE TABLE t (n INTEGER UNIQUE)")
	const insert = "INSERT INTO t VALUES ($1)"
	var kept *stmt
	for n := range 3 {
		c.must(t, insert, n)
		if n > 0 && c.stmts[insert] != kept {
			t.Error("the statement was prepared again")
		}
		if kept = c.stmts[insert]; kept == nil || kept.busy {
			t.Errorf("the statement is %+v", kept)
		}
	}
	_, err := c.Exec(t.Context(), insert, []any{1})
	if e, ok := errors.AsType[*Error](err); !ok || e.Code != Unique {
		t.Errorf("insert = %v", err)
	}
	if c.stmts[insert] != nil {
		t.Error("a failed statement is kept")
	}
	c.must(t, insert, 4)
}

func TestStatementsAreBounded(t *testing.T) {
	t.Parallel()
	c := connectNew(t)
	for n := range maxStatements + 50 {
		var got int
		if err := c.scan(t.Context(), "SELECT 1"+strings.Repeat(" ", n), nil, &got); err != nil || got != 1 {
			t.Fatal(got, err)
		}
	}
	if len(c.stmts) != maxStatements {
		t.Errorf("%d statements", len(c.stmts))
	}
}

// A query that runs while rows of the same text are read needs a second prepared statement.
func TestStatementInUse(t *testing.T) {
	t.Parallel()
	c := connectNew(t)
	var sum func(depth int) int
	sum = func(depth int) int {
		if depth == 0 {
			return 1
		}
		rows, err := c.Query(t.Context(), "SELECT value FROM json_each($1)", []any{"[1,2,3]"})
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
			total += n * sum(depth-1)
		}
		return total
	}
	if got := sum(3); got != 6*6*6 {
		t.Errorf("sum = %d, want %d", got, 6*6*6)
	}
	if c.reading != 0 {
		t.Errorf("%d rows are open", c.reading)
	}
}

// A prepared statement adapts to a change of the schema.
func TestStatementAfterSchemaChange(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	c, other := connect(t, path), connect(t, path)
	for i, statement := range []string{
		"CREATE TABLE t AS SELECT 0 AS n",
		"CREATE INDEX i ON t (n)",
		"ALTER TABLE t ADD COLUMN m INTEGER DEFAULT 5",
		"UPDATE t SET n = 3",
	} {
		other.must(t, statement)
		rows, err := c.Query(t.Context(), "SELECT * FROM t", nil)
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

func TestPlaceholders(t *testing.T) {
	t.Parallel()
	c := connectNew(t)
	for text, want := range map[string]string{
		"SELECT $2 || $1":              "ba",
		"SELECT ?2 || ?1":              "ba",
		"SELECT ? || ?":                "ab",
		"SELECT $1 || $1 || $2":        "aab",
		"SELECT $2 || ';' || $1":       "b;a",
		"-- a comment; \nSELECT $1 ; ": "a",
	} {
		var got string
		if err := c.scan(t.Context(), text, []any{"a", "b"}, &got); err != nil || got != want {
			t.Errorf("%s is %q, want %q; %v", text, got, want, err)
		}
	}
	for _, text := range []string{"SELECT $1 || $3", "SELECT $0", "SELECT $a", "SELECT 1; SELECT 2"} {
		if err := c.scan(t.Context(), text, []any{"a", "b"}, new(string)); err == nil {
			t.Errorf("%s runs", text)
		}
	}
}

func TestScripts(t *testing.T) {
	t.Parallel()
	c := connectNew(t)
	c.must(t, "-- nothing; at all\n /* or; so */ ;")
	c.must(t, "")
	c.must(t, "CREATE TABLE t (n INTEGER);\n-- and\nINSERT INTO t VALUES ($2); INSERT INTO t VALUES ($1), (';'); -- done", 1, 2)
	var n int
	if err := c.scan(t.Context(), "SELECT count(*) FROM t", nil, &n); err != nil || n != 3 {
		t.Errorf("%d rows, %v", n, err)
	}
}

type kind string

func TestScan(t *testing.T) {
	t.Parallel()
	c := connectNew(t)
	type all struct {
		text, some  string
		none, there *string
		n           int64
		absent      *int64
		small       int32
		yes         bool
		kind        kind
		raw, nobody []byte
		number      float64
		any         any
		null        sql.NullString
		left        sql.Null[int64]
	}
	var v all
	err := c.scan(t.Context(), `SELECT 'a', 12, NULL, 'c', '34', NULL, 5, 1, 'k', x'00ff', NULL, 1.5, x'01', 'n', NULL`, nil,
		&v.text, &v.some, &v.none, &v.there, &v.n, &v.absent, &v.small, &v.yes, &v.kind, &v.raw, &v.nobody, &v.number, &v.any, &v.null, &v.left)
	if err != nil {
		t.Fatal(err)
	}
	if v.text != "a" || v.some != "12" || v.none != nil || *v.there != "c" || v.n != 34 || v.absent != nil || v.small != 5 || !v.yes ||
		v.kind != "k" || !slices.Equal(v.raw, []byte{0, 255}) || v.nobody != nil || v.number != 1.5 ||
		!slices.Equal(v.any.([]byte), []byte{1}) || v.null.String != "n" || v.left.Valid {
		t.Errorf("%+v", v)
	}
	for text, dest := range map[string]any{
		"SELECT NULL AS n":       new(string),
		"SELECT NULL AS i":       new(int64),
		"SELECT 'x'":             new(int64),
		"SELECT 1 << 40":         new(int32),
		"SELECT 7":               new(bool),
		"SELECT 1.5":             new(int64),
		"SELECT 1 AS c":          new(chan int),
		"SELECT 2 AS p":          "no pointer",
		"SELECT 3 WHERE 1 = 0":   new(int64),
		"SELECT 1 AS a, 2 AS b":  new(int64),
		"SELECT 4 AS nil":        (*int32)(nil),
		"SELECT nowhere FROM no": new(int64),
	} {
		if err := c.scan(t.Context(), text, nil, dest); err == nil {
			t.Errorf("%s goes into a %T: %v", text, dest, dest)
		} else if errors.Is(err, ErrNoRows) != strings.Contains(text, "WHERE") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestBind(t *testing.T) {
	t.Parallel()
	c := connectNew(t)
	text := "t"
	for _, a := range []struct {
		arg  any
		want string
	}{
		{nil, "NULL"}, {int64(-1), "-1"}, {7, "7"}, {uint8(8), "8"}, {"it's", "'it''s'"}, {"", "''"}, {true, "1"}, {1.5, "1.5"},
		{[]byte{1, 255}, "X'01FF'"}, {[]byte{}, "X''"}, {[]byte(nil), "NULL"}, {kind("k"), "'k'"}, {&text, "'t'"}, {(*string)(nil), "NULL"},
		{sql.NullInt64{Int64: 3, Valid: true}, "3"}, {sql.NullInt64{}, "NULL"},
	} {
		var got string
		if err := c.scan(t.Context(), "SELECT quote($1)", []any{a.arg}, &got); err != nil || got != a.want {
			t.Errorf("%T %v is %s, want %s; %v", a.arg, a.arg, got, a.want, err)
		}
	}
	if _, err := c.Exec(t.Context(), "SELECT $1", []any{make(chan int)}); err == nil {
		t.Error("a channel is bound")
	}
}

// An interruption only affects its own statements and the rows that are open at the time.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	c := connectNew(t)
	const endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT "
	open, err := c.Query(t.Context(), endless+"n FROM c", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		rows, err := c.Query(ctx, endless+"n FROM c", nil)
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; rows.Next(); n++ {
			if n == 10 {
				cancel()
			}
		}
		if e, ok := errors.AsType[*Error](rows.Err()); !ok || e.Code != Interrupt {
			t.Fatalf("the rows ended by %v", rows.Err())
		}
		var n int
		if err := c.scan(t.Context(), "SELECT 1", nil, &n); err != nil {
			t.Fatalf("after an interruption: %v", err)
		}
	}
	for open.Next() {
	}
	if open.Err() == nil {
		t.Error("open rows have an end")
	}
	ctx, cancel := context.WithCancel(t.Context())
	end := c.Watch(ctx)
	cancel()
	if err := c.scan(ctx, "SELECT 1", nil, new(int)); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of what is watched: %v", err)
	}
	end()
	c.must(t, "SELECT 1")
}

func TestPool(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	opened := 0
	p := NewPool(2, func() (*Conn, error) {
		opened++
		return Connect(path, 0)
	})
	take := func() *Conn {
		t.Helper()
		c, err := p.Take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	a, b := take(), take()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Take(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("a third: %v", err)
	}
	p.Give(a)
	p.Give(b)
	if c := take(); c != b {
		t.Error("the pool did not return the most recently used connection")
	} else if _, err := c.Query(t.Context(), "SELECT 1", nil); err != nil { // leaves rows open
		t.Error(err)
	} else {
		p.Give(c)
	}
	if a2, c := take(), take(); a2 != a || c == b || opened != 3 {
		t.Errorf("a connection with open rows was reused; %d were opened", opened)
	} else if err := p.Close(); err != nil {
		t.Error(err)
	} else {
		p.Give(a2)
		p.Give(c)
	}
	if _, err := p.Take(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// The database/sql driver works on our connections.
func TestDriver(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	p := NewPool(1, func() (*Conn, error) { return Connect(path, 0) })
	lent, own := Borrow(p), Own("BEGIN EXCLUSIVE", func() (*Conn, error) { return Connect(path, 0) })
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	exec := func(on interface {
		ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	}, text string, args ...any) {
		t.Helper()
		_, err := on.ExecContext(t.Context(), text, args...)
		must(err)
	}
	exec(lent, "CREATE TABLE t (n INTEGER PRIMARY KEY, made_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP)")
	tx, err := lent.BeginTx(t.Context(), nil)
	must(err)
	exec(tx, "INSERT INTO t (n) VALUES ($1)", 1)
	if _, err := own.BeginTx(t.Context(), nil); err == nil {
		t.Error("two write at once")
	}
	must(tx.Commit())

	c, err := p.Take(t.Context())
	must(err)
	c.must(t, "BEGIN IMMEDIATE")
	joined, err := c.Joined()
	must(err)
	exec(joined, "INSERT INTO t (n) VALUES ($1)", 2)
	must(joined.Commit()) // does nothing
	c.Rollback()
	p.Give(c)

	rows, err := lent.QueryContext(t.Context(), "SELECT n, made_at FROM t")
	must(err)
	c, err = p.Take(t.Context()) // open rows do not block the connection
	must(err)
	p.Give(c)
	var all []int64
	for rows.Next() {
		var n int64
		var at sql.NullTime
		must(rows.Scan(&n, &at))
		if all = append(all, n); at.Time.IsZero() {
			t.Error("a time is none")
		}
	}
	must(rows.Err())
	if !slices.Equal(all, []int64{1}) {
		t.Errorf("there are %v", all)
	}
	must(own.Close())
	must(lent.Close())
	must(p.Close())
}

// A connection on which SQLite's full-text search has its own statements can be closed.
func TestCloseAfterSearch(t *testing.T) {
	t.Parallel()
	c := connectNew(t)
	c.must(t, "CREATE VIRTUAL TABLE f USING fts5 (words)")
	c.must(t, "INSERT INTO f VALUES ('one two')")
	rows, err := c.Query(t.Context(), "SELECT words FROM f WHERE f MATCH 'two'", nil)
	if err != nil || !rows.Next() {
		t.Fatal(err)
	}
	c.file.rewind()
	c.must(t, "INSERT INTO f VALUES ('three')")
}

// A cached statement keeps its plan. SQLite plans a statement again if the bindings of parameters that
// influenced its plan were cleared, which costs many times the statement itself.
func TestStatementsKeepTheirPlan(t *testing.T) {
	t.Parallel()
	c := connectNew(t)
	c.must(t, "CREATE TABLE items (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, name TEXT)")
	c.must(t, "CREATE INDEX items_owner ON items (owner, id)")
	c.must(t, "CREATE INDEX items_name ON items (name)")
	for _, query := range []string{
		"SELECT name FROM items WHERE id = $1",
		"SELECT id FROM items WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3",
		"SELECT id FROM items WHERE owner = $1 AND ($2 = 0 OR id <> $2) ORDER BY id LIMIT 24 OFFSET $3",
		"SELECT a.id FROM items a JOIN items b ON b.id = a.owner WHERE a.owner = $1 AND b.name > $2 LIMIT $3",
		"SELECT id FROM items WHERE id IN (SELECT value FROM json_each($1)) AND owner = $2 AND name IS NOT $3",
		"INSERT INTO items (owner, name) VALUES ($1, $2) RETURNING id + $3",
	} {
		s, err := c.statement(query)
		if err != nil {
			t.Fatal(err)
		}
		var planned int32 // how often it was planned again in the first uses, as the values of parameters became known
		for n := range 40 {
			if err := s.bind([]any{int64(n), "b", int64(1)}[:len(s.args)]); err != nil {
				t.Fatal(err)
			}
			for more := true; more; {
				if more, err = s.step(); err != nil {
					t.Fatal(err)
				}
			}
			if err := c.release(s, false); err != nil {
				t.Fatal(err)
			}
			if n == 9 {
				planned = engine.Xsqlite3_stmt_status(s.tls, s.statement, engine.SQLITE_STMTSTATUS_REPREPARE, 0)
			}
		}
		if n := engine.Xsqlite3_stmt_status(s.tls, s.statement, engine.SQLITE_STMTSTATUS_REPREPARE, 0); n != planned {
			t.Errorf("%s: planned again %d times", query, n-planned)
		}
	}
}

// A cached statement does not keep a large value until its next use.
func TestLargeValuesAreFreed(t *testing.T) {
	t.Parallel()
	c := connectNew(t)
	c.must(t, "CREATE TABLE texts (text TEXT)")
	for _, size := range []int{10, maxBound + 1, 1 << 20} {
		for range 3 {
			c.must(t, "INSERT INTO texts VALUES ($1)", strings.Repeat("a", size))
		}
		s := c.stmts["INSERT INTO texts VALUES ($1)"]
		kept := libc.GoString(engine.Xsqlite3_expanded_sql(s.tls, s.statement))
		if want := size <= maxBound; strings.Contains(kept, "aaa") != want {
			t.Errorf("after %d bytes, the statement is %.60s", size, kept)
		}
	}
}
