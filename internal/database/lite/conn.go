// Package lite uses SQLite, translated to Go by modernc.org/sqlite/lib, without the overhead of
// database/sql. Connections keep prepared statements, are interrupted when a context ends, and are
// pooled. Placeholders are $1, $2, … as in PostgreSQL. A driver for database/sql on the same connections
// is available for libraries.
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

// maxStatements limits the prepared statements per connection. The program has far fewer constant
// queries. Beyond the limit, a statement is compiled for each use.
const maxStatements = 2000

// Conn is a connection to an SQLite file, for one goroutine at a time. It panics on concurrent use. Like
// pgx, it caches prepared statements by their text.
type Conn struct {
	file        *handle
	stmts       map[string]*stmt
	reading     int     // number of open rows
	broken      bool    // must not be reused
	closed      bool    // open rows can no longer be read
	library     *sql.DB // see Joined; created when needed
	interrupted int     // number of interruptions; each ends all open rows

	within   context.Context // of all statements, see Watch; nil outside of it
	watching *watch          // of within; nil until a statement needs it
	mu       sync.Mutex      // guards the fields of watches
}

// Connect opens a file, which it creates if necessary, and runs the setup statements. busy is how long
// statements wait for locks of other programs. Double-quoted names are never strings, and statements
// cannot corrupt the file.
func Connect(path string, busy time.Duration, setup ...string) (*Conn, error) {
	return connectFile(path, false, busy, setup...)
}

// ConnectReadOnly opens a connection to an existing file, which it never changes, not even when it closes the last
// connection.
func ConnectReadOnly(path string, busy time.Duration) (*Conn, error) {
	return connectFile(path, true, busy)
}

func connectFile(path string, readOnly bool, busy time.Duration, setup ...string) (*Conn, error) {
	file, err := open(path, readOnly)
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

// Close closes the connection and its prepared statements.
func (c *Conn) Close() error {
	var err error
	if c.library != nil {
		err = c.library.Close()
	}
	c.closed = true
	clear(c.stmts) // closing the file finalizes them
	return errors.Join(err, c.file.close())
}

// Run executes a statement that cannot be interrupted.
func (c *Conn) Run(text string) error {
	_, err := c.Exec(context.Background(), text, nil)
	return err
}

// Written returns the number of pages written since the last call.
func (c *Conn) Written() int { return c.file.written() }

// Rollback rolls back the transaction, unless SQLite already did. If that fails, the pool discards the
// connection.
func (c *Conn) Rollback() {
	if c.file.autocommit() {
		return
	}
	if err := c.Run("ROLLBACK"); err != nil {
		c.broken = true
	}
}

// A watch interrupts a connection when a context ends. Until then it needs no goroutine.
type watch struct {
	conn *Conn
	stop func() bool

	// guarded by conn.mu
	ended bool
	over  chan struct{} // closed at the end; nil unless the connection was interrupted
}

// watch starts watching ctx.
func (c *Conn) watch(ctx context.Context) *watch {
	w := &watch{conn: c}
	w.stop = context.AfterFunc(ctx, w.fire)
	return w
}

// Watch interrupts all statements when ctx is done, from the first one that may be interrupted until
// end is called. Statements with the same context need no watch of their own.
func (c *Conn) Watch(ctx context.Context) (end func()) {
	c.within = ctx
	return func() {
		w := c.watching
		c.within, c.watching = nil, nil
		w.end()
	}
}

// watchStatement watches the context of a statement until the returned watch ends. It returns nil if
// the statement is not interrupted, or if Watch interrupts it.
func (c *Conn) watchStatement(ctx context.Context) *watch {
	if _, ok := ctx.(Uninterruptible); ok {
		return nil
	}
	switch done := ctx.Done(); {
	case done == nil:
		return nil
	case c.within == nil || done != c.within.Done():
		return c.watch(ctx)
	case c.watching == nil:
		c.watching = c.watch(ctx)
	}
	return nil
}

// longestPause limits how long a statement can run that started just after an interruption: SQLite
// forgets an interruption when no statement is running, so it is repeated.
const longestPause = 100 * time.Millisecond

// fire interrupts repeatedly until the watch ends or the connection is closed.
func (w *watch) fire() {
	for pause := time.Millisecond; w.interrupt(); pause = min(2*pause, longestPause) {
		select {
		case <-w.over:
			return
		case <-time.After(pause):
		}
	}
}

// interrupt interrupts once, and returns false if the watch is over. end waits for it.
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

// end stops watching. Afterwards the connection can be used again, but rows that were open during an
// interruption fail.
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
	args    []int // zero-based argument index of each parameter
	columns int
	busy    bool // rows are still being read from it
	kept    bool // in the cache
	bound   int  // bytes of the texts and blobs that are bound
}

// maxBound limits the bytes that a cached statement keeps bound until its next use.
const maxBound = 16 << 10

// statement returns a prepared statement for exclusive use until it is released.
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

// isScript reports whether a text may contain more than one statement.
func isScript(text string) bool {
	return strings.ContainsRune(strings.TrimRight(text, "; \t\r\n"), ';')
}

// afterComments returns the text without leading comments, spaces and semicolons.
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

// first prepares the first statement of a text for a single use.
func (c *Conn) first(text string) (s *stmt, rest string, err error) {
	prepared, rest, err := c.file.prepare(text, false)
	if err != nil {
		return nil, "", err
	}
	return newStatement(prepared, text), rest, nil
}

// newStatement finds the argument of each parameter. bind sets all of them at each use.
func newStatement(p prepared, text string) *stmt {
	s := &stmt{prepared: p, text: text, columns: p.columnCount(), args: make([]int, p.parameters())}
	for i := range s.args {
		s.args[i] = i // "?"
		if name := p.parameter(i + 1); name != "" {
			n, err := strconv.Atoi(name[1:]) // "$1" and "?1" contain the argument number
			if err != nil {
				n = 0 // there is no such argument
			}
			s.args[i] = n - 1
		}
	}
	return s
}

// release makes the statement available for the next use. A statement that failed is discarded, because
// its state is unknown.
func (c *Conn) release(s *stmt, failed bool) error {
	s.busy = false
	if s.kept && !failed {
		err := s.reset()
		if err == nil {
			if s.bound > maxBound {
				s.clear()
			}
			return nil
		}
		c.forget(s)
		return errors.Join(err, s.finalize())
	}
	c.forget(s)
	err := s.finalize()
	if failed {
		return nil // finalize repeats the error of the failed step
	}
	return err
}

// forget removes a statement from the cache.
func (c *Conn) forget(s *stmt) {
	if s.kept {
		delete(c.stmts, s.text)
	}
	s.kept = false
}

// begin prepares a statement and binds its arguments.
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

// Exec runs one or more statements, and returns the number of rows that the last one changed.
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

// script runs statements one after another. All of them share the numbered arguments.
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

// finish steps through a statement and ignores its rows.
func (s *stmt) finish() error {
	for {
		if more, err := s.step(); err != nil || !more {
			return err
		}
	}
}

// Query runs a statement up to its first row.
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
	r.stmt.columns = r.stmt.columnCount() // after a migration "*" may have more columns
	return r, nil
}

// Uninterruptible is the context of a statement that is not interrupted while it runs.
type Uninterruptible struct{ context.Context }
