package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// ErrNoRows is what Row.Scan returns when there is no row.
var ErrNoRows = sql.ErrNoRows

// IsUnique tells whether a statement failed because a value that must be unique
// is there already.
func IsUnique(err error) bool {
	return hasCode(err, "23505", sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY)
}

// IsForeignKey tells whether a statement or a commit failed because a row refers
// to one that is not there. (A key declared ON DELETE RESTRICT reports otherwise
// on SQLite: leave the action out.)
func IsForeignKey(err error) bool {
	return hasCode(err, "23503", sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY)
}

// IsRetryable tells whether a transaction failed only because others ran beside
// it: SQLITE_BUSY and SQLITE_LOCKED in all their forms, and PostgreSQL's 40001
// (serialization_failure) and 40P01 (deadlock_detected). Transact and View retry
// these themselves.
func IsRetryable(err error) bool {
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		primary := lite.Code() & 0xff
		return primary == sqlite3.SQLITE_BUSY || primary == sqlite3.SQLITE_LOCKED
	}
	return hasCode(err, "40001") || hasCode(err, "40P01")
}

// hasCode compares with the SQLSTATE or with extended result codes of SQLite.
func hasCode(err error, state string, codes ...int) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code == state
	}
	lite, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return false
	}
	for _, code := range codes {
		if lite.Code() == code {
			return true
		}
	}
	return false
}

// Classify makes an error of a driver tell of a context that is done: whatever
// the driver calls it ("interrupted", 57014, a closed connection), the result
// satisfies errors.Is(err, ctx.Err()). Everything in this package has done so
// already; it is for errors that come straight from *sql.Rows.
func Classify(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil || errors.Is(err, ctx.Err()) {
		return err
	}
	return fmt.Errorf("%w: %w", ctx.Err(), err)
}

// classifyCallback is Classify for what a caller's function returned: an error
// that is none of a driver's is the caller's own verdict and stays.
func classifyCallback(ctx context.Context, err error) error {
	if !fromDriver(err) {
		return err
	}
	return Classify(ctx, err)
}

func fromDriver(err error) bool {
	if _, ok := errors.AsType[*sqlite.Error](err); ok {
		return true
	}
	if _, ok := errors.AsType[*pgconn.PgError](err); ok {
		return true
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	return errors.Is(err, sql.ErrTxDone) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, driver.ErrBadConn)
}
