package lite

import (
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"modernc.org/libc"
	engine "modernc.org/sqlite/lib"
)

// All that is unsafe is in this file. modernc.org/sqlite/lib is SQLite translated to Go: its
// functions are those of https://sqlite.org/c3ref/intro.html, with addresses as uintptr and
// before all else the thread's storage, where they keep what C has on its stack. Three rules
// make it safe, and are kept here:
//
//   - SQLite's own mutex is not in a handle, and a thread's storage is for one thread. So a
//     handle and its storage are for one goroutine at a time, which enter holds all to.
//     Only interrupt comes from elsewhere, with a storage of its own.
//   - What SQLite is given the address of is memory of SQLite's, never of Go's, whose stacks
//     move and whose collector does not know a uintptr. What SQLite keeps, it copies.
//   - What SQLite gives the address of is copied before the next call.

// Code is a result code of SQLite's, extended where there is more to say.
type Code int32

// The codes that somebody asks for.
const (
	Busy       Code = engine.SQLITE_BUSY
	Locked     Code = engine.SQLITE_LOCKED
	NoMemory   Code = engine.SQLITE_NOMEM
	ReadOnly   Code = engine.SQLITE_READONLY
	Interrupt  Code = engine.SQLITE_INTERRUPT
	IOErr      Code = engine.SQLITE_IOERR
	IOErrStat  Code = engine.SQLITE_IOERR_FSTAT // for example because the path no longer names a file
	Full       Code = engine.SQLITE_FULL
	CantOpen   Code = engine.SQLITE_CANTOPEN
	Unique     Code = engine.SQLITE_CONSTRAINT_UNIQUE
	PrimaryKey Code = engine.SQLITE_CONSTRAINT_PRIMARYKEY
)

// Primary is the code without its extension.
func (c Code) Primary() Code { return c & 0xff }

// Error is an error of SQLite's with its extended result code.
type Error struct {
	Code    Code
	message string
}

func (e *Error) Error() string { return fmt.Sprintf("sqlite: %s (%d)", e.message, e.Code) }

// The types of a column's value.
const (
	typeInteger = engine.SQLITE_INTEGER
	typeFloat   = engine.SQLITE_FLOAT
	typeText    = engine.SQLITE_TEXT
	typeBlob    = engine.SQLITE_BLOB
	typeNull    = engine.SQLITE_NULL
)

// handle is an open file.
type handle struct {
	tls    *libc.TLS
	db     uintptr              // 0 once it is closed
	memory uintptr              // of SQLite's: two addresses that it gives, then bytes for it to copy
	room   int                  // bytes of memory
	ours   map[uintptr]struct{} // statements; SQLite's own list has those of its full text search, too
	inside atomic.Bool          // somebody is using it; stays once it is closed
	mu     sync.Mutex           // is held to interrupt it, and to close it
}

const (
	word     = 8         // bytes of an address, at most; and of an argument of a variable number
	results  = 2 * word  // bytes before those to be copied
	keepRoom = 256 << 10 // more is given back when it is not needed
)

// at is memory outside of Go's heap.
func at(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

// enter says that the goroutine uses the handle, until it calls leave. SQLite would spoil
// memory, and with it the file, if two did: better there is no program.
func (h *handle) enter() {
	if !h.inside.CompareAndSwap(false, true) {
		panic("sqlite: a connection is used twice at a time, or after its end")
	}
}

func (h *handle) leave() { h.inside.Store(false) }

var prepareEngine = sync.OnceFunc(engine.PatchIssue199) // of linux/arm64

// open opens a file, which it makes if there is none. Names in double quotes are never
// strings, and no statement may damage the structure of the file.
func open(path string) (*handle, error) {
	prepareEngine()
	h := &handle{tls: libc.NewTLS(), ours: map[uintptr]struct{}{}}
	name, err := h.give(path)
	if err != nil {
		h.tls.Close()
		return nil, err
	}
	const flags = engine.SQLITE_OPEN_READWRITE | engine.SQLITE_OPEN_CREATE | engine.SQLITE_OPEN_NOMUTEX | engine.SQLITE_OPEN_EXRESCODE
	rc := engine.Xsqlite3_open_v2(h.tls, name, h.memory, flags, 0)
	h.db = *(*uintptr)(at(h.memory)) // also where it fails, unless memory does
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
		// Both arguments: SQLite writes to where the second points, unless that is 0.
		*(*int64)(at(h.memory)), *(*int64)(at(h.memory + word)) = int64(set.on), 0
		if err := h.failure(engine.Xsqlite3_db_config(h.tls, h.db, set.what, h.memory)); err != nil {
			_ = h.close()
			return nil, err
		}
	}
	return h, nil
}

// close ends the handle and all statements on it.
func (h *handle) close() error {
	h.enter() // and nobody ever after
	var err error
	if h.db != 0 {
		for s := range h.ours {
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

// interrupt has what is in progress end soon, unless the handle is closed. Any goroutine may
// call it.
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

// rewind has all statements begin anew that are in progress. SQLite then takes an
// interruption back.
func (h *handle) rewind() {
	h.enter()
	defer h.leave()
	for s := range h.ours {
		if engine.Xsqlite3_stmt_busy(h.tls, s) != 0 {
			engine.Xsqlite3_reset(h.tls, s)
		}
	}
}

// give copies a text to where SQLite can read it, with a zero behind it, until the next one.
func (h *handle) give(text string) (address uintptr, err error) {
	need := results + len(text) + 1
	if need > h.room || h.room > keepRoom && need <= keepRoom {
		room := max(need, 4<<10)
		engine.Xsqlite3_free(h.tls, h.memory)
		if h.memory = engine.Xsqlite3_malloc64(h.tls, uint64(room)); h.memory == 0 {
			h.room = 0
			return 0, h.failure(engine.SQLITE_NOMEM)
		}
		h.room = room
	}
	bytes := unsafe.Slice((*byte)(at(h.memory+results)), len(text)+1)
	bytes[copy(bytes, text)] = 0
	return h.memory + results, nil
}

// failure is the error of a result code, with what SQLite has to say of it.
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

// written is how many pages were written since it was asked last, to the write-ahead log where
// there is one.
func (h *handle) written() int {
	h.enter()
	defer h.leave()
	if engine.Xsqlite3_db_status(h.tls, h.db, engine.SQLITE_DBSTATUS_CACHE_WRITE, h.memory, h.memory+word, 1) != engine.SQLITE_OK {
		return 0
	}
	return int(*(*int32)(at(h.memory)))
}

// changes is how many rows the last statement that wrote has changed.
func (h *handle) changes() int64 { return engine.Xsqlite3_changes64(h.tls, h.db) }

func (h *handle) lastInsertID() int64 { return engine.Xsqlite3_last_insert_rowid(h.tls, h.db) }

// prepared is a statement of a handle.
type prepared struct {
	*handle
	statement uintptr
}

// prepare compiles the first statement of a text, which is to be used more than once or not.
// rest is the text after it.
func (h *handle) prepare(text string, lasting bool) (p prepared, rest string, err error) {
	h.enter()
	defer h.leave()
	sql, err := h.give(text)
	if err != nil {
		return prepared{}, "", err
	}
	var flags uint32
	if lasting {
		flags = engine.SQLITE_PREPARE_PERSISTENT
	}
	if err := h.failure(engine.Xsqlite3_prepare_v3(h.tls, h.db, sql, int32(len(text)+1), flags, h.memory, h.memory+word)); err != nil {
		return prepared{}, "", err
	}
	statement, end := *(*uintptr)(at(h.memory)), *(*uintptr)(at(h.memory + word))
	if statement == 0 {
		return prepared{}, "", &Error{engine.SQLITE_MISUSE, "there is no statement"}
	}
	h.ours[statement] = struct{}{}
	return prepared{h, statement}, text[end-sql:], nil
}

// step goes to the next row, and says whether there is one. After an error, which SQLite
// says again then, the statement is to be finalized.
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

// reset makes the statement as new: it has no row, and its parameters are NULL.
func (p prepared) reset() error {
	p.enter()
	defer p.leave()
	err := p.failure(engine.Xsqlite3_reset(p.tls, p.statement))
	engine.Xsqlite3_clear_bindings(p.tls, p.statement) // always gives SQLITE_OK
	return err
}

func (p prepared) finalize() error {
	p.enter()
	defer p.leave()
	delete(p.ours, p.statement)
	return p.failure(engine.Xsqlite3_finalize(p.tls, p.statement))
}

func (p prepared) parameters() int {
	return int(engine.Xsqlite3_bind_parameter_count(p.tls, p.statement))
}

// parameter is the name of a parameter, the first of which is 1; "" if it has none.
func (p prepared) parameter(i int) string {
	return text(engine.Xsqlite3_bind_parameter_name(p.tls, p.statement, int32(i)))
}

// Parameters are counted from 1.

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
	address, err := p.give(s)
	if err != nil {
		return err
	}
	return p.failure(engine.Xsqlite3_bind_text64(p.tls, p.statement, int32(i), address, uint64(len(s)), engine.SQLITE_TRANSIENT, engine.SQLITE_UTF8))
}

func (p prepared) bindBytes(i int, b []byte) error {
	p.enter()
	defer p.leave()
	address, err := p.give(unsafe.String(unsafe.SliceData(b), len(b)))
	if err != nil {
		return err
	}
	return p.failure(engine.Xsqlite3_bind_blob64(p.tls, p.statement, int32(i), address, uint64(len(b)), engine.SQLITE_TRANSIENT))
}

// Columns are counted from 0.

func (p prepared) columnCount() int { return int(engine.Xsqlite3_column_count(p.tls, p.statement)) }

func (p prepared) columnName(i int) string {
	return text(engine.Xsqlite3_column_name(p.tls, p.statement, int32(i)))
}

func (p prepared) columnType(i int) int32 {
	return engine.Xsqlite3_column_type(p.tls, p.statement, int32(i))
}

// integer gives a column that is one. It looks at the column once, for both its type and its
// value: SQLite lets that be done to the value of a column by who has the connection alone.
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

// intoText reads a column into a string, which stays as it is if it has that text already: the
// rows of a page are read into the same memory, and say mostly the same of their kinds.
func (p prepared) intoText(i int, into *string) {
	if b := p.bytes(engine.Xsqlite3_column_text(p.tls, p.statement, int32(i)), i); *into != string(b) {
		*into = string(b)
	}
}

// columnBytes gives an empty slice, not nil, where there are none.
func (p prepared) columnBytes(i int) []byte {
	return append([]byte{}, p.bytes(engine.Xsqlite3_column_blob(p.tls, p.statement, int32(i)), i)...)
}

// bytes are those of a column, until the next call.
func (p prepared) bytes(address uintptr, column int) []byte {
	if address == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(at(address)), engine.Xsqlite3_column_bytes(p.tls, p.statement, int32(column)))
}

// text is a C string; "" where there is none.
func text(address uintptr) string {
	if address == 0 {
		return ""
	}
	return libc.GoString(address)
}
