package database_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
)

func TestClassifyConstraints(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		db := open(t, o)
		exec(t, db,
			"CREATE TABLE parents (id INTEGER PRIMARY KEY, slug TEXT UNIQUE, n INTEGER CHECK (n > 0))",
			`CREATE TABLE children (id INTEGER PRIMARY KEY, parent INTEGER NOT NULL
				REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED)`,
			"CREATE TABLE strict_children (parent INTEGER NOT NULL REFERENCES parents (id))",
			"INSERT INTO parents VALUES (1, 'one', 1)",
			"INSERT INTO strict_children VALUES (1)",
		)
		for _, c := range []struct {
			statement string
			unique    bool
		}{
			{"INSERT INTO parents VALUES (1, 'two', 1)", true},
			{"INSERT INTO parents VALUES (2, 'one', 1)", true},
			{"INSERT INTO strict_children VALUES (9)", false},
			{"DELETE FROM parents WHERE id = 1", false},
			{"INSERT INTO children VALUES (1, 9)", false}, // fails at the commit
			{"INSERT INTO parents VALUES (3, 'three', 0)", false},
			{"INSERT INTO nowhere VALUES (1)", false},
		} {
			err := db.Transact(t.Context(), func(tx *database.Tx) error {
				_, err := tx.Exec(t.Context(), c.statement)
				return err
			})
			err = fmt.Errorf("wrapped: %w", err)
			if database.IsUnique(err) != c.unique || database.IsRetryable(err) {
				t.Errorf("%s: unique %t, retryable %t: %v", c.statement, database.IsUnique(err), database.IsRetryable(err), err)
			}
		}
	})
}

func TestClassifyNothing(t *testing.T) {
	t.Parallel()
	for _, err := range []error{nil, errors.New("x"), context.Canceled} {
		if database.IsUnique(err) || database.IsRetryable(err) {
			t.Errorf("%v is something", err)
		}
	}
}

// endless is a query that runs longer than any test.
const endless = "WITH RECURSIVE c(n) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT n + 1 FROM c WHERE n < 100000000000) "

func TestCancel(t *testing.T) {
	t.Parallel()
	const count = endless + "SELECT COUNT(*) FROM c"
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		db := open(t, o)
		for name, run := range map[string]func(ctx context.Context) error{
			"reader": func(ctx context.Context) error {
				var n int64
				return db.Reader().QueryRow(ctx, count).Scan(&n)
			},
			"exec": func(ctx context.Context) error {
				return db.Transact(ctx, func(tx *database.Tx) error {
					_, err := tx.Exec(ctx, count)
					return err
				})
			},
			"view": func(ctx context.Context) error {
				return db.View(ctx, func(q database.Querier) error {
					_, err := q.Query(ctx, count)
					return err
				})
			},
			"ignored": func(ctx context.Context) error {
				return db.Transact(ctx, func(tx *database.Tx) error {
					_, _ = tx.Query(ctx, count)
					return nil
				})
			},
			"rows": func(ctx context.Context) error {
				rows, err := db.Reader().Query(ctx, endless+"SELECT n FROM c")
				if err != nil {
					return err
				}
				defer rows.Close()
				for rows.Next() {
				}
				return database.Classify(ctx, rows.Err())
			},
		} {
			t.Run(name, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
				defer cancel()
				if err := run(ctx); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v", err)
				}
				if err := run(ctx); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("with a context that was done: %v", err)
				}
				exec(t, db, "CREATE TABLE t (n INTEGER)", "DROP TABLE t") // the database still works
			})
		}
	})
}

// An error of the callback is not replaced by the context's error.
func TestCancelKeepsVerdict(t *testing.T) {
	t.Parallel()
	verdict := errors.New("forbidden")
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		ctx, cancel := context.WithCancel(t.Context())
		err := open(t, o).Transact(ctx, func(*database.Tx) error {
			cancel()
			return verdict
		})
		if err != verdict {
			t.Errorf("Transact = %v", err)
		}
	})
}
