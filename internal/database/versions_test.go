package database_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
)

// serves adds a `-- serves:` line with the version n to a migration.
func serves(n, text string) string { return strings.Replace(text, "Up\n", "Up\n-- serves: "+n+"\n", 1) }

const addPlace = "-- +goose Up\nALTER TABLE items ADD COLUMN place TEXT NOT NULL DEFAULT '';\n"

func wantServed(t testing.TB, db *database.DB, want database.Served) {
	t.Helper()
	if got, err := db.Served(t.Context()); err != nil || got != want {
		t.Errorf("Served = %+v, %v, want %+v", got, err, want)
	}
}

// knows checks whether a program with the migrations up to a version may run on the database.
func knows(t testing.TB, db *database.DB, all fs.FS, version int64) error {
	t.Helper()
	return db.CheckSchema(t.Context(), database.MigrationsUpTo(all, version))
}

// A schema supports a range of program versions, which its migrations define.
func TestServed(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		db, watching := open(t, o), open(t, o)
		const contract = "-- +goose Up\nALTER TABLE items DROP COLUMN note;\n"
		all := files(createItems, serves("2", addNote), addPlace, serves("3", contract))
		for version, want := range []database.Served{{}, {Version: 1, From: 1}, {Version: 2, From: 2}, {Version: 3, From: 2}, {Version: 4, From: 3}} {
			if version > 0 {
				migrate(t, db, database.MigrationsUpTo(all, int64(version)))
			}
			wantServed(t, db, want)
			wantServed(t, watching, want)
			for program := range int64(5) {
				if program == 0 {
					continue
				}
				err := knows(t, watching, all, program)
				switch {
				case program < want.From:
					if !errors.Is(err, database.ErrNewerSchema) || !strings.Contains(err.Error(), "serves programs from version") {
						t.Errorf("version %d, program %d: %v", version, program, err)
					}
				case program > want.Version:
					if !errors.Is(err, database.ErrOlderSchema) {
						t.Errorf("version %d, program %d: %v", version, program, err)
					}
				case err != nil:
					t.Errorf("version %d, program %d: %v", version, program, err)
				}
			}
		}
		// A supported program has nothing to migrate. An unsupported one is rejected.
		if got, err := db.Migrate(t.Context(), database.MigrationsUpTo(all, 3)); err != nil || got != (database.MigrateResult{From: 4, To: 4}) {
			t.Errorf("%+v, %v", got, err)
		}
		if _, err := db.Migrate(t.Context(), database.MigrationsUpTo(all, 2)); !errors.Is(err, database.ErrNewerSchema) {
			t.Error(err)
		}
	})
}

// Programs that are older than version ranges read goose's table. Its rows are copied, and the table
// stays at the version of the schema, which such a program prints when it refuses to start.
func TestServedTakesOver(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		first := open(t, o)
		all := files(createItems, serves("2", addNote), addPlace, "-- +goose Up\nCREATE TABLE more (id INTEGER PRIMARY KEY);", serves("4", "-- +goose Up\nDROP TABLE more;"))
		migrate(t, first, database.MigrationsUpTo(all, 2))
		exec(t, first, "DROP TABLE schema_versions") // the state that such a program leaves
		db, watching := open(t, o), open(t, o)
		wantServed(t, watching, database.Served{Version: 2, From: 2})
		before := func(want int64) {
			t.Helper()
			if n := number(t, db.Reader(), "SELECT max(version_id) FROM goose_db_version"); n != want {
				t.Errorf("programs from before see the version %d, want %d", n, want)
			}
			if n := number(t, db.Reader(), "SELECT count(*) - count(DISTINCT version_id) FROM goose_db_version"); n != 0 {
				t.Errorf("%d versions are noted twice", n)
			}
		}
		migrate(t, db, database.MigrationsUpTo(all, 3))
		wantServed(t, watching, database.Served{Version: 3, From: 2})
		before(3)
		migrate(t, db, database.MigrationsUpTo(all, 4))
		before(4)
		migrate(t, db, all)
		wantServed(t, watching, database.Served{Version: 5, From: 4})
		before(5)
		if n := number(t, db.Reader(), "SELECT count(*) FROM items"); n != 2 {
			t.Errorf("%d items: migrations ran again", n)
		}
	})
}

func TestServedRefuses(t *testing.T) {
	t.Parallel()
	for name, migrations := range map[string]fs.FS{
		"no number":        files(serves("two", createItems)),
		"no version":       files(serves("0", createItems)),
		"a later version":  files(serves("2", createItems), addNote),
		"an earlier again": files(createItems, serves("2", addNote), serves("1", addPlace)),
	} {
		db := open(t, database.Options{URL: dbtest.SQLitePath(t)})
		if res, err := db.Migrate(t.Context(), migrations); err == nil || !strings.Contains(err.Error(), "-- serves:") {
			t.Errorf("%s: %+v, %v", name, res, err)
		}
		wantVersion(t, db, 0)
	}
}

// holding begins a transaction that has read a table. The returned function ends it.
func holding(t *testing.T, db *database.DB, query string) (end func()) {
	t.Helper()
	ctx := t.Context()
	held, release, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- db.View(ctx, func(q database.Querier) error {
			var n int
			err := q.QueryRow(ctx, query).Scan(&n)
			close(held)
			<-release
			return err
		})
	}()
	<-held
	return func() {
		close(release)
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// A migration that waits for a long reader does not block writers.
func TestMigrateGivesWay(t *testing.T) {
	t.Parallel()
	o := database.Options{URL: dbtest.PostgresURL(t)}
	db := open(t, o)
	migrate(t, db, files(createItems))
	end := holding(t, db, "SELECT count(*) FROM items")
	done, gave := make(chan error, 1), make(chan error, 100)
	go func() {
		_, err := db.MigrateNotify(t.Context(), files(createItems, addPlace), func(err error) { gave <- err })
		done <- err
	}()
	if err := <-gave; !strings.Contains(err.Error(), "55P03") {
		t.Errorf("gave way for %v", err)
	}
	exec(t, db, "INSERT INTO items (id, name) VALUES (7, 'while it waits')")
	end()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if n := number(t, db.Reader(), "SELECT count(*) FROM items WHERE place = ''"); n != 2 {
		t.Errorf("%d items, want 2", n)
	}

	database.SetLockRetryTime(db, 0)
	defer holding(t, db, "SELECT count(*) FROM items")()
	res, err := db.Migrate(t.Context(), files(createItems, addPlace, addNote))
	if err == nil || res.To != 2 || !strings.Contains(err.Error(), "pg_stat_activity") {
		t.Errorf("%+v, %v", res, err)
	}
}

const indexBeside = "-- +goose NO TRANSACTION\n-- +goose Up\nCREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS items_name ON items (name);\n" +
	"CREATE INDEX CONCURRENTLY IF NOT EXISTS items_reversed ON items (reverse(name));\n"

// An index is created without blocking writers, and an invalid one is created again.
func TestMigrateIndexBesideWriters(t *testing.T) {
	t.Parallel()
	o := database.Options{URL: dbtest.PostgresURL(t)}
	db := open(t, o)
	all := files(createItems, indexBeside)
	migrate(t, db, files(createItems))
	exec(t, db, "INSERT INTO items VALUES (2, 'first')") // violates the unique index
	const invalid = "SELECT count(*) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relname LIKE 'items%' AND NOT i.indisvalid"
	if _, err := db.Migrate(t.Context(), all); !database.IsUnique(err) {
		t.Fatal(err)
	}
	wantVersion(t, db, 1)
	if n := number(t, db.Reader(), invalid); n != 1 {
		t.Fatalf("%d invalid indexes, want 1", n)
	}
	exec(t, db, "UPDATE items SET name = 'second' WHERE id = 2")

	end := holding(t, db, "SELECT count(*) FROM items")
	done := make(chan error, 1)
	go func() {
		_, err := db.Migrate(t.Context(), all)
		done <- err
	}()
	for late := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if n := number(t, db.Reader(), `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
			AND pid <> pg_backend_pid() AND wait_event_type = 'Lock' AND query LIKE '%INDEX CONCURRENTLY%'`); n == 1 {
			break
		}
		if time.Now().After(late) {
			t.Fatal("the index does not wait for the reader")
		}
	}
	exec(t, db, "INSERT INTO items VALUES (3, 'third')")
	end()
	if err := <-done; err != nil {
		t.Error(err)
	}
	wantVersion(t, db, 2)
	if n := number(t, db.Reader(), invalid); n != 0 {
		t.Errorf("%d invalid indexes are left", n)
	}
	if n := number(t, db.Reader(), "SELECT count(*) FROM pg_indexes WHERE indexname IN ('items_name', 'items_reversed')"); n != 2 {
		t.Errorf("%d indexes, want 2", n)
	}
}

func TestMigrateRefusesOutsideTransactions(t *testing.T) {
	t.Parallel()
	db := open(t, database.Options{URL: dbtest.PostgresURL(t)})
	for _, statement := range []string{"CREATE TABLE a (n BIGINT)", "CREATE INDEX CONCURRENTLY a ON b (c)", "UPDATE items SET name = ''",
		"CREATE INDEX CONCURRENTLY IF NOT EXISTS a ON b (c); DELETE FROM b", "DROP INDEX CONCURRENTLY a"} {
		fsys := fstest.MapFS{"0001_a.sql": {Data: []byte("-- +goose NO TRANSACTION\n-- +goose Up\n" + statement + ";\n")}}
		if _, err := db.Migrate(t.Context(), fsys); err == nil || !strings.Contains(err.Error(), "without a transaction") {
			t.Errorf("%s: %v", statement, err)
		}
	}
	wantVersion(t, db, 0)
}
