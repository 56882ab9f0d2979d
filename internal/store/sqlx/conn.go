// Package sqlx contains what the packages of the store share to use a database: statements on a
// connection with its dialect, collecting rows, placeholders and times. It knows no table, except
// those that dialect.go must address differently for each database.
package sqlx

import (
	"context"
	"fmt"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/database/postgres"
)

// Conn is a connection for statements: the pool of readers, a snapshot or a transaction, with its
// dialect.
type Conn struct {
	Querier database.Querier
	Dialect
}

// Query runs a statement that returns rows. Collect handles errors while reading them.
func (c Conn) Query(ctx context.Context, query string, args ...any) (database.Rows, error) {
	return c.Querier.Query(ctx, query, args...)
}

// QueryRow runs a statement that returns at most one row.
func (c Conn) QueryRow(ctx context.Context, query string, args ...any) database.Row {
	return c.Querier.QueryRow(ctx, query, args...)
}

// Exec runs a statement without a result.
func (c Conn) Exec(ctx context.Context, query string, args ...any) error {
	_, err := c.Querier.Exec(ctx, query, args...)
	return err
}

// transaction is a transaction of PostgreSQL, which sends statements together.
type transaction interface {
	Later(context.Context, postgres.Statement) (taken bool, err error)
	Sync(context.Context) error
}

// Later is Exec in a transaction, without waiting for the statement to run. On PostgreSQL it is
// sent in one round trip with the following statements.
func (c Conn) Later(ctx context.Context, query string, args ...any) error {
	if tx, ok := c.Querier.(transaction); ok {
		if taken, err := tx.Later(ctx, postgres.Statement{Query: query, Args: args}); taken || err != nil {
			return err
		}
	}
	return c.Exec(ctx, query, args...)
}

// LaterEach is Later for a statement that returns rows. It calls each with every row; each must
// not run statements. After the last row it calls then, unless that is nil; then may run
// statements.
func (c Conn) LaterEach(ctx context.Context, each func(Row) error, then func(context.Context) error, query string, args ...any) error {
	if tx, ok := c.Querier.(transaction); ok {
		s := postgres.Statement{Query: query, Args: args, Each: func(row postgres.Row) error { return each(row) }, Then: then}
		if taken, err := tx.Later(ctx, s); taken || err != nil {
			return err
		}
	}
	rows, err := c.Query(ctx, query, args...)
	_, err = Collect(ctx, rows, err, func(row Row) (none struct{}, err error) { return none, each(row) })
	if err != nil || then == nil {
		return err
	}
	return then(ctx)
}

// Sync runs the statements that were passed to Later and have not run yet.
func (c Conn) Sync(ctx context.Context) error {
	if tx, ok := c.Querier.(transaction); ok {
		return tx.Sync(ctx)
	}
	return nil
}

// RunTriggers runs the deferred triggers of a transaction. SQLite has no deferred triggers.
func (c Conn) RunTriggers(ctx context.Context) error {
	if c.Dialect != Postgres {
		return nil
	}
	return c.Exec(ctx, "SET CONSTRAINTS ALL IMMEDIATE")
}

// ExecCount runs a statement and returns how many rows it changed.
func (c Conn) ExecCount(ctx context.Context, query string, args ...any) (int64, error) {
	res, err := c.Querier.Exec(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// ExecOne runs a statement that must change exactly one row.
func (c Conn) ExecOne(ctx context.Context, query string, args ...any) error {
	n, err := c.ExecCount(ctx, query, args...)
	if err == nil && n != 1 {
		err = fmt.Errorf("store: statement changed %d rows, not one", n)
	}
	return err
}

// SweepExpired deletes at most `limit` expired rows of a table, found by their primary key, and
// returns their number.
func (c Conn) SweepExpired(ctx context.Context, table, key string, now time.Time, limit int) (int, error) {
	n, err := c.ExecCount(ctx, "DELETE FROM "+table+" WHERE "+key+" IN (SELECT "+key+" FROM "+table+
		" WHERE expires_at <= $1 ORDER BY expires_at"+Limit("$2")+")", Micros(now), limit)
	return int(n), err
}
