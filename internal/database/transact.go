package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
)

// View runs fn on one read-only snapshot: all its statements see the database as
// it was at the first of them, whatever others write meanwhile. fn may run again
// when PostgreSQL reports a conflict, so it should fill its results afresh.
func (db *DB) View(ctx context.Context, fn func(q Querier) error) error {
	if db.dialect == SQLite {
		return db.retry(ctx, func() error { return db.viewSQLite(ctx, fn) })
	}
	opts := sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead}
	return db.retry(ctx, func() error {
		return inTx(ctx, db.readers, &opts, func(tx *sql.Tx) error { return fn(querier{db.watched(tx)}) })
	})
}

// viewSQLite begins and ends the transaction by statements: an sql.Tx would start a
// goroutine for itself and one for each statement in it, interruptible or not. Views wait for a
// place in the order of their coming; database/sql would give a connection to any of
// those that wait, so that the slowest of a hundred searches took twice as long.
func (db *DB) viewSQLite(ctx context.Context, fn func(q Querier) error) error {
	select {
	case db.views <- struct{}{}:
		defer func() { <-db.views }()
	case <-ctx.Done():
		return Classify(ctx, ctx.Err())
	}
	conn, err := db.readers.Conn(ctx)
	if err != nil {
		return Classify(ctx, err)
	}
	defer func() { _ = conn.Close() }() // back to the pool
	if _, err := conn.ExecContext(Uninterruptible(ctx), "BEGIN"); err != nil {
		return Classify(ctx, err)
	}
	defer func() {
		// Nothing was written. A connection that cannot roll back is given up.
		if _, err := conn.ExecContext(context.Background(), "ROLLBACK"); err != nil {
			_ = conn.Raw(func(any) error { return driver.ErrBadConn })
		}
	}()
	return classifyCallback(ctx, fn(querier{db.watched(conn)}))
}

// Transact runs fn in a transaction that writes, and commits if fn returns nil.
// On SQLite it has the database's only writing connection from the start; on
// PostgreSQL it is READ COMMITTED, so rows that are read to be changed want a
// lock. When a conflict with others ends it, fn runs again, for some seconds or
// as long as ctx allows: fn should have no effects but through tx, and must not
// call Transact itself, which on SQLite would wait for itself. Once Transact has
// returned nil the change is durable.
//
// After a statement has failed the transaction refuses further statements and
// cannot commit, on both databases as PostgreSQL has it: avoid an expected
// failure by ON CONFLICT, or let fn return it.
func (db *DB) Transact(ctx context.Context, fn func(tx *Tx) error) error {
	if db.dialect == SQLite {
		return db.retry(ctx, func() error { return db.transactSQLite(ctx, fn) })
	}
	return db.retry(ctx, func() error {
		return inTx(ctx, db.writer, nil, func(tx *sql.Tx) error {
			t := &Tx{tx: tx, run: db.watched(tx)}
			if err := fn(t); err != nil {
				return err
			}
			return t.failed
		})
	})
}

// inTx rolls back unless fn returns nil, also when fn panics; the panic goes on.
func inTx(ctx context.Context, pool *sql.DB, opts *sql.TxOptions, fn func(tx *sql.Tx) error) error {
	tx, err := beginTx(ctx, pool, opts)
	if err != nil {
		return Classify(ctx, err)
	}
	// After a commit this does nothing. Its error would hide the cause, and a
	// connection that cannot roll back is given up by the pool.
	defer func() { _ = tx.Rollback() }()
	if err := fn(tx); err != nil {
		return classifyCallback(ctx, err)
	}
	return Classify(ctx, tx.Commit())
}

// beginTries is how often a transaction is begun on a connection that turns out to be
// lost: each of them is noticed once, and nothing has been done on it.
const beginTries = 10

func beginTx(ctx context.Context, pool *sql.DB, opts *sql.TxOptions) (tx *sql.Tx, err error) {
	for range beginTries {
		tx, err = pool.BeginTx(ctx, opts)
		if err == nil || ctx.Err() != nil || isRefused(err) || !isLost(err) || errors.Is(err, errClosed) {
			break
		}
	}
	return tx, err
}

// Tx is a transaction in progress, for one goroutine.
type Tx struct {
	tx     *sql.Tx
	run    handle // tx, perhaps watched
	failed error
}

// SQL gives the transaction of database/sql, for a library that joins it, such
// as the queue of jobs. Neither commit it nor roll it back.
func (t *Tx) SQL() *sql.Tx { return t.tx }

// errAborted marks statements refused after another has failed.
var errAborted = errors.New("database: transaction is aborted by an earlier error")

func (t *Tx) refusal() error { return fmt.Errorf("%w: %w", errAborted, t.failed) }

// note remembers the first failure. Some failures make SQLite roll back by
// itself, and later statements would then each be committed on their own.
func (t *Tx) note(ctx context.Context, err error) error {
	err = Classify(ctx, err)
	if t.failed == nil && err != nil {
		t.failed = err
	}
	return err
}

// Query implements Querier.
func (t *Tx) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if t.failed != nil {
		return nil, t.refusal()
	}
	rows, err := t.run.QueryContext(ctx, query, args...)
	return rows, t.note(ctx, err)
}

// QueryRow implements Querier.
func (t *Tx) QueryRow(ctx context.Context, query string, args ...any) Row {
	if t.failed != nil {
		return failedRow{t.refusal()}
	}
	return &txRow{tx: t, ctx: ctx, row: t.run.QueryRowContext(ctx, query, args...)}
}

// Exec implements Querier.
func (t *Tx) Exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if t.failed != nil {
		return nil, t.refusal()
	}
	res, err := t.run.ExecContext(ctx, query, args...)
	return res, t.note(ctx, err)
}

type txRow struct {
	tx  *Tx
	ctx context.Context
	row *sql.Row
}

func (r *txRow) Scan(dest ...any) error {
	err := r.row.Scan(dest...)
	if errors.Is(err, ErrNoRows) {
		return Classify(r.ctx, err) // nothing has failed
	}
	return r.tx.note(r.ctx, err)
}

type failedRow struct{ err error }

func (r failedRow) Scan(...any) error { return r.err }
