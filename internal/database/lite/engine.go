//go:build !databasesql

package lite

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"modernc.org/libc"
	engine "modernc.org/sqlite/lib"
)

// This file contains all unsafe code; engine_fallback.go replaces it in builds with the tag databasesql. modernc.org/sqlite/lib is SQLite translated to Go. Its functions
// are those of https://sqlite.org/c3ref/intro.html, with pointers as uintptr and an additional first
// parameter, the thread-local storage (TLS), which holds the C stack. Three rules make it safe:
//
//   - A handle has no SQLite mutex, and a TLS belongs to one thread. So a handle and its TLS are for one
//     goroutine at a time, which enter enforces. Only interrupt is called from other goroutines, with
//     its own TLS.
//   - SQLite only gets pointers to memory that SQLite allocated, never to Go memory: Go stacks move, and
//     the garbage collector ignores uintptr. SQLite copies the data that it keeps.
//   - Data that SQLite points to is copied before the next call.

// handle is an open database file.
type handle struct {
	tls    *libc.TLS
	db     uintptr              // 0 after close
	memory uintptr              // allocated by SQLite: two output pointers, then bytes for SQLite to copy
	size   int                  // size of memory
	stmts  map[uintptr]struct{} // our statements; SQLite's own list also has those of its full-text search
	inUse  atomic.Bool          // in use; stays set after close
	mu     sync.Mutex           // held by interrupt and close
}

const (
	word    = 8         // maximum size of a pointer, and of a variadic argument
	results = 2 * word  // size of the output pointers at the start of memory
	maxKept = 256 << 10 // larger memory is freed when it is no longer needed
)

// at converts an address outside of Go's heap.
func at(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

// enter reserves the handle for this goroutine until leave. It panics on concurrent use, because that
// would corrupt memory and possibly the file.
func (h *handle) enter() {
	if !h.inUse.CompareAndSwap(false, true) {
		panic("sqlite: connection used concurrently or after close")
	}
}

func (h *handle) leave() { h.inUse.Store(false) }

var prepareEngine = sync.OnceFunc(engine.PatchIssue199) // a fix for linux/arm64

// open opens a file, which it creates if necessary, unless it only reads. Double-quoted names are never
// strings, and statements cannot corrupt the file.
func open(path string, readOnly bool) (*handle, error) {
	prepareEngine()
	h := &handle{tls: libc.NewTLS(), stmts: map[uintptr]struct{}{}}
	name, err := h.copyText(path)
	if err != nil {
		h.tls.Close()
		return nil, err
	}
	flags := int32(engine.SQLITE_OPEN_READWRITE | engine.SQLITE_OPEN_CREATE)
	if readOnly {
		flags = engine.SQLITE_OPEN_READONLY
	}
	flags |= engine.SQLITE_OPEN_NOMUTEX | engine.SQLITE_OPEN_EXRESCODE
	rc := engine.Xsqlite3_open_v2(h.tls, name, h.memory, flags, 0)
	h.db = *(*uintptr)(at(h.memory)) // set even on failure, unless memory ran out
	if err := h.failure(rc); err != nil {
		_ = h.close()
		return nil, err
	}
	for _, set := range []struct {
		what int32
		on   int32
	}{
		{engine.SQLITE_DBCONFIG_DQS_DDL, 0}, {engine.SQLITE_DBCONFIG_DQS_DML, 0}, {engine.SQLITE_DBCONFIG_DEFENSIVE, 1},
	} {
		// There are two arguments: SQLite writes a result to the second one unless it is NULL.
		*(*int64)(at(h.memory)), *(*int64)(at(h.memory + word)) = int64(set.on), 0
		if err := h.failure(engine.Xsqlite3_db_config(h.tls, h.db, set.what, h.memory)); err != nil {
			_ = h.close()
			return nil, err
		}
	}
	return h, nil
}

// close closes the handle and all of its statements.
func (h *handle) close() error {
	h.enter() // without leave, so that it cannot be used again
	var err error
	if h.db != 0 {
		for s := range h.stmts {
			engine.Xsqlite3_finalize(h.tls, s)
		}
		h.mu.Lock()
		if rc := engine.Xsqlite3_close(h.tls, h.db); rc != engine.SQLITE_OK {
			err = h.failure(rc)
		}
		h.db = 0
		h.mu.Unlock()
	}
	engine.Xsqlite3_free(h.tls, h.memory)
	h.tls.Close()
	return err
}

// interrupt makes running statements stop soon. It returns false if the handle is closed. Any goroutine
// may call it.
func (h *handle) interrupt() (open bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.db == 0 {
		return false
	}
	tls := libc.NewTLS()
	engine.Xsqlite3_interrupt(tls, h.db)
	tls.Close()
	return true
}

// rewind resets all running statements, which makes SQLite clear an interruption.
func (h *handle) rewind() {
	h.enter()
	defer h.leave()
	for s := range h.stmts {
		if engine.Xsqlite3_stmt_busy(h.tls, s) != 0 {
			engine.Xsqlite3_reset(h.tls, s)
		}
	}
}

// copyText copies a text, with a terminating zero, to memory. It stays there until the next call.
func (h *handle) copyText(text string) (address uintptr, err error) {
	need := results + len(text) + 1
	if need > h.size || h.size > maxKept && need <= maxKept {
		size := max(need, 4<<10)
		engine.Xsqlite3_free(h.tls, h.memory)
		if h.memory = engine.Xsqlite3_malloc64(h.tls, uint64(size)); h.memory == 0 {
			h.size = 0
			return 0, h.failure(engine.SQLITE_NOMEM)
		}
		h.size = size
	}
	bytes := unsafe.Slice((*byte)(at(h.memory+results)), len(text)+1)
	bytes[copy(bytes, text)] = 0
	return h.memory + results, nil
}

// failure returns the error of a result code, with SQLite's message.
func (h *handle) failure(rc int32) error {
	if rc == engine.SQLITE_OK {
		return nil
	}
	message := engine.Xsqlite3_errstr(h.tls, rc)
	if h.db != 0 && engine.Xsqlite3_extended_errcode(h.tls, h.db) == rc {
		message = engine.Xsqlite3_errmsg(h.tls, h.db)
	}
	return &Error{Code(rc), libc.GoString(message)}
}

func (h *handle) busyTimeout(milliseconds int64) {
	h.enter()
	defer h.leave()
	engine.Xsqlite3_busy_timeout(h.tls, h.db, int32(milliseconds))
}

func (h *handle) autocommit() bool {
	h.enter()
	defer h.leave()
	return engine.Xsqlite3_get_autocommit(h.tls, h.db) != 0
}

// written returns the number of pages written since the last call, to the write-ahead log if there is one.
func (h *handle) written() int {
	h.enter()
	defer h.leave()
	if engine.Xsqlite3_db_status(h.tls, h.db, engine.SQLITE_DBSTATUS_CACHE_WRITE, h.memory, h.memory+word, 1) != engine.SQLITE_OK {
		return 0
	}
	return int(*(*int32)(at(h.memory)))
}

// changes returns the number of rows changed by the last statement that wrote.
func (h *handle) changes() int64 { return engine.Xsqlite3_changes64(h.tls, h.db) }

func (h *handle) lastInsertID() int64 { return engine.Xsqlite3_last_insert_rowid(h.tls, h.db) }

// prepared is a compiled statement.
type prepared struct {
	*handle
	statement uintptr
}

// prepare compiles the first statement of a text. persistent is a hint that it is used more than once. rest
// is the text after it.
func (h *handle) prepare(text string, persistent bool) (p prepared, rest string, err error) {
	h.enter()
	defer h.leave()
	sql, err := h.copyText(text)
	if err != nil {
		return prepared{}, "", err
	}
	var flags uint32
	if persistent {
		flags = engine.SQLITE_PREPARE_PERSISTENT
	}
	if err := h.failure(engine.Xsqlite3_prepare_v3(h.tls, h.db, sql, int32(len(text)+1), flags, h.memory, h.memory+word)); err != nil {
		return prepared{}, "", err
	}
	statement, end := *(*uintptr)(at(h.memory)), *(*uintptr)(at(h.memory + word))
	if statement == 0 {
		return prepared{}, "", &Error{engine.SQLITE_MISUSE, "there is no statement"}
	}
	h.stmts[statement] = struct{}{}
	return prepared{h, statement}, text[end-sql:], nil
}

// step advances to the next row and reports whether there is one. After an error the statement must be
// finalized, which returns the error again.
func (p prepared) step() (bool, error) {
	p.enter()
	defer p.leave()
	switch rc := engine.Xsqlite3_step(p.tls, p.statement); rc {
	case engine.SQLITE_ROW:
		return true, nil
	case engine.SQLITE_DONE:
		return false, nil
	default:
		return false, p.failure(rc)
	}
}

// reset resets the statement for its next use. Its parameters keep their values.
func (p prepared) reset() error {
	p.enter()
	defer p.leave()
	return p.failure(engine.Xsqlite3_reset(p.tls, p.statement))
}

// clear sets the parameters to NULL, which frees their values. If they influenced the plan of the
// statement, SQLite plans it again at the next step, which can cost ten times as much as the step.
func (p prepared) clear() {
	p.enter()
	defer p.leave()
	engine.Xsqlite3_clear_bindings(p.tls, p.statement) // always returns SQLITE_OK
}

func (p prepared) finalize() error {
	p.enter()
	defer p.leave()
	delete(p.stmts, p.statement)
	return p.failure(engine.Xsqlite3_finalize(p.tls, p.statement))
}

func (p prepared) parameters() int {
	return int(engine.Xsqlite3_bind_parameter_count(p.tls, p.statement))
}

// parameter returns the name of a parameter, or "" if it has none. The first one is 1.
func (p prepared) parameter(i int) string {
	return text(engine.Xsqlite3_bind_parameter_name(p.tls, p.statement, int32(i)))
}

// Parameters are numbered from 1.

func (p prepared) bindNull(i int) error {
	return p.failure(engine.Xsqlite3_bind_null(p.tls, p.statement, int32(i)))
}

func (p prepared) bindInt64(i int, n int64) error {
	return p.failure(engine.Xsqlite3_bind_int64(p.tls, p.statement, int32(i), n))
}

func (p prepared) bindFloat(i int, f float64) error {
	return p.failure(engine.Xsqlite3_bind_double(p.tls, p.statement, int32(i), f))
}

func (p prepared) bindText(i int, s string) error {
	p.enter()
	defer p.leave()
	address, err := p.copyText(s)
	if err != nil {
		return err
	}
	return p.failure(engine.Xsqlite3_bind_text64(p.tls, p.statement, int32(i), address, uint64(len(s)), engine.SQLITE_TRANSIENT, engine.SQLITE_UTF8))
}

func (p prepared) bindBytes(i int, b []byte) error {
	p.enter()
	defer p.leave()
	address, err := p.copyText(unsafe.String(unsafe.SliceData(b), len(b)))
	if err != nil {
		return err
	}
	return p.failure(engine.Xsqlite3_bind_blob64(p.tls, p.statement, int32(i), address, uint64(len(b)), engine.SQLITE_TRANSIENT))
}

// Columns are numbered from 0.

func (p prepared) columnCount() int { return int(engine.Xsqlite3_column_count(p.tls, p.statement)) }

func (p prepared) columnName(i int) string {
	return text(engine.Xsqlite3_column_name(p.tls, p.statement, int32(i)))
}

func (p prepared) columnType(i int) int32 {
	return engine.Xsqlite3_column_type(p.tls, p.statement, int32(i))
}

// integer returns the value of an integer column. It fetches the value object once for type and value,
// which is safe because no other goroutine uses the connection.
func (p prepared) integer(i int) (n int64, ok bool) {
	value := engine.Xsqlite3_column_value(p.tls, p.statement, int32(i))
	if engine.Xsqlite3_value_type(p.tls, value) != typeInteger {
		return 0, false
	}
	return engine.Xsqlite3_value_int64(p.tls, value), true
}

func (p prepared) columnInt64(i int) int64 {
	return engine.Xsqlite3_column_int64(p.tls, p.statement, int32(i))
}

func (p prepared) columnFloat(i int) float64 {
	return engine.Xsqlite3_column_double(p.tls, p.statement, int32(i))
}

func (p prepared) columnText(i int) string {
	return string(p.bytes(engine.Xsqlite3_column_text(p.tls, p.statement, int32(i)), i))
}

// intoText reads a column into a string. It keeps the string if it is already equal, which avoids an
// allocation: rows of a page are read into the same memory, and columns such as the kind often repeat.
func (p prepared) intoText(i int, into *string) {
	if b := p.bytes(engine.Xsqlite3_column_text(p.tls, p.statement, int32(i)), i); *into != string(b) {
		*into = string(b)
	}
}

// columnBytes returns a copy of the bytes, which is empty but not nil for a zero-length value.
func (p prepared) columnBytes(i int) []byte {
	return append([]byte{}, p.bytes(engine.Xsqlite3_column_blob(p.tls, p.statement, int32(i)), i)...)
}

// bytes returns the bytes of a column, which are valid until the next call.
func (p prepared) bytes(address uintptr, column int) []byte {
	if address == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(at(address)), engine.Xsqlite3_column_bytes(p.tls, p.statement, int32(column)))
}

// text returns a C string, or "" for NULL.
func text(address uintptr) string {
	if address == 0 {
		return ""
	}
	return libc.GoString(address)
}
