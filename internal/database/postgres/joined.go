package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"slices"

	"github.com/jackc/pgx/v5/stdlib"
)

// SQL returns a database/sql transaction that runs the statements of a library in this one. Its Commit and Rollback do
// nothing.
func (t *Tx) SQL() (*sql.Tx, error) {
	if t.joined != nil {
		return t.joined, nil
	}
	t.library = sql.OpenDB(lent{joined{t.driver, t}})
	var err error
	t.joined, err = t.library.BeginTx(context.Background(), nil) // joined checks the context
	return t.joined, err
}

// lent is a driver.Connector of one connection that is already open.
type lent struct{ conn joined }

func (l lent) Connect(context.Context) (driver.Conn, error) { return l.conn, nil }
func (l lent) Driver() driver.Driver                        { return nil }

// joined is the connection of a transaction for a library.
type joined struct {
	*stdlib.Conn // the first one; statements use the current one
	tx           *Tx
}

// BeginTx implements driver.ConnBeginTx.
func (j joined) BeginTx(context.Context, driver.TxOptions) (driver.Tx, error) { return j, nil }

func (joined) Commit() error                      { return nil }
func (joined) Rollback() error                    { return nil }
func (joined) Close() error                       { return nil }
func (joined) ResetSession(context.Context) error { return nil }

// begin begins the transaction, unless a statement has, and sends what a group has queued before the statements of its
// member, such as the savepoint.
func (j joined) begin(ctx context.Context) error {
	own := slices.IndexFunc(j.tx.waiting, func(s Statement) bool { return !s.Quiet })
	if own < 0 {
		own = len(j.tx.waiting)
	}
	if j.tx.started && own == 0 {
		return j.tx.usable()
	}
	before := j.tx.waiting[:own]
	j.tx.waiting = slices.Clone(j.tx.waiting[own:])
	return j.tx.Send(ctx, before)
}

// PrepareContext implements driver.ConnPrepareContext.
func (j joined) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	if err := j.begin(ctx); err != nil {
		return nil, err
	}
	return j.tx.driver.PrepareContext(ctx, query)
}

// ExecContext implements driver.ExecerContext.
func (j joined) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if err := j.begin(ctx); err != nil {
		return nil, err
	}
	return j.tx.driver.ExecContext(ctx, query, args)
}

// QueryContext implements driver.QueryerContext.
func (j joined) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if err := j.begin(ctx); err != nil {
		return nil, err
	}
	return j.tx.driver.QueryContext(ctx, query, args)
}
