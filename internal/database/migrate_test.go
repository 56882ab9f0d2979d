package database_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
)

const (
	createItems = "-- +goose Up\nCREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT);\nINSERT INTO items VALUES (1, 'first');\n"
	addNote     = "-- +goose Up\nALTER TABLE items ADD COLUMN note TEXT;\nINSERT INTO items (id, name, note) VALUES (2, 'second', 'new');\n"
	failing     = "-- +goose Up\nCREATE TABLE half (id INTEGER PRIMARY KEY);\nINSERT INTO nowhere VALUES (1);\n"
)

// files returns the migrations 1, 2, … with the given texts.
func files(texts ...string) fs.FS {
	fsys := fstest.MapFS{"README.md": {Data: []byte("not a migration")}}
	for i, text := range texts {
		fsys["000"+string(rune('1'+i))+"_step.sql"] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

func migrate(t testing.TB, db *database.DB, migrations fs.FS) database.MigrateResult {
	t.Helper()
	res, err := db.Migrate(t.Context(), migrations)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func wantVersion(t testing.TB, db *database.DB, want int64) {
	t.Helper()
	if got, err := db.SchemaVersion(t.Context()); err != nil || got != want {
		t.Errorf("SchemaVersion = %d, %v, want %d", got, err, want)
	}
}

// beside lists the files whose paths begin with the database's path and middle.
func beside(t testing.TB, db *database.DB, middle string) []string {
	t.Helper()
	found, err := filepath.Glob(db.Path() + middle + "*")
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		db := open(t, o)
		ctx := t.Context()
		wantVersion(t, db, 0)
		one, two := files(createItems), files(createItems, addNote)
		if err := db.CheckSchema(ctx, one); !errors.Is(err, database.ErrOlderSchema) {
			t.Errorf("CheckSchema of an empty database = %v", err)
		}
		if got, want := migrate(t, db, one), (database.MigrateResult{From: 0, To: 1}); got != want {
			t.Errorf("first: %+v, want %+v", got, want)
		}
		if got, want := migrate(t, db, one), (database.MigrateResult{From: 1, To: 1}); got != want {
			t.Errorf("again: %+v, want %+v", got, want)
		}
		if err := db.CheckSchema(ctx, one); err != nil {
			t.Errorf("CheckSchema = %v", err)
		}
		if got := migrate(t, db, two); got.From != 1 || got.To != 2 {
			t.Errorf("second: %+v", got)
		}
		wantVersion(t, db, 2)
		if n := number(t, db.Reader(), "SELECT COUNT(*) FROM items"); n != 2 {
			t.Errorf("%d items, want 2", n)
		}
		if _, err := db.Migrate(ctx, one); !errors.Is(err, database.ErrNewerSchema) {
			t.Errorf("Migrate of a newer database = %v", err)
		}
		err := db.CheckSchema(ctx, one)
		if !errors.Is(err, database.ErrNewerSchema) || !strings.Contains(err.Error(), "version 2") || !strings.Contains(err.Error(), "knows 1") {
			t.Errorf("CheckSchema of a newer database = %v", err)
		}
		wantVersion(t, open(t, o), 2)
	})
}

func TestMigrateFailure(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		db := open(t, o)
		migrate(t, db, files(createItems))
		res, err := db.Migrate(t.Context(), files(createItems, addNote, failing))
		if err == nil || res.From != 1 || res.To != 2 {
			t.Errorf("Migrate = %+v, %v", res, err)
		}
		wantVersion(t, db, 2)
		if _, err := db.Reader().Query(t.Context(), "SELECT * FROM half"); err == nil {
			t.Error("half of a migration is left")
		}
		res, err = db.Migrate(t.Context(), files(createItems, addNote, failing))
		if err == nil || res.To != 2 || res.BackupPath != "" {
			t.Errorf("Migrate again = %+v, %v", res, err)
		}
		if o.URL == db.Path() { // only the first attempt changed something
			if got := beside(t, db, ".before-"); len(got) != 1 || got[0] != db.Path()+".before-1-to-3" {
				t.Errorf("copies are %v", got)
			}
		}
		migrate(t, db, files(createItems, addNote, "-- +goose Up\nCREATE TABLE whole (id INTEGER PRIMARY KEY);"))
		wantVersion(t, db, 3)
	})
}

func TestMigrateAtOnce(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		migrations := files(createItems, addNote)
		results := make(chan database.MigrateResult, 4)
		var group sync.WaitGroup
		for range cap(results) {
			db := open(t, o)
			group.Go(func() {
				res, err := db.Migrate(t.Context(), migrations)
				if err != nil {
					t.Error(err)
				}
				results <- res
			})
		}
		group.Wait()
		close(results)
		worked := 0
		for res := range results {
			if res.To != 2 {
				t.Errorf("To = %d", res.To)
			}
			if res.From == 0 {
				worked++
			}
		}
		if worked != 1 {
			t.Errorf("%d have worked, want 1", worked)
		}
	})
}

// Waiting for another migration ends with the context.
func TestMigrateWaitIsCancelled(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		db := open(t, o)
		ctx, cancel := context.WithCancel(t.Context())
		unlock, err := database.LockMigrations(db, t.Context())
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() {
			_, err := db.Migrate(ctx, files(createItems))
			done <- err
		}()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Migrate = %v", err)
		}
		unlock()
		migrate(t, db, files(createItems))
	})
}

func TestMigrateBackup(t *testing.T) {
	t.Parallel()
	db := open(t, database.Options{URL: dbtest.SQLitePath(t)})
	if got := migrate(t, db, files(createItems)); got.BackupPath != "" {
		t.Errorf("an empty database was copied to %s", got.BackupPath)
	}
	taken := db.Path() + ".before-1-to-2"
	if err := os.WriteFile(taken, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	res := migrate(t, db, files(createItems, addNote))
	if data, err := os.ReadFile(taken); err != nil || string(data) != "precious" {
		t.Errorf("overwritten with %d bytes, %v", len(data), err)
	}
	if res.BackupPath != taken+".2" {
		t.Errorf("copied to %s", res.BackupPath)
	}
	if info, err := os.Stat(res.BackupPath); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	old := open(t, database.Options{URL: res.BackupPath})
	wantVersion(t, old, 1)
	if n := number(t, old.Reader(), "SELECT COUNT(*) FROM items"); n != 1 {
		t.Errorf("the copy has %d items, want 1", n)
	}
}

// A file that another program has filled is copied, too.
func TestMigrateBackupOfForeignFile(t *testing.T) {
	t.Parallel()
	db := open(t, database.Options{URL: dbtest.SQLitePath(t)})
	exec(t, db, "CREATE TABLE other (n INTEGER)")
	if got := migrate(t, db, files(createItems)).BackupPath; got != db.Path()+".before-0-to-1" {
		t.Errorf("copied to %q", got)
	}
}

const rebuild = `-- +goose Up
CREATE TABLE parents_new (id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT '');
INSERT INTO parents_new (id) SELECT id FROM parents;
DROP TABLE parents;
ALTER TABLE parents_new RENAME TO parents;
`

func TestMigrateForeignKeys(t *testing.T) {
	t.Parallel()
	const create = `-- +goose Up
		CREATE TABLE parents (id INTEGER PRIMARY KEY);
		CREATE TABLE children (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parents (id) ON DELETE CASCADE);
		INSERT INTO parents VALUES (1);
		INSERT INTO children VALUES (10, 1);`
	db := open(t, database.Options{URL: dbtest.SQLitePath(t)})
	migrate(t, db, files(create, rebuild))
	if n := number(t, db.Reader(), "SELECT COUNT(*) FROM children"); n != 1 {
		t.Error("rebuilding a table deleted rows that reference it")
	}
	_, err := db.Migrate(t.Context(), files(create, rebuild, "-- +goose Up\nDELETE FROM parents;"))
	if err == nil {
		t.Error("a migration left rows with dangling references")
	}
	wantVersion(t, db, 2)
	if n := number(t, db.Reader(), "SELECT COUNT(*) FROM parents"); n != 1 {
		t.Error("the migration that failed has deleted")
	}
}

func TestMigrateRefuses(t *testing.T) {
	t.Parallel()
	db := open(t, database.Options{URL: dbtest.SQLitePath(t)})
	for name, migrations := range map[string]fs.FS{
		"nothing":        files(),
		"no transaction": files("-- +goose NO TRANSACTION\n" + createItems),
		"no version":     fstest.MapFS{"first.sql": {Data: []byte(createItems)}},
	} {
		if res, err := db.Migrate(t.Context(), migrations); err == nil {
			t.Errorf("%s: %+v", name, res)
		}
	}
	wantVersion(t, db, 0)
}

func TestLatestVersion(t *testing.T) {
	t.Parallel()
	got, err := database.LatestVersion(files(createItems, addNote))
	if err != nil || got != 2 {
		t.Errorf("LatestVersion = %d, %v", got, err)
	}
}

func TestTemplate(t *testing.T) {
	t.Parallel()
	var prepared sync.Map
	template := dbtest.NewTemplate(func(o database.Options) error {
		if _, twice := prepared.LoadOrStore(strings.HasPrefix(o.URL, "postgres"), true); twice {
			return errors.New("prepared twice")
		}
		db, err := database.Open(context.Background(), o)
		if err != nil {
			return err
		}
		_, err = db.Migrate(context.Background(), files(createItems))
		return errors.Join(err, db.Close())
	})
	for range 3 {
		template.Each(t, func(t *testing.T, o database.Options) {
			db := open(t, o)
			wantVersion(t, db, 1)
			exec(t, db, "INSERT INTO items VALUES (2, 'mine')") // in this copy only
			if n := number(t, db.Reader(), "SELECT COUNT(*) FROM items"); n != 2 {
				t.Errorf("%d items, want 2", n)
			}
		})
	}
}
