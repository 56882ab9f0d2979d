package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"vitrine/internal/database/lite"
	"vitrine/internal/database/pipeline"
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
		return inTx(ctx, db.handle, &opts, func(tx *pipeline.Tx) error { return fn(querier{db.watchedIn(ctx, sqlHandle{tx})}) })
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
		return inTx(ctx, db.handle, nil, func(tx *pipeline.Tx) error {
			t := &Tx{line: tx, tx: tx.Tx, run: db.watchedIn(ctx, sqlHandle{tx})}
			if err := fn(t); err != nil {
				return err
			}
			if err := t.writeDeferred(ctx); err != nil {
				return err
			}
			db.fencePostgres(t)
			return t.Sync(ctx)
		})
	})
}

// liteTx runs fn in the transaction that a group has in progress, and gives what it leaves to be
// written with what others of the group leave. Where nobody else is in it or waits to be, that is
// written at once.
func (db *DB) liteTx(ctx context.Context, g *group, apart bool, fn func(tx *Tx) error) (left Deferred, err error) {
	defer g.conn.Watch(ctx)()
	t := &Tx{conn: g.conn, group: g, run: db.watchedIn(ctx, liteHandle{g.conn})}
	defer func() {
		if t.tx != nil {
			_ = t.tx.Rollback() // which leaves the transaction itself alone
		}
	}()
	if err := fn(t); err != nil {
		return nil, err
	}
	if len(g.deferred) == 0 && (apart || db.line.Waiting() == 0) {
		if err := t.writeDeferred(ctx); err != nil {
			return nil, err
		}
	}
	return t.deferred, t.failed
}

// inTx rolls back unless fn returns nil, also when fn panics; the panic goes on.
func inTx(ctx context.Context, pool *sql.DB, opts *sql.TxOptions, fn func(tx *pipeline.Tx) error) error {
	tx, err := pipeline.Begin(ctx, pool, opts)
	if err != nil {
		return Classify(ctx, err)
	}
	defer tx.End()
	if err := fn(tx); err != nil {
		return classifyCallback(ctx, err)
	}
	return Classify(ctx, tx.Commit())
}

// Tx is a transaction in progress, for one goroutine.
type Tx struct {
	run      handle       // perhaps watched
	line     *pipeline.Tx // PostgreSQL
	conn     *lite.Conn   // SQLite
	group    *group       // on SQLite: whose members leave something to be written
	tx       *sql.Tx      // on SQLite once a library has asked for it
	deferred Deferred
	failed   error
}

// Later takes a statement whose result the caller does not wait for, and reports whether it did:
// on SQLite, where there are no round trips to save, the caller runs it. It is sent before the
// next statement, or by Sync, together with others. Its Then may run any time from now on, in
// the goroutine of the transaction.
func (t *Tx) Later(ctx context.Context, s pipeline.Statement) (taken bool, err error) {
	switch {
	case t.failed != nil:
		return true, t.refusal()
	case t.line == nil:
		return false, nil
	case t.line.Add(s):
		return true, t.Sync(ctx)
	}
	return true, nil
}

// Sync runs what Later has taken, and returns the first error of that.
func (t *Tx) Sync(ctx context.Context) error {
	for t.failed == nil && t.line != nil {
		all := t.line.Take()
		if len(all) == 0 {
			return nil
		}
		if err := t.note(ctx, t.send(ctx, all)); err != nil {
			return err
		}
		for _, s := range all {
			if s.Then == nil {
				continue
			}
			if err := s.Then(ctx); err != nil {
				return err
			}
		}
	}
	return t.failed
}

func (t *Tx) send(ctx context.Context, all []pipeline.Statement) error {
	ends := watchedAll(ctx, t.run, all)
	err := t.line.Send(ctx, all)
	ends(err)
	return err
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

// ready runs what is to run before a statement.
func (t *Tx) ready(ctx context.Context, query string) error {
	if t.failed != nil {
		return t.refusal()
	}
	if t.group != nil {
		if t.failed = t.group.before(ctx, query, t.run); t.failed != nil {
			return t.failed
		}
	}
	return t.Sync(ctx)
}

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
	if err := t.ready(ctx, query); err != nil {
		return nil, err
	}
	rows, err := t.run.query(ctx, query, args)
	return rows, t.note(ctx, err)
}

// QueryRow implements Querier.
func (t *Tx) QueryRow(ctx context.Context, query string, args ...any) Row {
	if err := t.ready(ctx, query); err != nil {
		return failedRow{err}
	}
	return &txRow{tx: t, ctx: ctx, row: t.run.queryRow(ctx, query, args)}
}

// Exec implements Querier.
func (t *Tx) Exec(ctx context.Context, query string, args ...any) (Result, error) {
	if err := t.ready(ctx, query); err != nil {
		return nil, err
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
