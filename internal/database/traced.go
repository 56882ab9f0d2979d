package database

import "context"

// Tracer is called at the start of an operation: a statement, with its text but without argument values,
// or a transaction, with "". It returns the context for nested operations, and a function to call with
// the error at the end. The end is never reported for rows that are neither read to the end nor closed,
// and for functions that panic.
type Tracer func(ctx context.Context, what, query string) (context.Context, func(error))

// The traced operations.
const (
	TracedStatement   = "statement"
	TracedTransaction = "transaction" // from waiting for its turn until it is durable
	TracedView        = "view"
)

// Begin traces a transaction or view, if t is not nil.
func (t Tracer) Begin(ctx context.Context, what string) (context.Context, func(error) error) {
	if t == nil {
		return ctx, same
	}
	ctx, end := t(ctx, what, "")
	return ctx, func(err error) error {
		end(err)
		return err
	}
}

func same(err error) error { return err }

// TracedRow is a row whose Scan is traced.
type TracedRow struct {
	Row interface{ Scan(dest ...any) error }
	End func(error)
}

// Scan implements database.Row.
func (r TracedRow) Scan(dest ...any) error {
	err := r.Row.Scan(dest...)
	r.End(err)
	return err
}

// rows lists the methods of database.Rows.
type rows interface {
	Scan(dest ...any) error
	Next() bool
	Err() error
	Close() error
	Columns() ([]string, error)
}

// TracedRows are rows whose end is traced.
type TracedRows struct {
	rows
	end func(error)
}

// tracedUntil returns rows that call end when they are closed or read to the end.
func tracedUntil(r rows, end func(error)) *TracedRows { return &TracedRows{r, end} }

// Next implements database.Rows.
func (r *TracedRows) Next() bool {
	if r.rows.Next() {
		return true
	}
	r.over(r.Err())
	return false
}

// Close implements database.Rows.
func (r *TracedRows) Close() error {
	err := r.rows.Close()
	r.over(err)
	return err
}

func (r *TracedRows) over(err error) {
	if r.end != nil {
		r.end(err)
		r.end = nil
	}
}
