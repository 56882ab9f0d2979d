// Package postgres contains what connections to PostgreSQL need beyond the driver. They fail quickly
// if their server disappears without closing them, for example after a power failure, or if it no
// longer accepts writes. They work through a pooler in transaction mode, such as PgBouncer, which
// assigns a server session to a client for each transaction. Statements of a transaction are sent in
// batches: a single one costs a round trip, during which rows stay locked while neither the server
// nor this process does anything for the transaction.
package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"vitrine/internal/database/lite"
)

// sqlStates are the SQLSTATE classes and codes of failures that do not depend on the statement: no
// connection, out of disk or memory, shutdown or startup, disk errors, and a server that has just become
// a standby.
var sqlStates = []string{"08", "53", "57P01", "57P02", "57P03", "58", "25006"}

// sqliteOutages are the corresponding SQLite codes.
var sqliteOutages = []lite.Code{lite.Full, lite.IOErr, lite.CantOpen, lite.ReadOnly, lite.NoMemory}

// IsOutage reports whether an error means that the database is currently unreachable or unusable for any
// statement. Conflicts between transactions do not count.
func IsOutage(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return slices.ContainsFunc(sqlStates, func(o string) bool { return strings.HasPrefix(pg.Code, o) })
	}
	if e, ok := errors.AsType[*lite.Error](err); ok {
		return slices.Contains(sqliteOutages, e.Code.Primary())
	}
	return unreachable(err) || Lost(err) || errors.Is(err, ErrUnconfirmed)
}

// unreachable reports whether a connection could not be established.
func unreachable(err error) bool {
	_, refused := errors.AsType[*pgconn.ConnectError](err)
	return refused
}

// errClosed is the error of database/sql for a closed pool, which database/sql does not export.
var errClosed = func() error {
	pool := sql.OpenDB(unopened{})
	_ = pool.Close() // nothing is open
	return pool.Ping()
}()

// unopened is a driver.Connector that is never used.
type unopened struct{}

func (unopened) Connect(context.Context) (driver.Conn, error) { return nil, driver.ErrBadConn }
func (unopened) Driver() driver.Driver                        { return nil }

// Lost reports whether a connection was lost or the pool is closed.
func Lost(err error) bool {
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	if _, ok := errors.AsType[noConn](err); ok {
		return true
	}
	for _, lost := range []error{lite.ErrClosed, errClosed, sql.ErrConnDone, driver.ErrBadConn, io.ErrUnexpectedEOF, io.EOF, net.ErrClosed} {
		if errors.Is(err, lost) {
			return true
		}
	}
	return pgconn.SafeToRetry(err) // lost before the statement was sent
}
