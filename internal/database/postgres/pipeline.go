package postgres

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5"
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

// MaxQueuedStatements is the maximum number of queued statements, which keeps the batches small.
const MaxQueuedStatements = 64

// Tx is a database/sql transaction with its own connection.
type Tx struct {
	*sql.Tx
	conn    *sql.Conn
	waiting []Statement
}

// beginTries is the number of attempts to begin a transaction. Each attempt can hit a pooled connection
// that is lost. Retrying is safe because nothing has been done yet.
const beginTries = 10

// BeginPipeline begins a transaction, which is rolled back when ctx is done. The caller must call End.
func BeginPipeline(ctx context.Context, pool *sql.DB, opts *sql.TxOptions) (tx *Tx, err error) {
	for range beginTries {
		tx, err = begin(ctx, pool, opts)
		if err == nil || ctx.Err() != nil || unreachable(err) || !Lost(err) || errors.Is(err, errClosed) {
			break
		}
	}
	return tx, err
}

func begin(ctx context.Context, pool *sql.DB, opts *sql.TxOptions) (*Tx, error) {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	_ = conn.Raw(confirmed) // clears the state of earlier statements, such as those of a library
	tx, err := conn.BeginTx(ctx, opts)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return &Tx{Tx: tx, conn: conn}, nil
}

// End rolls back the transaction unless it is committed, and releases the connection. It ignores errors,
// because they would hide the cause, and the pool discards a connection that cannot roll back.
func (t *Tx) End() {
	_ = t.Rollback()
	_ = t.conn.Close()
}

// Commit commits the transaction. It fails with ErrUnconfirmed if the server has committed but a required
// replica did not confirm it.
func (t *Tx) Commit() error {
	if err := t.Tx.Commit(); err != nil {
		return err
	}
	return t.conn.Raw(confirmed)
}

// confirmed returns ErrUnconfirmed if the last commit of the connection was not confirmed by a replica.
func confirmed(driver any) error {
	c, ok := driver.(*stdlib.Conn) // false for bulk loads on SQLite
	if ok && Unconfirmed(c.Conn().PgConn()) {
		return ErrUnconfirmed
	}
	return nil
}

// Add queues a statement, and reports whether the queue is full.
func (t *Tx) Add(s Statement) (enough bool) {
	t.waiting = append(t.waiting, s)
	return len(t.waiting) >= MaxQueuedStatements
}

// Take returns the queued statements and empties the queue.
func (t *Tx) Take() []Statement {
	all := t.waiting
	t.waiting = nil
	return all
}

// Send runs statements in order, in one round trip after the server has prepared each of them. If one
// fails, the following ones do not run.
func (t *Tx) Send(ctx context.Context, all []Statement) error {
	batch := &pgx.Batch{}
	for _, s := range all {
		q := batch.Queue(s.Query, s.Args...)
		if s.Each != nil {
			q.Query(func(rows pgx.Rows) error {
				for rows.Next() {
					if err := s.Each(rows); err != nil {
						return err
					}
				}
				return rows.Err()
			})
		}
	}
	return t.conn.Raw(func(driver any) error {
		conn := driver.(*stdlib.Conn).Conn()
		// If the transaction has ended, for example because its context is done, the statements must not
		// commit separately. This connection is not shared, so the status cannot change now.
		if s := conn.PgConn().TxStatus(); s != 'T' && s != 'E' {
			return sql.ErrTxDone
		}
		return conn.SendBatch(ctx, batch).Close()
	})
}
