package database_test

import (
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
	"vitrine/internal/domain"
)

// A connection to a server that no longer accepts writes is not reused.
func TestReadOnlyConnectionIsGivenUp(t *testing.T) {
	t.Parallel()
	db := open(t, database.Options{URL: dbtest.PostgresURL(t)})
	exec(t, db, "CREATE TABLE t (n INTEGER)")
	write := func() error {
		return db.Transact(t.Context(), func(tx *database.Tx) error {
			_, err := tx.Exec(t.Context(), "INSERT INTO t VALUES (1)")
			return err
		})
	}
	exec(t, db, "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY") // on one connection
	refused := 0
	for range 2 * db.Readers() {
		if err := write(); err != nil {
			if refused++; domain.KindOf(err) != domain.Unavailable {
				t.Errorf("the write failed with %v", err)
			}
		}
	}
	if refused != 1 {
		t.Errorf("%d writes were refused, want the one that finds the connection", refused)
	}
}
