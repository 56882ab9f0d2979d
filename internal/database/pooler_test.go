package database_test

import (
	"context"
	"errors"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"vitrine/internal/database"
	"vitrine/internal/database/dbtest"
	"vitrine/internal/database/postgres"
)

// pooled returns options for an empty database behind a PgBouncer in transaction mode.
func pooled(t *testing.T) database.Options {
	t.Helper()
	direct := dbtest.PostgresURL(t)
	return database.Options{URL: dbtest.Pooler(t, direct), DirectURL: direct}
}

// More clients than server sessions read and write with the same statements, and some disconnect in the
// middle of one. Each acknowledged write is stored once, and the pooler survives.
func TestPooler(t *testing.T) {
	t.Parallel()
	o := pooled(t)
	o.MaxConns = 8
	db := open(t, o)
	migrations := fstest.MapFS{"00001_t.sql": {Data: []byte("-- +goose Up\nCREATE TABLE t (id BIGSERIAL PRIMARY KEY, writer BIGINT NOT NULL, word TEXT NOT NULL);")}}
	if _, err := db.Migrate(t.Context(), migrations); err != nil {
		t.Fatal(err)
	}
	present(t, db, open(t, o))

	const writers, writes = 8, 40
	var all sync.WaitGroup
	var hungUp atomic.Int64
	for writer := range writers {
		all.Go(func() {
			for i := range writes {
				err := db.Transact(t.Context(), func(tx *database.Tx) error {
					if _, err := tx.Exec(t.Context(), "INSERT INTO t (writer, word) VALUES ($1, $2)", writer, "word"); err != nil {
						return err
					}
					var n int
					return tx.QueryRow(t.Context(), "SELECT count(*) FROM t WHERE writer = $1 AND word = $2", writer, "word").Scan(&n)
				})
				if err != nil {
					t.Errorf("write %d of %d: %v", i, writer, err)
				}
				if i%8 == writer {
					hangUp(t, db, &hungUp)
				}
			}
		})
	}
	all.Wait()
	if n := number(t, db.Reader(), "SELECT count(*) FROM t"); n != writers*writes {
		t.Errorf("%d rows, want %d", n, writers*writes)
	}
	if n := hungUp.Load(); n != writers*writes/8 {
		t.Errorf("%d have hung up, want %d", n, writers*writes/8)
	}
	if n := number(t, db.Reader(), "SELECT count(*) FROM pg_prepared_statements"); n != 0 {
		t.Errorf("%d statements are prepared in a session that is lent", n)
	}
}

// hangUp cancels a running statement.
func hangUp(t *testing.T, db *database.DB, hungUp *atomic.Int64) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := db.Transact(ctx, func(tx *database.Tx) error {
		if _, err := tx.Exec(ctx, "INSERT INTO t (writer, word) VALUES (-1, 'hung up')"); err != nil {
			return err
		}
		cancel()
		_, err := tx.Exec(ctx, "SELECT pg_sleep(0.01)")
		return err
	})
	if errors.Is(err, context.Canceled) {
		hungUp.Add(1)
	} else {
		t.Errorf("got %v", err)
	}
}

// Wrong addresses are rejected with a helpful error.
func TestPoolerRefused(t *testing.T) {
	t.Parallel()
	o := pooled(t)
	elsewhere := dbtest.PostgresURL(t)
	nowhere, err := url.Parse(elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	nowhere.Path = "/vitrine_test_nowhere"
	for name, c := range map[string]struct {
		direct string
		want   error // nil for any error
	}{
		"no direct address": {"", database.ErrPooler},
		"another database":  {elsewhere, postgres.ErrOtherServer},
		"no database":       {nowhere.String(), nil},
		"no address":        {"postgres://%", nil},
	} {
		o.DirectURL = c.direct
		db, err := database.Open(t.Context(), o)
		if err == nil {
			_ = db.Close()
		}
		if err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
