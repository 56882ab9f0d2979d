package database_test

import (
	"context"
	"slices"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
)

func TestObserve(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		var seen []string
		o.Observe = func(_ context.Context, query string, _ bool) { seen = append(seen, query) }
		db, err := database.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		var n int
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		must(db.Transact(t.Context(), func(tx *database.Tx) error {
			if _, err := tx.Exec(t.Context(), "CREATE TABLE a (n BIGINT)"); err != nil {
				return err
			}
			return tx.QueryRow(t.Context(), "SELECT 1").Scan(&n)
		}))
		must(db.View(t.Context(), func(q database.Querier) error {
			rows, err := q.Query(t.Context(), "SELECT 2")
			if err != nil {
				return err
			}
			return rows.Close()
		}))
		must(db.Reader().QueryRow(t.Context(), "SELECT 3").Scan(&n))
		if want := []string{"CREATE TABLE a (n BIGINT)", "SELECT 1", "SELECT 2", "SELECT 3"}; !slices.Equal(seen, want) {
			t.Errorf("saw %q, want %q", seen, want)
		}
	})
}
