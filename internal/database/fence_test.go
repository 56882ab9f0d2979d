package database_test

import (
	"context"
	"errors"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
	"vitrine/internal/domain"
)

// raise raises the oldest supported version to 2. It conflicts with no writer of items.
const raise = "-- +goose Up\n-- serves: 2\nCREATE TABLE more (id INTEGER PRIMARY KEY);\n"

func insertItem(ctx context.Context, tx *database.Tx) error {
	_, err := tx.Exec(ctx, "INSERT INTO items (id, name) VALUES ($1, $2)", 77, "late")
	return err
}

// A program that the schema no longer supports cannot write, even if its transaction began earlier.
func TestFence(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		all := files(createItems, raise)
		migrator := open(t, o)
		migrate(t, migrator, database.MigrationsUpTo(all, 1))
		o.Version = 1
		old := open(t, o)
		if err := old.Fit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := old.Transact(t.Context(), func(*database.Tx) error { return nil }); err != nil {
			t.Fatal(err)
		}
		begun := false
		write := func(tx *database.Tx) error {
			err := insertItem(t.Context(), tx)
			if err == nil && old.Dialect() == database.Postgres && !begun {
				migrate(t, migrator, all) // while the transaction is in progress
			}
			begun = true
			return err
		}
		if old.Dialect() == database.SQLite {
			migrate(t, migrator, all) // SQLite allows one writer at a time
		}
		for range 2 {
			err := old.Transact(t.Context(), write)
			if !errors.Is(err, database.ErrNewerSchema) || domain.KindOf(err) != domain.Unavailable {
				t.Errorf("%v", err)
			}
		}
		if n := number(t, migrator.Reader(), "SELECT count(*) FROM items WHERE id = 77"); n != 0 {
			t.Error("an old program wrote a row")
		}
		if err := old.Fit(t.Context()); !errors.Is(err, database.ErrNewerSchema) { // cached by the transaction
			t.Errorf("Fit: %v", err)
		}
		if again := open(t, o).Fit(t.Context()); !errors.Is(again, database.ErrNewerSchema) {
			t.Errorf("Fit: %v", again)
		}
		o.Version = 2
		if err := open(t, o).Transact(t.Context(), func(tx *database.Tx) error { return insertItem(t.Context(), tx) }); err != nil {
			t.Errorf("the new program: %v", err)
		}
	})
}

// No migration can commit between the check of a transaction and its commit.
func TestFenceHoldsMigrations(t *testing.T) {
	t.Parallel()
	o := database.Options{URL: dbtest.PostgresURL(t)}
	all := files(createItems, raise)
	migrator, old := open(t, o), open(t, o)
	migrate(t, migrator, database.MigrationsUpTo(all, 1))
	tx, err := old.SQL().BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(t.Context(), database.WritersLock); err != nil {
		t.Fatal(err)
	}
	retrying := 0
	_, err = migrator.MigrateNotify(t.Context(), all, func(error) {
		if retrying++; retrying == 1 {
			if err := tx.Commit(); err != nil {
				t.Error(err)
			}
		}
	})
	if err != nil || retrying == 0 {
		t.Errorf("%v, gave way %d times", err, retrying)
	}
}

// A migration without a transaction cannot take the lock that the fence needs.
func TestFenceWantsTransactions(t *testing.T) {
	t.Parallel()
	o := database.Options{URL: dbtest.PostgresURL(t)}
	_, err := open(t, o).Migrate(t.Context(), files(createItems, "-- +goose NO TRANSACTION\n-- +goose Up\n-- serves: 2\nCREATE INDEX CONCURRENTLY IF NOT EXISTS x ON items (name);\n"))
	if err == nil {
		t.Error("a migration without a transaction raised the oldest served version")
	}
}
