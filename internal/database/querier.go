package database

import (
	"context"
	"database/sql"
)

// Querier runs statements. DB.Reader, View and Transact each give one.
//
// Query leaves errors met while reading rows to *sql.Rows; pass what Rows.Err
// returns through Classify.
type Querier interface {
	Query(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRow(ctx context.Context, query string, args ...any) Row
	Exec(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// Row is one row to come. Scan returns ErrNoRows when there is none.
type Row interface {
	Scan(dest ...any) error
}

// handle is what *sql.DB and *sql.Tx have in common.
type handle interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// querier runs statements on a pool or in a read-only transaction.
type querier struct{ handle }

func (q querier) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	return rows, Classify(ctx, err)
}

func (q querier) QueryRow(ctx context.Context, query string, args ...any) Row {
	return &row{ctx: ctx, Row: q.QueryRowContext(ctx, query, args...)}
}

func (q querier) Exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	res, err := q.ExecContext(ctx, query, args...)
	return res, Classify(ctx, err)
}

type row struct {
	*sql.Row
	ctx context.Context
}

func (r *row) Scan(dest ...any) error { return Classify(r.ctx, r.Row.Scan(dest...)) }

// Reader gives the pool of readers, where each statement stands alone. Only
// SQLite refuses to write through it; statements that write belong in Transact
// all the same.
func (db *DB) Reader() Querier { return querier{db.watched(db.readers)} }
