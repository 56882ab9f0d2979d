package lite

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"time"
)

// ErrNoRows is returned by Row.Scan when there is no row.
var ErrNoRows = sql.ErrNoRows

// Rows iterates over the rows of a running statement. They are closed after the last row.
type Rows struct {
	conn        *Conn
	stmt        *stmt
	watch       *watch
	pool        *Pool // gets the connection back at the end; may be nil
	interrupted int   // conn.interrupted when the statement started
	fresh       bool  // before the first call of Next
	more        bool  // the statement is at a row
	closed      bool
	err         error
}

var errRowsClosed = errors.New("sqlite: there is no row to scan")

// Next advances to the next row.
func (r *Rows) Next() bool {
	switch {
	case r.closed:
		return false
	case r.fresh:
		r.fresh = false
	case r.conn.closed:
		r.more, r.err = false, ErrClosed
	case r.interrupted != r.conn.interrupted:
		r.more, r.err = false, &Error{Interrupt, "interrupted"}
	default:
		r.more, r.err = r.stmt.step()
	}
	if !r.more {
		if err := r.Close(); r.err == nil {
			r.err = err
		}
	}
	return r.more
}

// Err returns the error that ended the iteration.
func (r *Rows) Err() error { return r.err }

// Columns returns the column names.
func (r *Rows) Columns() ([]string, error) {
	if r.closed || r.conn.closed {
		return nil, errRowsClosed
	}
	names := make([]string, r.stmt.columns)
	for i := range names {
		names[i] = r.stmt.columnName(i)
	}
	return names, nil
}

// Close ends the statement. It can be called more than once.
func (r *Rows) Close() error {
	if r.closed {
		return nil
	}
	r.closed, r.more = true, false
	r.conn.reading--
	var err error
	if !r.conn.closed { // closing the connection has ended the statement
		err = r.conn.release(r.stmt, r.err != nil)
	}
	r.watch.end()
	if r.pool != nil {
		r.pool.Give(r.conn)
	}
	return err
}

// Scan copies the columns of the row into pointers, as in database/sql.
func (r *Rows) Scan(dest ...any) error {
	if r.fresh || !r.more || r.conn.closed {
		return errRowsClosed
	}
	if len(dest) != r.stmt.columns {
		return fmt.Errorf("sqlite: cannot scan %d columns into %d values", r.stmt.columns, len(dest))
	}
	for i, d := range dest {
		if err := r.stmt.scan(i, d); err != nil {
			return fmt.Errorf("sqlite: scan column %d, %q: %w", i, r.stmt.columnName(i), err)
		}
	}
	return nil
}

// Row is the first row of a result. The others are not needed.
type Row Rows

// Scan reads the row and closes the rows.
func (r *Row) Scan(dest ...any) error {
	rows := (*Rows)(r)
	if !rows.Next() {
		if rows.err != nil {
			return rows.err
		}
		return ErrNoRows
	}
	err := rows.Scan(dest...)
	if e := rows.Close(); err == nil {
		err = e
	}
	return err
}

// scan reads a column. The most frequent types come first, and read from SQLite without an intermediate
// value.
func (s *stmt) scan(i int, dest any) error {
	switch d := dest.(type) {
	case *int64:
		if n, ok := s.integer(i); ok {
			*d = n
			return nil
		}
	case *int:
		if n, ok := s.integer(i); ok {
			*d = int(n)
			return nil
		}
	case *bool:
		if n, ok := s.integer(i); ok && (n == 0 || n == 1) { // anything else is an error
			*d = n == 1
			return nil
		}
	case *string:
		if s.columnType(i) == typeText {
			s.intoText(i, d)
			return nil
		}
	case **string:
		switch s.columnType(i) {
		case typeNull:
			*d = nil
			return nil
		case typeText:
			text := s.columnText(i)
			*d = &text
			return nil
		}
	case **int64:
		switch s.columnType(i) {
		case typeNull:
			*d = nil
			return nil
		case typeInteger:
			n := s.columnInt64(i)
			*d = &n
			return nil
		}
	case *[]byte:
		switch s.columnType(i) {
		case typeNull:
			*d = nil
			return nil
		case typeBlob:
			*d = s.columnBytes(i)
			return nil
		}
	case *any:
		*d = s.value(i)
		return nil
	case sql.Scanner:
		return d.Scan(s.value(i))
	default: // named types, such as ids and kinds
		v := reflect.ValueOf(dest)
		if v.Kind() != reflect.Pointer || v.IsNil() {
			return fmt.Errorf("cannot scan into %T, which is not a pointer", dest)
		}
		switch v, kind := v.Elem(), s.columnType(i); {
		case kind == typeInteger && v.Kind() == reflect.Int64:
			v.SetInt(s.columnInt64(i))
			return nil
		case kind == typeText && v.Kind() == reflect.String:
			v.SetString(s.columnText(i))
			return nil
		}
	}
	return assign(reflect.ValueOf(dest).Elem(), s.value(i))
}

// value returns a column as a database/sql driver does.
func (s *stmt) value(i int) driver.Value {
	switch s.columnType(i) {
	case typeInteger:
		return s.columnInt64(i)
	case typeFloat:
		return s.columnFloat(i)
	case typeText:
		return s.columnText(i)
	case typeBlob:
		return s.columnBytes(i)
	}
	return nil
}

// assign converts a value as database/sql does.
func assign(to reflect.Value, from driver.Value) error {
	if to.Kind() == reflect.Pointer {
		if from == nil {
			to.SetZero()
			return nil
		}
		to.Set(reflect.New(to.Type().Elem()))
		return assign(to.Elem(), from)
	}
	bytes := to.Kind() == reflect.Slice && to.Type().Elem().Kind() == reflect.Uint8
	if from == nil {
		if bytes {
			to.SetZero()
			return nil
		}
		return fmt.Errorf("cannot convert NULL to %s", to.Type())
	}
	var err error
	switch kind := to.Kind(); {
	case kind == reflect.String:
		to.SetString(asText(from))
	case bytes:
		to.SetBytes([]byte(asText(from)))
	case kind == reflect.Bool:
		var b any
		if b, err = driver.Bool.ConvertValue(from); err == nil {
			to.SetBool(b.(bool))
		}
	case to.CanInt():
		var n int64
		if n, err = strconv.ParseInt(asText(from), 10, to.Type().Bits()); err == nil {
			to.SetInt(n)
		}
	case to.CanUint():
		var n uint64
		if n, err = strconv.ParseUint(asText(from), 10, to.Type().Bits()); err == nil {
			to.SetUint(n)
		}
	case to.CanFloat():
		var n float64
		if n, err = strconv.ParseFloat(asText(from), to.Type().Bits()); err == nil {
			to.SetFloat(n)
		}
	default:
		err = fmt.Errorf("cannot convert %T to %s", from, to.Type())
	}
	return err
}

func asText(v driver.Value) string {
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

// bind binds the arguments.
func (s *stmt) bind(args []any) error {
	s.bound = 0
	for i, n := range s.args {
		if n < 0 || n >= len(args) {
			return fmt.Errorf("sqlite: parameter %s has no argument, got %d arguments: %.100q", s.parameter(i+1), len(args), s.text)
		}
		if err := s.bindOne(i+1, args[n]); err != nil {
			return fmt.Errorf("sqlite: argument %d: %w", n+1, err)
		}
	}
	return nil
}

func (s *stmt) bindOne(i int, arg any) error {
	switch a := arg.(type) {
	case nil:
		return s.bindNull(i)
	case int64:
		return s.bindInt64(i, a)
	case int:
		return s.bindInt64(i, int64(a))
	case string:
		s.bound += len(a)
		return s.bindText(i, a)
	case bool:
		if a {
			return s.bindInt64(i, 1)
		}
		return s.bindInt64(i, 0)
	case float64:
		return s.bindFloat(i, a)
	case []byte:
		if a == nil {
			return s.bindNull(i)
		}
		s.bound += len(a)
		return s.bindBytes(i, a)
	case time.Time:
		return s.bindText(i, a.Format(timeFormat))
	case driver.Valuer:
		return s.bindConverted(i, arg)
	}
	switch v := reflect.ValueOf(arg); v.Kind() {
	case reflect.Int64:
		return s.bindInt64(i, v.Int())
	case reflect.String:
		s.bound += v.Len()
		return s.bindText(i, v.String())
	default:
		return s.bindConverted(i, arg)
	}
}

// bindConverted converts an argument as database/sql does, and binds it.
func (s *stmt) bindConverted(i int, arg any) error {
	v, err := driver.DefaultParameterConverter.ConvertValue(arg)
	if err != nil {
		return err
	}
	return s.bindOne(i, v)
}

// timeFormat is the format of times stored by libraries. Our own tables contain no times in this format.
const timeFormat = "2006-01-02 15:04:05.999999999-07:00"
