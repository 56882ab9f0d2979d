package database_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
)

const counterTable = "CREATE TABLE counters (id INTEGER PRIMARY KEY, n INTEGER NOT NULL)"

func increment(ctx context.Context, db *database.DB, id int) error {
	return db.Transact(ctx, func(tx *database.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE counters SET n = n + 1 WHERE id = $1", id)
		return err
	})
}

func TestTransactCountsExactly(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		// On SQLite, two handles behave like two programs: they use file locks.
		handles := []*database.DB{open(t, o), open(t, o)}
		exec(t, handles[0], counterTable, "INSERT INTO counters VALUES (1, 0)")
		var group sync.WaitGroup
		for i := range 50 {
			group.Go(func() {
				if err := increment(t.Context(), handles[i%2], 1); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if n := number(t, handles[0].Reader(), "SELECT n FROM counters"); n != 50 {
			t.Errorf("counted %d, want 50", n)
		}
	})
}

// Each of two transactions holds a lock on the row that the other wants next.
func TestTransactRetriesDeadlock(t *testing.T) {
	t.Parallel()
	db := open(t, database.Options{URL: dbtest.PostgresURL(t)})
	exec(t, db, counterTable, "INSERT INTO counters VALUES (1, 0), (2, 0)")
	var group, both sync.WaitGroup
	both.Add(2)
	attempts := make(chan int, 10)
	for i := range 2 {
		group.Go(func() {
			var met sync.Once
			err := db.Transact(t.Context(), func(tx *database.Tx) error {
				attempts <- i
				for step := range 2 {
					id := 1 + (i+step)%2
					if _, err := tx.Exec(t.Context(), "UPDATE counters SET n = n + 1 WHERE id = $1", id); err != nil {
						return fmt.Errorf("wrapped: %w", err)
					}
					met.Do(func() { both.Done(); both.Wait() })
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := number(t, db.Reader(), "SELECT MIN(n) * 10 + MAX(n) FROM counters"); n != 22 {
		t.Errorf("counters are %d, want 2 and 2", n)
	}
	if len(attempts) < 3 {
		t.Errorf("%d attempts: there was no deadlock", len(attempts))
	}
}

// Two transactions both read the rows that the other changes.
func TestTransactRetriesSerializationFailure(t *testing.T) {
	t.Parallel()
	db := open(t, database.Options{URL: dbtest.PostgresURL(t)})
	exec(t, db, counterTable, "INSERT INTO counters VALUES (1, 0)")
	attempts := 0
	err := db.Transact(t.Context(), func(tx *database.Tx) error {
		attempts++
		if _, err := tx.Exec(t.Context(), "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"); err != nil {
			return err
		}
		n := number(t, tx, "SELECT n FROM counters WHERE id = 1")
		if attempts == 1 {
			if err := increment(t.Context(), db, 1); err != nil {
				return err
			}
		}
		_, err := tx.Exec(t.Context(), "UPDATE counters SET n = $1 WHERE id = 1", n+10)
		return err
	})
	if err != nil || attempts != 2 {
		t.Fatalf("%d attempts: %v", attempts, err)
	}
	if n := number(t, db.Reader(), "SELECT n FROM counters"); n != 11 {
		t.Errorf("n = %d, want 11", n)
	}
}

func TestTransactRetriesBusy(t *testing.T) {
	t.Parallel()
	path := dbtest.SQLitePath(t)
	first, second := open(t, database.Options{URL: path}), open(t, database.Options{URL: path})
	exec(t, first, counterTable, "INSERT INTO counters VALUES (1, 0)")
	// Without SQLite's own waiting, only the retries remain.
	if _, err := second.SQL().ExecContext(t.Context(), "PRAGMA busy_timeout = 0"); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	err := first.Transact(t.Context(), func(tx *database.Tx) error {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if err := increment(ctx, second, 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("while another writes: %v", err)
		}
		group.Go(func() {
			if err := increment(t.Context(), second, 1); err != nil {
				t.Error(err)
			}
		})
		_, err := tx.Exec(t.Context(), "UPDATE counters SET n = n + 1")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	group.Wait()
	if n := number(t, first.Reader(), "SELECT n FROM counters"); n != 2 {
		t.Errorf("n = %d, want 2", n)
	}
}

func TestTransactRollsBack(t *testing.T) {
	t.Parallel()
	wrong := errors.New("wrong")
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		db := open(t, o)
		exec(t, db, counterTable)
		insert := func(tx *database.Tx) {
			if _, err := tx.Exec(t.Context(), "INSERT INTO counters VALUES (1, 1)"); err != nil {
				t.Error(err)
			}
		}
		err := db.Transact(t.Context(), func(tx *database.Tx) error {
			insert(tx)
			return wrong
		})
		if err != wrong {
			t.Errorf("Transact = %v", err)
		}
		func() {
			defer func() {
				if got := recover(); got != wrong {
					t.Errorf("recovered %v", got)
				}
			}()
			_ = db.Transact(t.Context(), func(tx *database.Tx) error {
				insert(tx)
				panic(wrong)
			})
		}()
		if n := number(t, db.Reader(), "SELECT COUNT(*) FROM counters"); n != 0 {
			t.Errorf("%d rows are left", n)
		}
		exec(t, db, "INSERT INTO counters VALUES (1, 1)") // the connection is available again
	})
}

func TestTransactAbortsAfterFailure(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		db := open(t, o)
		exec(t, db, counterTable, "INSERT INTO counters VALUES (1, 1)")
		ctx := t.Context()
		err := db.Transact(ctx, func(tx *database.Tx) error {
			if _, err := tx.Exec(ctx, "INSERT INTO counters VALUES (2, 2)"); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, "INSERT INTO counters VALUES (1, 1)"); !database.IsUnique(err) {
				t.Errorf("insert = %v", err)
			}
			if _, err := tx.Exec(ctx, "INSERT INTO counters VALUES (3, 3)"); err == nil {
				t.Error("Exec goes on")
			}
			if _, err := tx.Query(ctx, "SELECT 1"); err == nil {
				t.Error("Query goes on")
			}
			var n int
			if err := tx.QueryRow(ctx, "SELECT 1").Scan(&n); err == nil {
				t.Error("QueryRow goes on")
			}
			return nil
		})
		if !database.IsUnique(err) {
			t.Errorf("Transact = %v", err)
		}
		if n := number(t, db.Reader(), "SELECT COUNT(*) FROM counters"); n != 1 {
			t.Errorf("%d rows, want 1", n)
		}
	})
}

func TestTransactSQL(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		db := open(t, o)
		exec(t, db, counterTable)
		err := db.Transact(t.Context(), func(tx *database.Tx) error {
			if _, err := tx.SQL().ExecContext(t.Context(), "INSERT INTO counters VALUES ($2, $1)", 7, 1); err != nil {
				return err
			}
			if n := number(t, tx, "SELECT n FROM counters WHERE id = $1", 1); n != 7 {
				t.Errorf("n = %d, want 7", n)
			}
			var none int
			err := tx.QueryRow(t.Context(), "SELECT n FROM counters WHERE id = 5").Scan(&none)
			if !errors.Is(err, database.ErrNoRows) {
				t.Errorf("Scan = %v", err)
			}
			return nil // a missing row is not a failure
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestViewIsOneSnapshot(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		db := open(t, o)
		exec(t, db, counterTable, "INSERT INTO counters VALUES (1, 0)")
		err := db.View(t.Context(), func(q database.Querier) error {
			for i := range 5 {
				if n := number(t, q, "SELECT n FROM counters"); n != 0 {
					t.Errorf("read %d: n = %d", i, n)
				}
				if err := increment(t.Context(), db, 1); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if n := number(t, db.Reader(), "SELECT n FROM counters"); n != 5 {
			t.Errorf("n = %d, want 5", n)
		}
	})
}
