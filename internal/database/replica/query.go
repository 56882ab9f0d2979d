package replica

import (
	"context"
	"database/sql"
	"errors"
)

// Rows is what database.Rows want, but for what sql.Rows have.
type Rows interface {
	Scan(dest ...any) error
	Next() bool
	Err() error
	Close() error
	Columns() ([]string, error)
}

// Query runs a statement that stands alone.
func (r *Replica) Query(ctx context.Context, query string, args []any) (Rows, error) {
	found, err := r.Handle.QueryContext(ctx, query, args...)
	if err != nil {
		r.Fail(ctx, err)
		return nil, err
	}
	return &rows{found, ctx, r}, nil
}

// rows are those of a statement; the request is told where they break off.
type rows struct {
	*sql.Rows
	ctx context.Context
	at  *Replica
}

// Next is as that of sql.Rows.
func (r *rows) Next() bool {
	more := r.Rows.Next()
	if !more {
		r.at.Fail(r.ctx, r.Err())
	}
	return more
}

// QueryRow is Query for one row.
func (r *Replica) QueryRow(ctx context.Context, query string, args []any) *Row {
	return &Row{r.Handle.QueryRowContext(ctx, query, args...), ctx, r}
}

// Row is the only row of a statement.
type Row struct {
	row *sql.Row
	ctx context.Context
	at  *Replica
}

// Scan is as that of sql.Row.
func (r *Row) Scan(dest ...any) error {
	err := r.row.Scan(dest...)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		r.at.Fail(r.ctx, err)
	}
	return err
}
