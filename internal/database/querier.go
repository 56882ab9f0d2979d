package database

import (
	"context"
	"database/sql"

	"vitrine/internal/database/lite"
	"vitrine/internal/reads"
)

// Querier runs statements. DB.Reader, View and Transact provide one.
//
// Errors while reading rows are reported by Rows.Err. Pass them through Classify.
type Querier interface {
	Query(ctx context.Context, query string, args ...any) (Rows, error)
	QueryRow(ctx context.Context, query string, args ...any) Row
	Exec(ctx context.Context, query string, args ...any) (Result, error)
}

// Rows iterates over the rows of a result, for one goroutine. They are closed when Next has returned
// false. Callers that stop earlier must close them. Close can be called more than once.
type Rows interface {
	Row
	// Next advances to the next row. It returns false after the last row and after an error,
	// which Err then returns.
	Next() bool
	Err() error
	Close() error
	// Columns returns the column names.
	Columns() ([]string, error)
}

// Row is a single row, or the current one of Rows. Scan copies its columns into pointers, as in
// database/sql. It returns ErrNoRows if there is no row.
type Row interface {
	Scan(dest ...any) error
}

// Result reports the number of inserted, updated or deleted rows.
type Result interface {
	RowsAffected() (int64, error)
}

// handle runs statements on a pool or on one connection. It returns driver errors unchanged.
type handle interface {
	query(ctx context.Context, query string, args []any) (Rows, error)
	queryRow(ctx context.Context, query string, args []any) Row
	exec(ctx context.Context, query string, args []any) (Result, error)
}

// sqlHandle uses database/sql, which is used for PostgreSQL.
type sqlHandle struct{ sqlQuerier }

// sqlQuerier is implemented by *sql.DB and *sql.Tx.
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

// liteHandle uses SQLite.
type liteHandle struct{ liteQuerier }

// liteQuerier is implemented by a pool and a connection.
type liteQuerier interface {
	Query(ctx context.Context, text string, args []any) (*lite.Rows, error)
	Exec(ctx context.Context, text string, args []any) (changed int64, err error)
}

// changed implements Result.
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

// Reader returns a Querier on the reader pool, where statements are independent of each other. Only
// SQLite rejects writes through it, but on both databases use Transact to write.
func (db *DB) Reader() Querier {
	if db.dialect == Postgres {
		return querier{db.watched(sqlHandle{db.handle})}
	}
	return querier{db.watched(liteHandle{db.readers})}
}

// ReaderFor is Reader for requests that may read at a replica. of returns the request of a statement's
// context, or nil.
func (db *DB) ReaderFor(of func(context.Context) *reads.Request) Querier {
	if db.replicas == nil {
		return db.Reader()
	}
	return querier{db.watched(routedHandle{sqlHandle{db.handle}, db.replicas, of})}
}
