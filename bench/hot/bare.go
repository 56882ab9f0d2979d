package main

import (
	"errors"
	"fmt"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/sqlite/lib"
)

// bare is a connection of SQLite with one prepared statement, which it resets between uses. See
// internal/database/lite/engine.go for the rules of these calls.
type bare struct {
	tls           *libc.TLS
	db, statement uintptr
	columns       int
}

// at converts an address outside of Go's heap.
func at(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

func openBare(path string) (*bare, error) {
	b := &bare{tls: libc.NewTLS()}
	out := sqlite3.Xsqlite3_malloc(b.tls, 8)
	defer sqlite3.Xsqlite3_free(b.tls, out)
	for _, step := range []struct {
		text string
		call func(text uintptr) int32
		to   *uintptr
	}{
		{path, func(text uintptr) int32 {
			return sqlite3.Xsqlite3_open_v2(b.tls, text, out, sqlite3.SQLITE_OPEN_READONLY|sqlite3.SQLITE_OPEN_NOMUTEX, 0)
		}, &b.db},
		{query, func(text uintptr) int32 {
			return sqlite3.Xsqlite3_prepare_v3(b.tls, b.db, text, -1, sqlite3.SQLITE_PREPARE_PERSISTENT, out, 0)
		}, &b.statement},
	} {
		text, err := libc.CString(step.text)
		if err != nil {
			return nil, err
		}
		rc := step.call(text)
		libc.Xfree(b.tls, text)
		if *step.to = *(*uintptr)(at(out)); rc != sqlite3.SQLITE_OK {
			return nil, fmt.Errorf("SQLite returned %d for %s", rc, step.text)
		}
	}
	b.columns = int(sqlite3.Xsqlite3_column_count(b.tls, b.statement))
	return b, nil
}

func (b *bare) close() {
	sqlite3.Xsqlite3_finalize(b.tls, b.statement)
	sqlite3.Xsqlite3_close(b.tls, b.db)
	b.tls.Close()
}

// read reads the columns of a block.
func (b *bare) read(id int64, row []any) error {
	sqlite3.Xsqlite3_bind_int64(b.tls, b.statement, 1, id)
	if sqlite3.Xsqlite3_step(b.tls, b.statement) != sqlite3.SQLITE_ROW {
		return errors.New("there is no such block")
	}
	for i := range row {
		column := int32(i)
		switch sqlite3.Xsqlite3_column_type(b.tls, b.statement, column) {
		case sqlite3.SQLITE_NULL:
			row[i] = nil
		case sqlite3.SQLITE_INTEGER:
			row[i] = sqlite3.Xsqlite3_column_int64(b.tls, b.statement, column)
		default:
			text := sqlite3.Xsqlite3_column_text(b.tls, b.statement, column)
			row[i] = string(unsafe.Slice((*byte)(at(text)), sqlite3.Xsqlite3_column_bytes(b.tls, b.statement, column)))
		}
	}
	sqlite3.Xsqlite3_reset(b.tls, b.statement)
	return nil
}
