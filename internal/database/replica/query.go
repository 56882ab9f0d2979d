package replica

import (
	"context"
	"database/sql"
	"errors"

	"vitrine/internal/reads"
)

// Rows lists the methods of database.Rows, which sql.Rows implements.
type Rows interface {
	Scan(dest ...any) error
	Next() bool
	Err() error
	Close() error
	Columns() ([]string, error)
}

// Query runs a single statement.
func (r *Replica) Query(ctx context.Context, request *reads.Request, query string, args []any) (Rows, error) {
	found, err := r.Handle.QueryContext(ctx, query, args...)
	if err != nil {
		r.Fail(ctx, request, err)
		return nil, err
	}
	return &rows{found, ctx, request, r}, nil
}

// rows reports an error while reading rows to the replica.
type rows struct {
	*sql.Rows
	ctx     context.Context
	request *reads.Request
	at      *Replica
}

// Next implements Rows.
func (r *rows) Next() bool {
	more := r.Rows.Next()
	if !more {
		r.at.Fail(r.ctx, r.request, r.Err())
	}
	return more
}

// QueryRow is like Query, but for a single row.
func (r *Replica) QueryRow(ctx context.Context, request *reads.Request, query string, args []any) *Row {
	return &Row{r.Handle.QueryRowContext(ctx, query, args...), ctx, request, r}
}

// Row is the only row of a statement.
type Row struct {
	row     *sql.Row
	ctx     context.Context
	request *reads.Request
	at      *Replica
}

// Scan implements database.Row.
func (r *Row) Scan(dest ...any) error {
	err := r.row.Scan(dest...)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		r.at.Fail(r.ctx, r.request, err)
	}
	return err
}
