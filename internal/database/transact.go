package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"vitrine/internal/database/lite"
	"vitrine/internal/database/loss"
	"vitrine/internal/database/traced"
)

// View runs fn on one read-only snapshot: all its statements see the database as
// it was at the first of them, whatever others write meanwhile. fn may run again
// when PostgreSQL reports a conflict, so it should fill its results afresh.
func (db *DB) View(ctx context.Context, fn func(q Querier) error) error {
	ctx, end := db.trace.Begin(ctx, traced.View)
	return end(db.view(ctx, fn))
}

func (db *DB) view(ctx context.Context, fn func(q Querier) error) error {
	if db.dialect == SQLite {
		return db.retry(ctx, func() error { return db.viewSQLite(ctx, fn) })
	}
	opts := sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead}
	if r := db.replicas.For(ctx); r != nil {
		return db.viewReplica(ctx, r, &opts, fn)
	}
	return db.retry(ctx, func() error {
		return inTx(ctx, db.handle, &opts, func(tx *sql.Tx) error { return fn(querier{db.watchedIn(ctx, sqlHandle{tx})}) })
	})
}

// viewSQLite leaves connections to statements that stand alone. Views wait for their places
// in the order of coming: where any of those that wait was next, the slowest of a hundred
// searches took twice as long.
func (db *DB) viewSQLite(ctx context.Context, fn func(q Querier) error) error {
	if err := db.placeOfView(ctx); err != nil {
		return Classify(ctx, err)
	}
	defer func() { <-db.views }()
	conn, err := db.readers.Take(ctx)
	if err != nil {
		return Classify(ctx, err)
	}
	defer db.readers.Give(conn)
	if err := conn.Run("BEGIN"); err != nil {
		return Classify(ctx, err)
	}
	defer conn.Rollback() // nothing was written
	defer conn.Watch(ctx)()
	return classifyCallback(ctx, fn(querier{db.watchedIn(ctx, liteHandle{conn})}))
}

// placeOfView waits for a place among the views.
func (db *DB) placeOfView(ctx context.Context) error {
	select {
	case db.views <- struct{}{}:
		return nil
	default:
	}
	defer db.viewing.Begin()()
	select {
	case db.views <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
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
	ctx, end := db.trace.Begin(ctx, traced.Transaction)
	return end(db.transact(ctx, fn))
}

func (db *DB) transact(ctx context.Context, fn func(tx *Tx) error) error {
	if db.dialect == SQLite {
		return db.retry(ctx, func() error { return db.transactSQLite(ctx, fn) })
	}
	return db.retry(ctx, func() error {
		return inTx(ctx, db.handle, nil, func(tx *sql.Tx) error {
			t := &Tx{tx: tx, run: db.watchedIn(ctx, sqlHandle{tx})}
			if err := fn(t); err != nil {
				return err
			}
			return t.failed
		})
	})
}

// liteTx runs fn in the transaction that is in progress on a connection.
func (db *DB) liteTx(ctx context.Context, conn *lite.Conn, fn func(tx *Tx) error) error {
	defer conn.Watch(ctx)()
	t := &Tx{conn: conn, run: db.watchedIn(ctx, liteHandle{conn})}
	defer func() {
		if t.tx != nil {
			_ = t.tx.Rollback() // which leaves the transaction itself alone
		}
	}()
	if err := fn(t); err != nil {
		return err
	}
	return t.failed
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
		if err == nil || ctx.Err() != nil || loss.Refused(err) || !loss.Lost(err) || errors.Is(err, loss.ErrClosed) {
			break
		}
	}
	return tx, err
}

// Tx is a transaction in progress, for one goroutine.
type Tx struct {
	run    handle     // perhaps watched
	conn   *lite.Conn // SQLite
	tx     *sql.Tx    // on SQLite once a library has asked for it
	failed error
}

// SQL gives the transaction of database/sql, for a library that joins it, such
// as the queue of jobs. Neither commit it nor roll it back.
func (t *Tx) SQL() *sql.Tx {
	if t.tx == nil {
		var err error
		if t.tx, err = t.conn.Joined(); err != nil {
			panic(err) // nothing is opened or begun that could fail
		}
	}
	return t.tx
}

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
func (t *Tx) Query(ctx context.Context, query string, args ...any) (Rows, error) {
	if t.failed != nil {
		return nil, t.refusal()
	}
	rows, err := t.run.query(ctx, query, args)
	return rows, t.note(ctx, err)
}

// QueryRow implements Querier.
func (t *Tx) QueryRow(ctx context.Context, query string, args ...any) Row {
	if t.failed != nil {
		return failedRow{t.refusal()}
	}
	return &txRow{tx: t, ctx: ctx, row: t.run.queryRow(ctx, query, args)}
}

// Exec implements Querier.
func (t *Tx) Exec(ctx context.Context, query string, args ...any) (Result, error) {
	if t.failed != nil {
		return nil, t.refusal()
	}
	res, err := t.run.exec(ctx, query, args)
	return res, t.note(ctx, err)
}

type txRow struct {
	tx  *Tx
	ctx context.Context
	row Row
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
