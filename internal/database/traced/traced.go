// Package traced tells of what a database does while it does it: statements from when they are
// sent until their last row was read, and the transactions around them.
package traced

import "context"

// Tracer is called when something begins: a statement with its text, without the values of its
// parameters, or a transaction with "". It gives the context for what happens within, and what is
// called once it is over, with its error. Rows that are never read to their end or closed, and a
// function that panics, leave it without an end.
type Tracer func(ctx context.Context, what, query string) (context.Context, func(error))

// What is traced.
const (
	Statement   = "statement"
	Transaction = "transaction" // from when it waits for its turn until it is durable
	View        = "view"
)

// Begin begins a transaction or a view, if anybody wants to know.
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

// Row is a row to come.
type Row struct {
	Row interface{ Scan(dest ...any) error }
	End func(error)
}

// Scan implements database.Row.
func (r Row) Scan(dest ...any) error {
	err := r.Row.Scan(dest...)
	r.End(err)
	return err
}

// rows are those of the database.
type rows interface {
	Scan(dest ...any) error
	Next() bool
	Err() error
	Close() error
	Columns() ([]string, error)
}

// Rows are rows to come.
type Rows struct {
	rows
	end func(error)
}

// Until gives rows that say when they are over.
func Until(r rows, end func(error)) *Rows { return &Rows{r, end} }

// Next implements database.Rows.
func (r *Rows) Next() bool {
	if r.rows.Next() {
		return true
	}
	r.over(r.Err())
	return false
}

// Close implements database.Rows.
func (r *Rows) Close() error {
	err := r.rows.Close()
	r.over(err)
	return err
}

func (r *Rows) over(err error) {
	if r.end != nil {
		r.end(err)
		r.end = nil
	}
}
