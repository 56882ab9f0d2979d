package database

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
)

// maxStatements bounds the statements kept per connection. The queries of the
// program are constants, far fewer; past the bound a text is parsed each time.
const maxStatements = 2000

// cachingConnector makes SQLite connections that keep their prepared statements
// by text, as pgx does for PostgreSQL. Being below database/sql it serves pools,
// transactions and libraries alike, and needs no second connection to prepare
// while the only writer is busy, as a cache of *sql.Stmt would.
type cachingConnector struct{ driver.Connector }

func (c cachingConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	full, ok := conn.(fullConn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("database: unexpected connection %T", conn), conn.Close())
	}
	return &cachingConn{fullConn: full, stmts: make(map[string]*cachedStmt)}, nil
}

// fullConn is what database/sql may ask of the driver's connection.
type fullConn interface {
	driver.Conn
	driver.ConnPrepareContext
	driver.ConnBeginTx
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

type fullStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// cachingConn is used by one goroutine at a time, as database/sql promises.
type cachingConn struct {
	fullConn
	stmts map[string]*cachedStmt
}

type cachedStmt struct {
	fullStmt
	conn   *cachingConn
	text   string
	busy   bool // rows are still being read from it
	failed bool
}

// statement returns the prepared statement of a text, or nil when there is none to
// be had: it is in use further up, or the cache is full.
func (c *cachingConn) statement(ctx context.Context, text string) (*cachedStmt, error) {
	if s, ok := c.stmts[text]; ok {
		if s.busy {
			return nil, nil
		}
		s.busy = true
		return s, nil
	}
	if len(c.stmts) >= maxStatements {
		return nil, nil
	}
	stmt, err := c.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	full, ok := stmt.(fullStmt)
	if !ok {
		return nil, errors.Join(fmt.Errorf("database: unexpected statement %T", stmt), stmt.Close())
	}
	s := &cachedStmt{fullStmt: full, conn: c, text: text, busy: true}
	c.stmts[text] = s
	return s, nil
}

// release makes the statement free for the next use. One that failed is closed,
// because what a failure leaves bound or half read is the driver's affair.
func (s *cachedStmt) release(err error) {
	s.busy = false
	if s.failed || err != nil {
		delete(s.conn.stmts, s.text)
		_ = s.Close()
	}
}

func (c *cachingConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if err := begin(ctx); err != nil {
		return nil, err
	}
	s, err := c.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return c.fullConn.ExecContext(ctx, query, args)
	}
	res, err := s.ExecContext(ctx, args)
	s.release(err)
	return res, err
}

func (c *cachingConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if err := begin(ctx); err != nil {
		return nil, err
	}
	s, err := c.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return c.fullConn.QueryContext(ctx, query, args)
	}
	rows, err := s.QueryContext(ctx, args)
	if err != nil {
		s.release(err)
		return nil, err
	}
	return &cachedRows{Rows: rows, stmt: s}, nil
}

// Close ends the statements first: an open one would keep the file open.
func (c *cachingConn) Close() error {
	for _, s := range c.stmts {
		_ = s.Close()
	}
	clear(c.stmts)
	return c.fullConn.Close()
}

// cachedRows frees its statement when closed.
type cachedRows struct {
	driver.Rows
	stmt *cachedStmt
}

func (r *cachedRows) Next(dest []driver.Value) error {
	err := r.Rows.Next(dest)
	if err != nil && err != io.EOF {
		r.stmt.failed = true
	}
	return err
}

func (r *cachedRows) Close() error {
	err := r.Rows.Close()
	r.stmt.release(err)
	return err
}
