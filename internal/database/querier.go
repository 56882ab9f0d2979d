package database

import (
	"context"
	"database/sql"

	"vitrine/internal/database/lite"
)

// Querier runs statements. DB.Reader, View and Transact each give one.
//
// Query leaves errors met while reading rows to Rows; pass what Rows.Err returns
// through Classify.
type Querier interface {
	Query(ctx context.Context, query string, args ...any) (Rows, error)
	QueryRow(ctx context.Context, query string, args ...any) Row
	Exec(ctx context.Context, query string, args ...any) (Result, error)
}

// Rows are the rows of a result, one at a time, for one goroutine. They are closed when
// Next has returned false; whoever stops before closes them, on every way out. Closing
// again does nothing.
type Rows interface {
	Row
	// Next goes to the next row, at first to the first. It returns false after the last and
	// after an error, which Err has.
	Next() bool
	Err() error
	Close() error
	// Columns are the names of the columns.
	Columns() ([]string, error)
}

// Row is one row to come, or the one that Rows are at. Scan reads its columns as
// database/sql does, into pointers; it returns ErrNoRows when there is no row to come.
type Row interface {
	Scan(dest ...any) error
}

// Result says how many rows a statement has inserted, updated or deleted.
type Result interface {
	RowsAffected() (int64, error)
}

// handle runs statements on a pool or on one connection. Its errors are the driver's.
type handle interface {
	query(ctx context.Context, query string, args []any) (Rows, error)
	queryRow(ctx context.Context, query string, args []any) Row
	exec(ctx context.Context, query string, args []any) (Result, error)
}

// sqlHandle is one of database/sql, which PostgreSQL is reached by.
type sqlHandle struct{ sqlQuerier }

// sqlQuerier is what *sql.DB and *sql.Tx have in common.
type sqlQuerier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

func (h sqlHandle) query(ctx context.Context, query string, args []any) (Rows, error) {
	rows, err := h.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return rows, nil
}

func (h sqlHandle) queryRow(ctx context.Context, query string, args []any) Row {
	return h.QueryRowContext(ctx, query, args...)
}

func (h sqlHandle) exec(ctx context.Context, query string, args []any) (Result, error) {
	return h.ExecContext(ctx, query, args...)
}

// liteHandle is one of SQLite.
type liteHandle struct{ liteQuerier }

// liteQuerier is what a pool and a connection have in common.
type liteQuerier interface {
	Query(ctx context.Context, text string, args []any) (*lite.Rows, error)
	Exec(ctx context.Context, text string, args []any) (changed int64, err error)
}

// changed is a Result.
type changed int64

func (n changed) RowsAffected() (int64, error) { return int64(n), nil }

func (h liteHandle) query(ctx context.Context, query string, args []any) (Rows, error) {
	rows, err := h.Query(ctx, query, args)
	if err != nil {
		return nil, err
	}
	return rows, nil
}

func (h liteHandle) queryRow(ctx context.Context, query string, args []any) Row {
	rows, err := h.Query(ctx, query, args)
	if err != nil {
		return failedRow{err}
	}
	return (*lite.Row)(rows)
}

func (h liteHandle) exec(ctx context.Context, query string, args []any) (Result, error) {
	n, err := h.Exec(ctx, query, args)
	if err != nil {
		return nil, err
	}
	return changed(n), nil
}

// querier runs statements on a pool or in a read-only transaction.
type querier struct{ handle }

func (q querier) Query(ctx context.Context, query string, args ...any) (Rows, error) {
	rows, err := q.query(ctx, query, args)
	return rows, Classify(ctx, err)
}

func (q querier) QueryRow(ctx context.Context, query string, args ...any) Row {
	return &row{ctx, q.queryRow(ctx, query, args)}
}

func (q querier) Exec(ctx context.Context, query string, args ...any) (Result, error) {
	res, err := q.exec(ctx, query, args)
	return res, Classify(ctx, err)
}

type row struct {
	ctx context.Context
	row Row
}

func (r *row) Scan(dest ...any) error { return Classify(r.ctx, r.row.Scan(dest...)) }

// Reader gives the pool of readers, where each statement stands alone. Only
// SQLite refuses to write through it; statements that write belong in Transact
// all the same.
func (db *DB) Reader() Querier {
	if db.dialect == Postgres {
		return querier{db.watched(placedHandle{sqlHandle{db.handle}, db.replicas})}
	}
	return querier{db.watched(liteHandle{db.readers})}
}
