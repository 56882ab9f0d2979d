//go:build databasesql

package lite

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite"
)

// This file replaces engine.go in builds with the tag databasesql. It uses the module's own driver for
// database/sql instead of SQLite's functions, for the case that a new version of the module breaks our calls of
// them. It is several times slower. A statement is only interrupted up to its first row, and the number of written
// pages is a guess.

// handle is an open database file.
type handle struct {
	conn interface {
		driver.Conn
		driver.QueryerContext
	}

	mu     sync.Mutex
	cancel func() // interrupts the running statement; nil between statements
	closed bool
}

func open(path string, readOnly bool) (*handle, error) {
	name := url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: "_dqs=0&_defensive=1"}
	if readOnly {
		name.RawQuery += "&mode=ro"
	}
	conn, err := new(sqlite.Driver).Open(name.String())
	if err != nil {
		return nil, failure(err)
	}
	h := &handle{}
	var ok bool
	if h.conn, ok = conn.(interface {
		driver.Conn
		driver.QueryerContext
	}); !ok {
		return nil, errors.Join(errors.New("sqlite: the driver of this version cannot run statements with a context"), conn.Close())
	}
	return h, nil
}

func (h *handle) close() error {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	return failure(h.conn.Close())
}

func (h *handle) interrupt() (open bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.cancel != nil {
		h.cancel()
	}
	return !h.closed
}

// rewind does nothing, because an interruption only ends its own statement.
func (h *handle) rewind() {}

// failure converts an error of the driver.
func failure(err error) error {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return &Error{Code(e.Code()), e.Error()}
	}
	if errors.Is(err, context.Canceled) {
		return &Error{Interrupt, "interrupted"}
	}
	return err
}

// run executes a statement, and returns the first column of its first row if it is an integer.
func (h *handle) run(text string) (n int64, err error) {
	p, _, err := h.prepare(text, false)
	if err != nil {
		return 0, err
	}
	more, err := p.step()
	if more {
		n, _ = p.integer(0)
	}
	return n, errors.Join(err, p.finalize())
}

func (h *handle) busyTimeout(milliseconds int64) {
	_, _ = h.run("PRAGMA busy_timeout = " + strconv.FormatInt(milliseconds, 10))
}

// autocommit reports whether there is no transaction, which is when one can begin.
func (h *handle) autocommit() bool {
	if _, err := h.run("BEGIN"); err != nil {
		return false
	}
	_, _ = h.run("ROLLBACK")
	return true
}

// written returns a guess, because the driver does not count pages.
func (h *handle) written() int { return 10 }

func (h *handle) changes() int64 {
	n, _ := h.run("SELECT changes()")
	return n
}

func (h *handle) lastInsertID() int64 {
	n, _ := h.run("SELECT last_insert_rowid()")
	return n
}

// prepared is a statement.
type prepared struct{ *statement }

type statement struct {
	*handle
	query  string
	names  []string // of the parameters
	values []driver.NamedValue
	rows   driver.Rows    // nil before the first step
	end    func()         // ends the context of the rows
	row    []driver.Value // the current row
}

// prepare returns a statement, whose errors are found at the first step. The driver runs all statements of a text.
func (h *handle) prepare(query string, _ bool) (p prepared, rest string, err error) {
	s := &statement{handle: h, query: query, names: parameterNames(query)}
	s.values = make([]driver.NamedValue, len(s.names))
	for i := range s.values {
		s.values[i].Ordinal = i + 1
	}
	return prepared{s}, "", nil
}

// parameterNames returns the names of the parameters of a text in the order of their numbers: "$1", "$2", … or ""
// for each "?".
func parameterNames(query string) (names []string) {
	for query != "" {
		c := query[0]
		query = query[1:]
		end := ""
		switch {
		case c == '\'' || c == '"':
			end = string(c)
		case c == '-' && strings.HasPrefix(query, "-"):
			end = "\n"
		case c == '/' && strings.HasPrefix(query, "*"):
			end = "*/"
		case c == '$' || c == '?':
			digits := query[:len(query)-len(strings.TrimLeft(query, "0123456789"))]
			n, _ := strconv.Atoi(digits)
			if digits == "" {
				names = append(names, "")
			}
			for len(names) < n {
				names = append(names, "$"+strconv.Itoa(len(names)+1))
			}
		}
		if end != "" {
			_, query, _ = strings.Cut(query, end)
		}
	}
	return names
}

func (p prepared) step() (bool, error) {
	if p.rows == nil {
		var ctx context.Context
		ctx, p.end = context.WithCancel(context.Background())
		p.interruptible(p.end)
		rows, err := p.conn.QueryContext(ctx, p.query, p.values)
		p.interruptible(nil)
		if err != nil {
			p.end()
			return false, failure(err)
		}
		p.rows, p.row = rows, make([]driver.Value, len(rows.Columns()))
	}
	err := p.rows.Next(p.row)
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	return err == nil, failure(err)
}

func (h *handle) interruptible(cancel func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.cancel = cancel
}

func (p prepared) reset() error {
	if p.rows == nil {
		return nil
	}
	err := p.rows.Close()
	p.end()
	p.rows, p.row = nil, nil
	return failure(err)
}

func (p prepared) clear() {
	for i := range p.values {
		p.values[i].Value = nil
	}
}

func (p prepared) finalize() error { return p.reset() }

func (p prepared) parameters() int { return len(p.names) }

func (p prepared) parameter(i int) string { return p.names[i-1] }

func (p prepared) set(i int, v driver.Value) error {
	p.values[i-1].Value = v
	return nil
}

func (p prepared) bindNull(i int) error                { return p.set(i, nil) }
func (p prepared) bindInt64(i int, n int64) error      { return p.set(i, n) }
func (p prepared) bindFloat(i int, f float64) error    { return p.set(i, f) }
func (p prepared) bindText(i int, s string) error      { return p.set(i, s) }
func (p prepared) bindBytes(i int, bytes []byte) error { return p.set(i, bytes) }

func (p prepared) columnCount() int { return len(p.row) }

func (p prepared) columnName(i int) string { return p.rows.Columns()[i] }

func (p prepared) columnType(i int) int32 {
	switch p.row[i].(type) {
	case nil:
		return typeNull
	case int64, bool:
		return typeInteger
	case float64:
		return typeFloat
	case []byte:
		return typeBlob
	}
	return typeText
}

func (p prepared) integer(i int) (n int64, ok bool) {
	return p.columnInt64(i), p.columnType(i) == typeInteger
}

func (p prepared) columnInt64(i int) int64 {
	if b, ok := p.row[i].(bool); ok && b {
		return 1
	}
	n, _ := p.row[i].(int64)
	return n
}

func (p prepared) columnFloat(i int) float64 {
	f, _ := p.row[i].(float64)
	return f
}

// columnText returns a text. The driver converts texts of columns with the type TIMESTAMP.
func (p prepared) columnText(i int) string {
	if at, ok := p.row[i].(time.Time); ok {
		return at.Format(timeFormat)
	}
	s, _ := p.row[i].(string)
	return s
}

func (p prepared) intoText(i int, into *string) { *into = p.columnText(i) }

func (p prepared) columnBytes(i int) []byte {
	b, _ := p.row[i].([]byte)
	return append([]byte{}, b...)
}
