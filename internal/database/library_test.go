package database_test

import (
	"context"
	"errors"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
)

// shelf is a library whose migrations add a row for each version.
func shelf(db *database.DB, latest int64, fail error) database.Library {
	return database.Library{Name: "shelf", Table: "shelf_versions", Target: latest, Latest: latest, Up: func(ctx context.Context) error {
		return db.Transact(ctx, func(tx *database.Tx) error {
			if _, err := tx.Exec(ctx, "CREATE TABLE IF NOT EXISTS shelf_versions (version BIGINT PRIMARY KEY)"); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, "INSERT INTO shelf_versions VALUES ($1)", latest); err != nil {
				return err
			}
			return fail
		})
	}}
}

func TestMigrateLibrary(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		ctx, db := t.Context(), open(t, o)
		check := func(latest int64, want error) {
			t.Helper()
			if err := db.CheckLibrary(ctx, shelf(db, latest, nil)); !errors.Is(err, want) || want == nil && err != nil {
				t.Errorf("CheckLibrary of version %d: %v, want %v", latest, err, want)
			}
		}
		check(1, database.ErrOlderSchema)
		broken := errors.New("out of shelves")
		if _, err := db.MigrateLibrary(ctx, shelf(db, 1, broken)); !errors.Is(err, broken) {
			t.Errorf("a failure is told as %v", err)
		}
		check(1, database.ErrOlderSchema)
		for _, want := range []database.MigrateResult{{From: 0, To: 1}, {From: 1, To: 1}, {From: 1, To: 2}} {
			got, err := db.MigrateLibrary(ctx, shelf(db, want.To, nil))
			if err != nil {
				t.Fatal(err)
			}
			copied := db.Dialect() == database.SQLite && want == database.MigrateResult{From: 1, To: 2}
			if (got.BackupPath != "") != copied {
				t.Errorf("%d to %d: the copy is %q", want.From, want.To, got.BackupPath)
			}
			if got.BackupPath = ""; got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		}
		check(2, nil)
		check(1, database.ErrNewerSchema)
		if _, err := db.MigrateLibrary(ctx, shelf(db, 1, nil)); !errors.Is(err, database.ErrNewerSchema) {
			t.Errorf("a newer version: %v", err)
		}
		tolerant := shelf(db, 1, broken)
		tolerant.Latest = 2
		got, err := db.MigrateLibrary(ctx, tolerant)
		if want := (database.MigrateResult{From: 2, To: 2}); err != nil || got != want || db.CheckLibrary(ctx, tolerant) != nil {
			t.Errorf("a program that works with versions 1 and 2: %+v, %v", got, err)
		}
		if db.Dialect() == database.SQLite && len(beside(t, db, ".before-shelf-1-to-2")) != 1 {
			t.Errorf("copies: %v", beside(t, db, ".before"))
		}
	})
}
