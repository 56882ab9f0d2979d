package database_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
	"vitrine/internal/database/postgres"
)

// onPostgres opens a database with an empty table `later (n BIGINT PRIMARY KEY)`.
func onPostgres(t *testing.T, change func(*database.Options)) *database.DB {
	t.Helper()
	o := database.Options{URL: dbtest.PostgresURL(t)}
	change(&o)
	db := open(t, o)
	exec(t, db, "CREATE TABLE later (n BIGINT PRIMARY KEY)")
	return db
}

func later(ctx context.Context, tx *database.Tx, s postgres.Statement) error {
	taken, err := tx.Later(ctx, s)
	if err == nil && !taken {
		err = errors.New("the statement was not taken")
	}
	return err
}

func insert(n int64) postgres.Statement {
	return postgres.Statement{Query: "INSERT INTO later (n) VALUES ($1)", Args: []any{n}}
}

func TestLater(t *testing.T) {
	t.Parallel()
	var seen []string
	db := onPostgres(t, func(o *database.Options) {
		o.Observe = func(_ context.Context, query string, joined bool) {
			if joined {
				query = "+" + query
			}
			seen = append(seen, query)
		}
	})
	seen = nil
	var rows []int64
	var then, counted int64
	err := db.Transact(t.Context(), func(tx *database.Tx) error {
		rows = nil
		made := insert(1)
		made.Query += " RETURNING n"
		made.Each = func(row postgres.Row) error {
			var n int64
			err := row.Scan(&n)
			rows = append(rows, n)
			return err
		}
		made.Then = func(ctx context.Context) error {
			if err := later(ctx, tx, insert(3)); err != nil {
				return err
			}
			return tx.QueryRow(ctx, "SELECT count(*) FROM later").Scan(&then)
		}
		for _, s := range []postgres.Statement{made, insert(2)} {
			if err := later(t.Context(), tx, s); err != nil {
				return err
			}
		}
		if len(seen) != 0 {
			t.Errorf("sent at once: %q", seen)
		}
		if err := tx.QueryRow(t.Context(), "SELECT count(*) FROM later").Scan(&counted); err != nil {
			return err
		}
		return later(t.Context(), tx, insert(4)) // sent before the commit
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(rows, []int64{1}) || then != 3 || counted != 3 {
		t.Errorf("rows %v, %d after them, %d by the next statement; want 1, 3, 3", rows, then, counted)
	}
	const in, count = "INSERT INTO later (n) VALUES ($1)", "SELECT count(*) FROM later"
	if want := []string{in + " RETURNING n", "+" + in, in, "+" + count, count, in}; !slices.Equal(seen, want) {
		t.Errorf("saw\n%s\nwant\n%s", strings.Join(seen, "\n"), strings.Join(want, "\n"))
	}
	if n := number(t, db.Reader(), count); n != 4 {
		t.Errorf("%d rows are kept, want 4", n)
	}
}

func TestLaterIsBounded(t *testing.T) {
	t.Parallel()
	sent := 0
	db := onPostgres(t, func(o *database.Options) {
		o.Observe = func(_ context.Context, query string, _ bool) { sent += strings.Count(query, "INSERT INTO later") }
	})
	err := db.Transact(t.Context(), func(tx *database.Tx) error {
		for n := range int64(2*postgres.MaxQueuedStatements + 1) {
			if err := later(t.Context(), tx, insert(n)); err != nil {
				return err
			}
		}
		if sent != 2*postgres.MaxQueuedStatements {
			t.Errorf("%d were sent before the end, want %d", sent, 2*postgres.MaxQueuedStatements)
		}
		return nil
	})
	if n := number(t, db.Reader(), "SELECT count(*) FROM later"); err != nil || n != 2*postgres.MaxQueuedStatements+1 {
		t.Errorf("%d rows, error %v", n, err)
	}
}

// A failed queued statement makes the next statement or the commit fail.
func TestLaterFails(t *testing.T) {
	t.Parallel()
	db := onPostgres(t, func(*database.Options) {})
	exec(t, db, "INSERT INTO later (n) VALUES (7)")
	for name, then := range map[string]func(tx *database.Tx) error{
		"at the commit": func(*database.Tx) error { return nil },
		"by a statement": func(tx *database.Tx) error {
			_, err := tx.Exec(t.Context(), "INSERT INTO later (n) VALUES (9)")
			return err
		},
		"that is ignored": func(tx *database.Tx) error {
			if err := tx.Sync(t.Context()); !database.IsUnique(err) {
				t.Errorf("Sync gave %v", err)
			}
			if _, err := tx.Exec(t.Context(), "INSERT INTO later (n) VALUES (9)"); err == nil {
				t.Error("the transaction ran another statement")
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := db.Transact(t.Context(), func(tx *database.Tx) error {
				for _, n := range []int64{6, 7, 8} {
					if err := later(t.Context(), tx, insert(n)); err != nil {
						return err
					}
				}
				return then(tx)
			})
			if !database.IsUnique(err) {
				t.Errorf("the transaction gave %v", err)
			}
			if n := number(t, db.Reader(), "SELECT count(*) FROM later"); n != 1 {
				t.Errorf("%d rows, want 1", n)
			}
		})
	}
	t.Run("reading rows", func(t *testing.T) {
		broken := errors.New("broken")
		err := db.Transact(t.Context(), func(tx *database.Tx) error {
			s := insert(10)
			s.Query += " RETURNING n"
			s.Each = func(postgres.Row) error { return broken }
			return later(t.Context(), tx, s)
		})
		if n := number(t, db.Reader(), "SELECT count(*) FROM later"); !errors.Is(err, broken) || n != 1 {
			t.Errorf("%d rows, error %v", n, err)
		}
	})
}

// Queued statements of a transaction that has ended are not committed separately.
func TestLaterAfterTheEnd(t *testing.T) {
	t.Parallel()
	db := onPostgres(t, func(*database.Options) {})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := db.Transact(ctx, func(tx *database.Tx) error {
		if err := later(ctx, tx, insert(1)); err != nil {
			return err
		}
		cancel()
		for { // until the transaction is rolled back
			_, err := tx.SQL().ExecContext(t.Context(), "SELECT 1")
			if errors.Is(err, sql.ErrTxDone) {
				break
			}
			if err != nil {
				return fmt.Errorf("while it ends: %w", err)
			}
		}
		if err := tx.Sync(t.Context()); err == nil {
			t.Error("statements were sent after the end")
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the transaction gave %v", err)
	}
	if n := number(t, db.Reader(), "SELECT count(*) FROM later"); n != 0 {
		t.Errorf("%d rows were committed", n)
	}
}
