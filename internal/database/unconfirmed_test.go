package database_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
	"vitrine/internal/database/postgres"
)

// A commit that no replica confirms is not acknowledged, no matter how its wait ends: a primary that is
// cut off commits it, but the server that is promoted in its place does not have it.
func TestCommitThatNoReplicaHasIsNotAcknowledged(t *testing.T) {
	t.Parallel()
	pair := dbtest.NewPair(t)
	pair.Exec(dbtest.Primary, "CREATE DATABASE alone")
	db := open(t, database.Options{URL: pair.URL(dbtest.Primary, "alone")})
	exec(t, db, "CREATE TABLE t (n INTEGER)")
	write := func(ctx context.Context) error {
		return db.Transact(ctx, func(tx *database.Tx) error {
			_, err := tx.Exec(ctx, "INSERT INTO t VALUES (1)")
			return err
		})
	}
	waiting := func(names string) {
		pair.Exec(dbtest.Primary, "ALTER SYSTEM SET synchronous_standby_names = '"+names+"'")
		pair.Exec(dbtest.Primary, "SELECT pg_reload_conf()")
	}
	waiting("nobody")
	for waits := false; !waits; { // the server applies the setting asynchronously
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		_ = write(ctx)
		waits = ctx.Err() != nil
		cancel()
	}
	ends := map[string]func() error{
		"the request's time is over": func() error {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			return write(ctx)
		},
		"the statement is cancelled": func() error {
			ended := make(chan error, 1)
			go func() { ended <- write(t.Context()) }()
			for {
				select {
				case err := <-ended:
					return err
				case <-time.After(20 * time.Millisecond):
					pair.Exec(dbtest.Primary, "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
				}
			}
		},
	}
	for name, end := range ends {
		if err := end(); !errors.Is(err, postgres.ErrUnconfirmed) {
			t.Errorf("%s: the write was answered with %v", name, err)
		}
	}
	waiting("") // may take effect while the write waits
	if err := write(t.Context()); err != nil {
		t.Errorf("a write that nobody is waited for: %v", err)
	}
}
