package postgres

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

// Row is the current row of a result. Scan copies it into pointers.
type Row interface{ Scan(dest ...any) error }

// Statement is a statement whose result is not needed immediately.
type Statement struct {
	Query string
	Args  []any
	Quiet bool // do not call observers
	// Each, if set, is called with each row of the result. It must not run statements.
	Each func(Row) error
	// Then, if set, is called after the last row. It may run statements.
	Then func(context.Context) error
}

// MayRefuse reports whether this program, not only the server, may reject the transaction because of the result.
func (s Statement) MayRefuse() bool { return s.Each != nil || s.Then != nil }

// MaxQueuedStatements is the maximum number of queued statements, which keeps the batches small.
const MaxQueuedStatements = 64

// Tx is a transaction with its own connection. It begins with its first statement and in the same round trip. It uses
// pgx directly, since database/sql costs more than some statements do.
type Tx struct {
	ctx     context.Context // statements fail when it is done
	pool    *sql.DB
	conn    *sql.Conn
	driver  *stdlib.Conn // of conn
	pgx     *pgx.Conn    // of conn
	how     string       // the statement that begins it
	started bool         // the server has started it
	ended   bool
	waiting []Statement
	library *sql.DB // see SQL
	joined  *sql.Tx
}

// The statements that begin a transaction.
const (
	ReadWrite = "begin"
	Snapshot  = "begin isolation level repeatable read read only"
)

// beginTries is the number of attempts to begin a transaction. Each attempt can hit a pooled connection
// that is lost. Retrying is safe because nothing has been done yet.
const beginTries = 10

// Begin returns a transaction on its own connection. It waits for the connection until wait is done. No statement runs
// after ctx is done. The caller must call End.
func Begin(wait, ctx context.Context, pool *sql.DB, how string) (*Tx, error) {
	t := &Tx{ctx: ctx, pool: pool, how: how}
	return t, t.connect(wait)
}

func (t *Tx) connect(ctx context.Context) (err error) {
	if t.conn != nil {
		_ = t.conn.Close() // it is lost
		t.conn = nil
	}
	if t.conn, err = t.pool.Conn(ctx); err != nil {
		return err
	}
	return t.conn.Raw(func(driver any) error {
		t.driver = driver.(*stdlib.Conn)
		t.pgx = t.driver.Conn()
		_ = Unconfirmed(t.pgx.PgConn()) // clears the state of earlier statements, such as those of a library
		return nil
	})
}

// first repeats send with other connections if the connection was lost before the transaction began.
func (t *Tx) first(ctx context.Context, send func() error) error {
	for try := 1; ; try++ {
		err := send()
		if err == nil || t.started || try == beginTries || ctx.Err() != nil || unreachable(err) || !Lost(err) || errors.Is(err, errClosed) {
			return err
		}
		if err := t.connect(ctx); err != nil {
			return err
		}
	}
}

// End rolls back the transaction unless it is committed, and releases the connection. It ignores errors,
// because they would hide the cause, and the pool discards a connection that cannot roll back. A second call does nothing.
func (t *Tx) End() {
	if t.joined != nil {
		_ = t.joined.Rollback() // affects only the library
		_ = t.library.Close()
	}
	if t.conn == nil {
		return
	}
	if t.started && !t.ended && t.pgx.PgConn().TxStatus() != 'I' {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), silenceTimeout)
		_, _ = t.pgx.Exec(ctx, "rollback", pgx.QueryExecModeSimpleProtocol)
		cancel()
	}
	_ = t.conn.Close()
	t.conn = nil // another transaction may use it now
}

// Commit sends the last statements and commits the transaction, in one round trip. The result of none of the statements
// may be needed to decide about the commit. It fails with ErrUnconfirmed if the server has committed but a required
// replica did not confirm it.
func (t *Tx) Commit(ctx context.Context, last []Statement) error {
	if !t.started && len(last) == 0 {
		return nil
	}
	if !t.started { // a commit that was not answered must not be repeated
		if err := t.Send(ctx, last); err != nil {
			return err
		}
		last = nil
	}
	results, err := t.send(ctx, last, &Statement{Query: "commit"})
	if err != nil {
		return err
	}
	tag, _ := results.Exec()
	if err := results.Close(); err != nil { // also that of Exec
		return err
	}
	if tag.String() != "COMMIT" {
		return pgx.ErrTxCommitRollback
	}
	t.ended = true
	if Unconfirmed(t.pgx.PgConn()) {
		return ErrUnconfirmed
	}
	return nil
}

// Undo rolls back to a savepoint and releases it.
func (t *Tx) Undo(ctx context.Context, savepoint string) error {
	_, err := t.pgx.Exec(ctx, "ROLLBACK TO "+savepoint+"; RELEASE "+savepoint, pgx.QueryExecModeSimpleProtocol)
	return err
}

// NotCommitted reports whether an error of Commit means that the server has certainly not committed.
func NotCommitted(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.SeverityUnlocalized == "ERROR"
}

// Add queues a statement, and reports whether the queue is full.
func (t *Tx) Add(s Statement) (enough bool) {
	t.waiting = append(t.waiting, s)
	return len(t.waiting) >= MaxQueuedStatements
}

// Queue returns the queued statements.
func (t *Tx) Queue() []Statement { return t.waiting }

// Take returns the queued statements and empties the queue.
func (t *Tx) Take() []Statement {
	all := t.waiting
	t.waiting = nil
	return all
}

// Send runs statements in order, in one round trip after the server has prepared each of them. If one
// fails, the following ones do not run.
func (t *Tx) Send(ctx context.Context, all []Statement) error {
	return t.first(ctx, func() error {
		results, err := t.send(ctx, all, nil)
		if err == nil {
			err = results.Close()
		}
		return err
	})
}

// send sends the start of the transaction if necessary, statements, and one more unless it is nil. It reads all results
// except that of the last. The caller closes the results.
func (t *Tx) send(ctx context.Context, all []Statement, last *Statement) (results pgx.BatchResults, err error) {
	if err := t.usable(); err != nil {
		return nil, err
	}
	batch := &pgx.Batch{}
	if !t.started {
		batch.Queue(t.how)
	}
	for _, s := range all {
		batch.Queue(s.Query, s.Args...)
	}
	if last != nil {
		batch.Queue(last.Query, last.Args...)
	}
	results = t.pgx.SendBatch(ctx, batch)
	defer func() {
		if err != nil {
			_ = results.Close() // returns the same error
			results = nil
		}
	}()
	if !t.started {
		if _, err := results.Exec(); err != nil {
			return results, err
		}
		t.started = true
	}
	for _, s := range all {
		if err := s.read(results); err != nil {
			return results, err
		}
	}
	return results, nil
}

// usable returns an error if the transaction has ended, because statements would then commit separately. The connection
// is not shared, so its status cannot change now.
func (t *Tx) usable() error {
	if t.ctx.Err() != nil || t.ended {
		return sql.ErrTxDone
	}
	if s := t.pgx.PgConn().TxStatus(); t.started && s != 'T' && s != 'E' {
		return sql.ErrTxDone
	}
	return nil
}

// read reads the result of a statement.
func (s Statement) read(results pgx.BatchResults) error {
	if s.Each == nil {
		_, err := results.Exec()
		return err
	}
	rows, err := results.Query()
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := s.Each(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Query runs statements and one more in one round trip, and returns the rows of the last one. It waits for the first of
// them, so that it returns the error of a statement that fails.
func (t *Tx) Query(ctx context.Context, before []Statement, query string, args []any) (rows *Rows, err error) {
	if t.started && len(before) == 0 {
		if err := t.usable(); err != nil {
			return nil, err
		}
		found, err := t.pgx.Query(ctx, query, args...)
		if err != nil {
			return nil, err
		}
		return newRows(found, nil, nil)
	}
	err = t.first(ctx, func() error {
		results, err := t.send(ctx, before, &Statement{Query: query, Args: args})
		if err != nil {
			return err
		}
		found, _ := results.Query() // the rows have its error
		rows, err = newRows(found, results, nil)
		return err
	})
	return rows, err
}

// Rows are the rows of a statement. They are closed once Next has returned false.
type Rows struct {
	pgx.Rows
	batch  pgx.BatchResults // is closed with the rows; may be nil
	conn   *pgxpool.Conn    // to release after that; nil if a transaction has it
	err    error            // of closing it
	peeked bool             // newRows has called Next, with the result more
	more   bool
}

// Query runs a single statement on a connection of a pool. It repeats it with another connection if the connection was
// lost before the statement was sent.
func Query(ctx context.Context, pool *pgxpool.Pool, query string, args []any) (rows *Rows, err error) {
	for range beginTries {
		rows, err = queryOnce(ctx, pool, query, args)
		if err == nil || ctx.Err() != nil || unreachable(err) || !pgconn.SafeToRetry(err) {
			break
		}
	}
	return rows, err
}

func queryOnce(ctx context.Context, pool *pgxpool.Pool, query string, args []any) (*Rows, error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return nil, noConn{err}
	}
	found, _ := conn.Query(ctx, query, args...) // the rows have its error
	return newRows(found, nil, conn)
}

// noConn is an error of a pool that has no connection, for example because it is closed.
type noConn struct{ error }

func (e noConn) Unwrap() error { return e.error }

func newRows(found pgx.Rows, batch pgx.BatchResults, conn *pgxpool.Conn) (*Rows, error) {
	r := &Rows{Rows: found, batch: batch, conn: conn}
	r.more = r.Next()
	r.peeked = true
	if err := r.Err(); err != nil {
		return nil, err // they are closed
	}
	return r, nil
}

// Next implements database.Rows.
func (r *Rows) Next() bool {
	if r.peeked {
		r.peeked = false
		return r.more
	}
	if r.Rows.Next() {
		return true
	}
	_ = r.Close()
	return false
}

// Close implements database.Rows.
func (r *Rows) Close() error {
	r.Rows.Close()
	if r.batch != nil {
		r.err, r.batch = r.batch.Close(), nil
	}
	if r.conn != nil {
		r.conn.Release()
		r.conn = nil
	}
	return r.Err()
}

// Err implements database.Rows.
func (r *Rows) Err() error {
	if err := r.Rows.Err(); err != nil {
		return err
	}
	return r.err
}

// Columns implements database.Rows.
func (r *Rows) Columns() ([]string, error) {
	var names []string
	for _, f := range r.FieldDescriptions() {
		names = append(names, f.Name)
	}
	return names, nil
}

// Changed reads the result of a statement that writes, and returns the number of rows that it has changed.
func (r *Rows) Changed() (int64, error) {
	for r.Next() { // nobody needs what it returns
	}
	return r.CommandTag().RowsAffected(), r.Err()
}

// Single is the only row of a statement.
type Single struct{ Rows *Rows }

// Scan implements database.Row.
func (s Single) Scan(dest ...any) error {
	defer func() { _ = s.Rows.Close() }()
	if !s.Rows.Next() {
		if err := s.Rows.Err(); err != nil {
			return err
		}
		return sql.ErrNoRows
	}
	if err := s.Rows.Scan(dest...); err != nil {
		return err
	}
	return s.Rows.Close()
}
