package database

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5/pgxpool"

	"vitrine/internal/database/lite"
	"vitrine/internal/database/postgres"
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

// sqlHandle uses database/sql, for a Loader.
type sqlHandle struct{ *sql.DB }

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

// pgxHandle runs a statement of PostgreSQL without database/sql.
type pgxHandle func(ctx context.Context, query string, args []any) (*postgres.Rows, error)

// poolHandle runs single statements on the connections of a pool.
func poolHandle(pool *pgxpool.Pool) pgxHandle {
	return func(ctx context.Context, query string, args []any) (*postgres.Rows, error) {
		return postgres.Query(ctx, pool, query, args)
	}
}

// lineHandle runs statements of a transaction.
func lineHandle(line *postgres.Tx) pgxHandle {
	return func(ctx context.Context, query string, args []any) (*postgres.Rows, error) {
		return line.Query(ctx, nil, query, args)
	}
}

func (run pgxHandle) query(ctx context.Context, query string, args []any) (Rows, error) {
	rows, err := run(ctx, query, args)
	if err != nil {
		return nil, err
	}
	return rows, nil
}

func (run pgxHandle) queryRow(ctx context.Context, query string, args []any) Row {
	rows, err := run(ctx, query, args)
	if err != nil {
		return failedRow{err}
	}
	return postgres.Single{Rows: rows}
}

func (run pgxHandle) exec(ctx context.Context, query string, args []any) (Result, error) {
	rows, err := run(ctx, query, args)
	if err != nil {
		return nil, err
	}
	n, err := rows.Changed()
	return changed(n), err
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
		return querier{db.watched(poolHandle(Pool(db)))}
	}
	return querier{db.watched(liteHandle{db.readers})}
}

// ReaderFor is Reader for requests that may read at a replica. of returns the request of a statement's
// context, or nil.
func (db *DB) ReaderFor(of func(context.Context) *reads.Request) Querier {
	if db.replicas == nil {
		return db.Reader()
	}
	return querier{db.watched(routedHandle{poolHandle(Pool(db)), db.replicas, of})}
}

// Observer is called with each statement just before it runs, in the same goroutine. It is not called
// for the begin and end of transactions. Statements that are sent together are all reported before
// they are sent; joined is true for all but the first of them.
type Observer func(ctx context.Context, query string, joined bool)

// watched wraps a handle for the observer and the tracer, if there are any.
func (db *DB) watched(h handle) handle {
	if db.observe == nil && db.trace == nil {
		return h
	}
	return watchedHandle{handle: h, db: db}
}

// watchedIn is like watched for a handle of the transaction or view of a context. Its statements are
// traced under that context, even if they run with another one.
func (db *DB) watchedIn(within context.Context, h handle) handle {
	if db.observe == nil && db.trace == nil {
		return h
	}
	return watchedHandle{handle: h, db: db, within: within}
}

type watchedHandle struct {
	handle
	db     *DB
	within context.Context // parent of all statements; nil to use the context of each statement
	joined bool            // statements are sent with others
}

// begin reports a statement; joined is as in Observer. The returned function reports its end. It is nil if nothing is traced.
func (w watchedHandle) begin(ctx context.Context, query string, joined bool) func(error) {
	if w.db.observe != nil {
		w.db.observe(ctx, query, joined)
	}
	if w.db.trace == nil {
		return nil
	}
	if w.within != nil {
		ctx = w.within
	}
	_, end := w.db.trace(ctx, TracedStatement, query)
	return end
}

// watchedAll reports statements that are sent together. The returned function reports their end.
func watchedAll(ctx context.Context, h handle, all []postgres.Statement) func(error) {
	var ends []func(error)
	if w, ok := h.(watchedHandle); ok {
		for i, s := range all {
			if s.Quiet {
				continue
			}
			if end := w.begin(ctx, s.Query, i > 0); end != nil {
				ends = append(ends, end)
			}
		}
	}
	return func(err error) {
		for _, end := range ends {
			end(err)
		}
	}
}

func (w watchedHandle) query(ctx context.Context, query string, args []any) (Rows, error) {
	end := w.begin(ctx, query, w.joined)
	rows, err := w.handle.query(ctx, query, args)
	if end == nil {
		return rows, err
	}
	if err != nil {
		end(err)
		return nil, err
	}
	return newTracedRows(rows, end), nil
}

func (w watchedHandle) queryRow(ctx context.Context, query string, args []any) Row {
	end := w.begin(ctx, query, w.joined)
	row := w.handle.queryRow(ctx, query, args)
	if end == nil {
		return row
	}
	return TracedRow{Row: row, End: end}
}

func (w watchedHandle) exec(ctx context.Context, query string, args []any) (Result, error) {
	end := w.begin(ctx, query, w.joined)
	res, err := w.handle.exec(ctx, query, args)
	if end != nil {
		end(err)
	}
	return res, err
}

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

// newTracedRows returns rows that call end when they are closed or read to the end.
func newTracedRows(r rows, end func(error)) *TracedRows { return &TracedRows{r, end} }

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
