// Package lite speaks to SQLite, as translated to Go in modernc.org/sqlite/lib, without
// database/sql and what that costs: connections that keep their statements, are interrupted
// when a context ends, and wait in pools. Placeholders are $1, $2, … as in PostgreSQL. For
// libraries that want database/sql there is a driver on the same connections.
package lite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// maxStatements bounds the statements kept per connection. The queries of the
// program are constants, far fewer; past the bound a text is parsed each time.
const maxStatements = 2000

// Conn is a connection to an SQLite file, for one goroutine at a time; it panics if two
// meet in it. It keeps its prepared statements by text, as pgx does for PostgreSQL.
type Conn struct {
	file        *handle
	stmts       map[string]*stmt
	reading     int     // rows that are open
	broken      bool    // it is not to be used again
	closed      bool    // rows that were left open have nothing to read
	library     *sql.DB // see Joined; nil until it is wanted
	interrupted int     // how often; rows that are open then end

	watched <-chan struct{} // of the context that is watched for all statements
	mu      sync.Mutex      // guards what watches have in common with who ends them
}

// Connect opens a file, which it makes if there is none, and runs statements that set the
// connection up. busy is how long statements wait for other programs. Names in double
// quotes are never strings, and no statement may damage the structure of the file.
func Connect(path string, busy time.Duration, setup ...string) (*Conn, error) {
	file, err := open(path)
	if err != nil {
		return nil, err
	}
	c := &Conn{file: file, stmts: map[string]*stmt{}}
	file.busyTimeout(busy.Milliseconds())
	for _, text := range setup {
		if err := c.Run(text); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	return c, nil
}

// Close ends the connection and all that it has prepared.
func (c *Conn) Close() error {
	var err error
	if c.library != nil {
		err = c.library.Close()
	}
	c.closed = true
	clear(c.stmts) // which the file ends
	return errors.Join(err, c.file.close())
}

// Run executes a statement that nobody interrupts.
func (c *Conn) Run(text string) error {
	_, err := c.Exec(context.Background(), text, nil)
	return err
}

// Written is how many pages of the file the connection has written since it was asked last.
func (c *Conn) Written() int { return c.file.written() }

// Rollback ends the transaction, if SQLite has not done so by itself. A connection that
// cannot do it is given up by its pool.
func (c *Conn) Rollback() {
	if c.file.autocommit() {
		return
	}
	if err := c.Run("ROLLBACK"); err != nil {
		c.broken = true
	}
}

// A watch interrupts a connection when a context ends. Nothing runs for it until then.
type watch struct {
	conn *Conn
	stop func() bool

	// under conn.mu
	ended bool
	over  chan struct{} // is closed when it ends; nil unless it has interrupted
}

// watch begins to watch ctx; nil where there is nothing to watch, or it is done already.
func (c *Conn) watch(ctx context.Context) *watch {
	if done := ctx.Done(); done == nil || done == c.watched {
		return nil
	}
	w := &watch{conn: c}
	w.stop = context.AfterFunc(ctx, w.fire)
	return w
}

// Watch interrupts the statements that run until end is called when ctx is done. Those of
// the same context then cost nothing for it.
func (c *Conn) Watch(ctx context.Context) (end func()) {
	w := c.watch(ctx)
	c.watched = ctx.Done()
	return func() {
		c.watched = nil
		w.end()
	}
}

// longestPause is how long a statement may run on at most that began just after an
// interruption: SQLite forgets one when no statement is in progress.
const longestPause = 100 * time.Millisecond

// fire interrupts until the watch ends, or the connection.
func (w *watch) fire() {
	for pause := time.Millisecond; w.interrupt(); pause = min(2*pause, longestPause) {
		select {
		case <-w.over:
			return
		case <-time.After(pause):
		}
	}
}

// interrupt does so unless all is over. Whoever ends the watch waits for that.
func (w *watch) interrupt() bool {
	w.conn.mu.Lock()
	defer w.conn.mu.Unlock()
	if w.ended {
		return false
	}
	if w.over == nil {
		w.over = make(chan struct{})
	}
	return w.conn.file.interrupt()
}

// end stops watching. The connection is as new, whether it was interrupted or not, but
// rows that are open refuse to go on if it was.
func (w *watch) end() {
	if w == nil || w.stop() {
		return
	}
	w.conn.mu.Lock()
	w.ended = true
	fired := w.over != nil
	if fired {
		close(w.over)
	}
	w.conn.mu.Unlock()
	if fired && !w.conn.closed {
		w.conn.file.rewind()
		w.conn.interrupted++
	}
}

// stmt is a prepared statement.
type stmt struct {
	prepared
	text    string
	args    []int // the argument of each parameter, counted from 0
	columns int
	busy    bool // rows are still being read from it
	kept    bool // for the next use
}

// statement gives the statement of a text, which is used by nobody else until it is
// released.
func (c *Conn) statement(text string) (*stmt, error) {
	s := c.stmts[text]
	if s != nil && !s.busy {
		s.busy = true
		return s, nil
	}
	if s == nil && len(c.stmts) < maxStatements && !isScript(text) {
		prepared, _, err := c.file.prepare(text, true)
		if err != nil {
			return nil, err
		}
		s := newStatement(prepared, text)
		s.busy, s.kept = true, true
		c.stmts[text] = s
		return s, nil
	}
	s, rest, err := c.first(text)
	if err == nil && afterComments(rest) != "" {
		err = errors.Join(fmt.Errorf("sqlite: more than one statement: %.100q", text), s.finalize())
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// isScript reports whether a text may have several statements.
func isScript(text string) bool {
	return strings.ContainsRune(strings.TrimRight(text, "; \t\r\n"), ';')
}

// afterComments is the text from its first statement on.
func afterComments(text string) string {
	for {
		text = strings.TrimLeft(text, "; \t\r\n")
		end := ""
		switch {
		case strings.HasPrefix(text, "--"):
			end = "\n"
		case strings.HasPrefix(text, "/*"):
			end = "*/"
		default:
			return text
		}
		_, text, _ = strings.Cut(text[2:], end)
	}
}

// first prepares the first statement of a text, for one use.
func (c *Conn) first(text string) (s *stmt, rest string, err error) {
	prepared, rest, err := c.file.prepare(text, false)
	if err != nil {
		return nil, "", err
	}
	return newStatement(prepared, text), rest, nil
}

func newStatement(p prepared, text string) *stmt {
	s := &stmt{prepared: p, text: text, columns: p.columnCount(), args: make([]int, p.parameters())}
	for i := range s.args {
		s.args[i] = i // "?"
		if name := p.parameter(i + 1); name != "" {
			n, err := strconv.Atoi(name[1:]) // "$1" and "?1" say which, in whatever order they come
			if err != nil {
				n = 0 // there is no such argument
			}
			s.args[i] = n - 1
		}
	}
	return s
}

// release makes the statement free for the next use. One that failed is given up, because
// what a failure leaves half read is nobody's to know.
func (c *Conn) release(s *stmt, failed bool) error {
	s.busy = false
	if s.kept && !failed {
		err := s.reset()
		if err == nil {
			return nil
		}
		c.forget(s)
		return errors.Join(err, s.finalize())
	}
	c.forget(s)
	err := s.finalize()
	if failed {
		return nil // it says again what it failed of
	}
	return err
}

// forget keeps a statement no longer than it is in use.
func (c *Conn) forget(s *stmt) {
	if s.kept {
		delete(c.stmts, s.text)
	}
	s.kept = false
}

// begin prepares a statement to be stepped through.
func (c *Conn) begin(ctx context.Context, text string, args []any) (*stmt, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, err := c.statement(text)
	if err != nil {
		return nil, err
	}
	if err := s.bind(args); err != nil {
		return nil, errors.Join(err, c.release(s, true))
	}
	return s, nil
}

func (c *Conn) watchStatement(ctx context.Context) *watch {
	if _, ok := ctx.(Uninterruptible); ok {
		return nil
	}
	return c.watch(ctx)
}

// Exec runs a statement, or several, and gives how many rows the last has changed.
func (c *Conn) Exec(ctx context.Context, text string, args []any) (changed int64, err error) {
	w := c.watchStatement(ctx)
	defer w.end()
	if c.stmts[text] == nil && (isScript(text) || afterComments(text) == "") {
		return c.script(ctx, text, args)
	}
	s, err := c.begin(ctx, text, args)
	if err != nil {
		return 0, err
	}
	err = s.finish()
	if e := c.release(s, err != nil); err == nil {
		err = e
	}
	if err != nil {
		return 0, err
	}
	return c.file.changes(), nil
}

// script runs statements one after another, each of which takes its arguments by number.
func (c *Conn) script(ctx context.Context, text string, args []any) (changed int64, err error) {
	for text = afterComments(text); text != ""; text = afterComments(text) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		s, rest, err := c.first(text)
		if err != nil {
			return 0, err
		}
		if err = s.bind(args); err == nil {
			err = s.finish()
		}
		if e := c.release(s, err != nil); err == nil {
			err = e
		}
		if err != nil {
			return 0, err
		}
		text = rest
	}
	return c.file.changes(), nil
}

// finish steps through a statement whose rows do not matter.
func (s *stmt) finish() error {
	for {
		if more, err := s.step(); err != nil || !more {
			return err
		}
	}
}

// Query runs a statement to its first row.
func (c *Conn) Query(ctx context.Context, text string, args []any) (*Rows, error) {
	r := &Rows{conn: c, watch: c.watchStatement(ctx)}
	var err error
	if r.stmt, err = c.begin(ctx, text, args); err != nil {
		r.watch.end()
		return nil, err
	}
	c.reading++
	r.interrupted, r.fresh = c.interrupted, true
	if r.more, r.err = r.stmt.step(); r.err != nil {
		_ = r.Close()
		return nil, r.err
	}
	r.stmt.columns = r.stmt.columnCount() // "*" is more since a migration
	return r, nil
}

// Uninterruptible is the context of a statement that runs to its end once it has begun.
type Uninterruptible struct{ context.Context }
