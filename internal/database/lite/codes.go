package lite

import (
	"fmt"

	engine "modernc.org/sqlite/lib"
)

// Code is a result code of SQLite, possibly an extended one.
type Code int32

// The result codes that callers check.
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

// Primary returns the code without its extension.
func (c Code) Primary() Code { return c & 0xff }

// Error is an SQLite error with its extended result code.
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
