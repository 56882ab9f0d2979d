package database_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
)

// This test is not parallel because it counts goroutines.
func TestUninterruptibleStartsNoGoroutine(t *testing.T) {
	db := open(t, database.Options{URL: dbtest.SQLitePath(t)})
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	read := func(q database.Querier) {
		t.Helper()
		before := runtime.NumGoroutine()
		rows, err := q.Query(database.Uninterruptible(ctx), "SELECT 1 UNION ALL SELECT 2")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		if n := runtime.NumGoroutine() - before; !rows.Next() || n > 0 {
			t.Errorf("an open statement costs %d goroutines", n)
		}
	}
	before := runtime.NumGoroutine()
	read(db.Reader())
	err := db.View(ctx, func(q database.Querier) error {
		if n := runtime.NumGoroutine() - before; n > 0 {
			t.Errorf("a snapshot costs %d goroutines", n)
		}
		read(q)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestUninterruptibleHeedsItsContext(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		o.MaxConns = 2
		db := open(t, o)
		var n int
		read := func(ctx context.Context, q database.Querier) error {
			return q.QueryRow(database.Uninterruptible(ctx), "SELECT 1").Scan(&n)
		}
		ended, end := context.WithCancel(t.Context())
		err := db.View(ended, func(q database.Querier) error {
			end()
			return read(ended, q)
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("in a snapshot, after its end: %v", err)
		}
		if err := read(ended, db.Reader()); !errors.Is(err, context.Canceled) {
			t.Errorf("after its end: %v", err)
		}
		for range o.MaxConns { // all connections are available
			rows, err := db.Reader().Query(t.Context(), "SELECT 1")
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
		}
		soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if err := read(soon, db.Reader()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("while waiting for a connection: %v", err)
		}
	})
}

func TestViewLeavesNoTransaction(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, o database.Options) {
		o.MaxConns = 2
		db := open(t, o)
		exec(t, db, "CREATE TABLE a (n BIGINT)")
		count := func(q database.Querier) (n int) {
			t.Helper()
			if err := q.QueryRow(t.Context(), "SELECT count(*) FROM a").Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		failed := errors.New("failed")
		for i, fail := range []func() error{
			func() error { return nil }, func() error { return failed }, func() error { panic(failed) },
		} {
			for range 3 { // more than the number of connections
				func() {
					defer func() { _ = recover() }()
					err := db.View(t.Context(), func(q database.Querier) error {
						count(q)
						return fail()
					})
					if err != nil && !errors.Is(err, failed) {
						t.Error(err)
					}
				}()
			}
			exec(t, db, "INSERT INTO a VALUES (1)")
			for range 3 {
				if n := count(db.Reader()); n != i+1 {
					t.Errorf("after end %d of a snapshot: %d rows, want %d", i, n, i+1)
				}
			}
		}
	})
}
