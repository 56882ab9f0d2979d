// Package pipeline sends statements of a transaction on PostgreSQL together. Each statement that
// is sent alone costs a round trip, in which a row that others wait for stays locked and neither
// the server nor this process does anything for the transaction.
package pipeline

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"vitrine/internal/database/loss"
)

// Row is a row of a result, which Scan reads into pointers.
type Row interface{ Scan(dest ...any) error }

// Statement is one whose result nobody waits for.
type Statement struct {
	Query string
	Args  []any
	Quiet bool // observers are not called
	// Each, if set, is called with each row of the result. It runs no statements.
	Each func(Row) error
	// Then, if set, is called after the last row. It may run statements.
	Then func(context.Context) error
}

// Most is how many statements wait for each other at most, so that what is sent stays small.
const Most = 64

// Tx is a transaction of database/sql, on a connection that it has to itself.
type Tx struct {
	*sql.Tx
	conn    *sql.Conn
	waiting []Statement
}

// beginTries is how often a transaction is begun on a connection that turns out to be
// lost: each of them is noticed once, and nothing has been done on it.
const beginTries = 10

// Begin begins a transaction. It ends with ctx. Whoever has it calls End at last.
func Begin(ctx context.Context, pool *sql.DB, opts *sql.TxOptions) (tx *Tx, err error) {
	for range beginTries {
		tx, err = begin(ctx, pool, opts)
		if err == nil || ctx.Err() != nil || loss.Refused(err) || !loss.Lost(err) || errors.Is(err, loss.ErrClosed) {
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
	_ = conn.Raw(confirmed) // what was before, such as a statement of a library, is not of this transaction
	tx, err := conn.BeginTx(ctx, opts)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return &Tx{Tx: tx, conn: conn}, nil
}

// End rolls back unless the transaction has been committed, and gives the connection back. Its
// errors would hide the cause, and a connection that cannot roll back is given up by the pool.
func (t *Tx) End() {
	_ = t.Rollback()
	_ = t.conn.Close()
}

// Commit commits. It fails, though the server has committed, where a replica that commits wait for has
// not confirmed it.
func (t *Tx) Commit() error {
	if err := t.Tx.Commit(); err != nil {
		return err
	}
	return t.conn.Raw(confirmed)
}

// confirmed returns loss.ErrAlone unless what a connection has committed is where it has to be.
func confirmed(driver any) error {
	c, ok := driver.(*stdlib.Conn) // what is loaded in bulk comes here on SQLite, too
	if ok && loss.Alone(c.Conn().PgConn()) {
		return loss.ErrAlone
	}
	return nil
}

// Add has a statement sent with the next ones, and reports whether enough are waiting.
func (t *Tx) Add(s Statement) (enough bool) {
	t.waiting = append(t.waiting, s)
	return len(t.waiting) >= Most
}

// Take gives the statements that wait, which then do not any more.
func (t *Tx) Take() []Statement {
	all := t.waiting
	t.waiting = nil
	return all
}

type joinedKey struct{}

// Join marks the context of a statement that is sent together with the one before it.
func Join(ctx context.Context) context.Context { return context.WithValue(ctx, joinedKey{}, true) }

// Joined reports whether a statement costs no round trip of its own.
func Joined(ctx context.Context) bool { return ctx.Value(joinedKey{}) != nil }

// Send runs statements in their order, in one round trip once the server has been told of each.
// When one fails, those after it are not run.
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
		// Whatever has ended the transaction, such as the end of its context, must not have
		// statements commit on their own. Nobody else has the connection meanwhile.
		if s := conn.PgConn().TxStatus(); s != 'T' && s != 'E' {
			return sql.ErrTxDone
		}
		return conn.SendBatch(ctx, batch).Close()
	})
}
