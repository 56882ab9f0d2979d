package lite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"io"
	"strings"
	"time"
)

// sqlConn is a database/sql connection on top of our connections, for libraries such as the job queue
// and the migration runner. It reads all rows before returning them, so that database/sql never holds
// an open statement on a connection.
type sqlConn struct {
	take  func(ctx context.Context) (*Conn, error) // called for each statement or transaction
	give  func(c *Conn)
	end   func() error
	begin string // statement that begins a transaction; "" to use the one in progress
	held  *Conn  // the connection of the current transaction
}

// plainJSON makes a library store JSON as text instead of JSONB. River has used JSONB since version 0.40, and
// programs with an earlier version, which may run on the same file, cannot read it. SQLite has a function of
// the same name without "b" for each one that returns JSONB.
func plainJSON(text string) string { return strings.ReplaceAll(text, "jsonb", "json") }

// connectFunc implements driver.Connector.
type connectFunc func(ctx context.Context) (driver.Conn, error)

func (f connectFunc) Connect(ctx context.Context) (driver.Conn, error) { return f(ctx) }
func (connectFunc) Driver() driver.Driver                              { return nil }

// Borrow returns a handle that takes a connection from the pool for each statement or transaction, and
// waits in the pool's queue like other callers. It uses at most one connection at a time.
func Borrow(p *Pool) *sql.DB {
	pool := sql.OpenDB(connectFunc(func(context.Context) (driver.Conn, error) {
		return &sqlConn{take: p.Take, give: p.Give, end: func() error { return nil }, begin: "BEGIN IMMEDIATE"}, nil
	}))
	pool.SetMaxOpenConns(1)
	return pool
}

// Own returns a handle with its own connection.
func Own(begin string, open func() (*Conn, error)) *sql.DB {
	pool := sql.OpenDB(connectFunc(func(context.Context) (driver.Conn, error) {
		c, err := open()
		if err != nil {
			return nil, err
		}
		return persistent(c, begin, c.Close), nil
	}))
	pool.SetMaxOpenConns(1)
	return pool
}

// persistent returns a sqlConn that uses c for all statements.
func persistent(c *Conn, begin string, end func() error) *sqlConn {
	return &sqlConn{begin: begin, end: end, give: func(*Conn) {},
		take: func(context.Context) (*Conn, error) { return c, nil }}
}

// Joined returns a database/sql transaction that uses the connection's current transaction. Its Commit
// and Rollback do nothing.
func (c *Conn) Joined() (*sql.Tx, error) {
	if c.library == nil {
		c.library = sql.OpenDB(connectFunc(func(context.Context) (driver.Conn, error) {
			return persistent(c, "", func() error { return nil }), nil
		}))
		c.library.SetMaxOpenConns(1)
	}
	return c.library.Begin()
}

// Close implements driver.Conn.
func (c *sqlConn) Close() error { return c.end() }

func (c *sqlConn) Prepare(text string) (driver.Stmt, error) { return sqlStmt{c, text}, nil }

func (c *sqlConn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

// BeginTx implements driver.ConnBeginTx.
func (c *sqlConn) BeginTx(ctx context.Context, _ driver.TxOptions) (driver.Tx, error) {
	conn, err := c.take(ctx)
	if err != nil {
		return nil, err
	}
	if c.begin != "" {
		if _, err := conn.Exec(ctx, c.begin, nil); err != nil {
			c.give(conn)
			return nil, err
		}
	}
	c.held = conn
	return sqlTx{c}, nil
}

type sqlTx struct{ *sqlConn }

func (t sqlTx) Commit() (err error) {
	if t.begin != "" {
		err = t.held.Run("COMMIT")
	}
	return t.over(err)
}

func (t sqlTx) Rollback() error { return t.over(nil) }

// over rolls back the transaction unless it is committed, and returns the connection to its pool.
func (t sqlTx) over(err error) error {
	conn := t.held
	t.held = nil
	if t.begin != "" {
		conn.Rollback()
	}
	t.give(conn)
	return err
}

// on runs f with the connection.
func (c *sqlConn) on(ctx context.Context, f func(conn *Conn) error) error {
	if c.held != nil {
		return f(c.held)
	}
	conn, err := c.take(ctx)
	if err != nil {
		return err
	}
	defer c.give(conn)
	return f(conn)
}

// ExecContext implements driver.ExecerContext.
func (c *sqlConn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (res driver.Result, err error) {
	err = c.on(ctx, func(conn *Conn) error {
		n, err := conn.Exec(ctx, plainJSON(text), values(args))
		res = sqlResult{conn.file.lastInsertID(), n}
		return err
	})
	return res, err
}

// QueryContext implements driver.QueryerContext.
func (c *sqlConn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	all := &sqlRows{}
	err := c.on(ctx, func(conn *Conn) error {
		rows, err := conn.Query(ctx, plainJSON(text), values(args))
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		if all.columns, err = rows.Columns(); err != nil {
			return err
		}
		for rows.Next() {
			row := make([]driver.Value, len(all.columns))
			for i, name := range all.columns {
				row[i] = parseTime(name, rows.stmt.value(i))
			}
			all.rows = append(all.rows, row)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// parseTime converts times, which are stored as text in the tables of libraries. The declared column type is
// not available, so it goes by the column name.
func parseTime(name string, v driver.Value) driver.Value {
	text, ok := v.(string)
	if !ok || !strings.HasSuffix(name, "_at") && name != "tstamp" {
		return v
	}
	for _, format := range []string{timeFormat, "2006-01-02 15:04:05.999999999"} {
		if t, err := time.Parse(format, text); err == nil {
			return t.UTC()
		}
	}
	return v
}

func values(args []driver.NamedValue) []any {
	values := make([]any, len(args))
	for i, a := range args {
		values[i] = a.Value
	}
	return values
}

type sqlResult struct{ id, affected int64 }

func (r sqlResult) LastInsertId() (int64, error) { return r.id, nil }
func (r sqlResult) RowsAffected() (int64, error) { return r.affected, nil }

// sqlRows are rows that are already read.
type sqlRows struct {
	columns []string
	rows    [][]driver.Value
}

func (r *sqlRows) Columns() []string { return r.columns }
func (r *sqlRows) Close() error      { return nil }

func (r *sqlRows) Next(dest []driver.Value) error {
	if len(r.rows) == 0 {
		return io.EOF
	}
	copy(dest, r.rows[0])
	r.rows = r.rows[1:]
	return nil
}

// sqlStmt only holds the text. The connection caches the prepared statement.
type sqlStmt struct {
	conn *sqlConn
	text string
}

func (s sqlStmt) Close() error  { return nil }
func (s sqlStmt) NumInput() int { return -1 } // database/sql does not check the number

func (s sqlStmt) Exec([]driver.Value) (driver.Result, error) { return nil, driver.ErrSkip }
func (s sqlStmt) Query([]driver.Value) (driver.Rows, error)  { return nil, driver.ErrSkip }

// ExecContext implements driver.StmtExecContext.
func (s sqlStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return s.conn.ExecContext(ctx, s.text, args)
}

// QueryContext implements driver.StmtQueryContext.
func (s sqlStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return s.conn.QueryContext(ctx, s.text, args)
}
