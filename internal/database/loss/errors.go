package loss

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

// outages are the classes and codes by which PostgreSQL says that it cannot do what it
// otherwise could: no connection, no room or memory, being shut down or started, failing
// disks, and being a standby since a moment ago.
var outages = []string{"08", "53", "57P01", "57P02", "57P03", "58", "25006"}

// liteOutages are SQLite's words for that.
var liteOutages = []lite.Code{lite.Full, lite.IOErr, lite.CantOpen, lite.ReadOnly, lite.NoMemory}

// Away reports whether an error says that the database cannot be reached or used just now,
// whatever the statement; conflicts with others aside.
func Away(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return slices.ContainsFunc(outages, func(o string) bool { return strings.HasPrefix(pg.Code, o) })
	}
	if e, ok := errors.AsType[*lite.Error](err); ok {
		return slices.Contains(liteOutages, e.Code.Primary())
	}
	return Refused(err) || Lost(err) || errors.Is(err, ErrAlone)
}

// Refused reports whether there is no connection to be had.
func Refused(err error) bool {
	_, refused := errors.AsType[*pgconn.ConnectError](err)
	return refused
}

// ErrClosed is the error of database/sql for a closed pool, which it does not export.
var ErrClosed = func() error {
	pool := sql.OpenDB(unopened{})
	_ = pool.Close() // nothing is open
	return pool.Ping()
}()

// unopened is a driver.Connector that is never used.
type unopened struct{}

func (unopened) Connect(context.Context) (driver.Conn, error) { return nil, driver.ErrBadConn }
func (unopened) Driver() driver.Driver                        { return nil }

// Lost reports whether a connection has ended, or the pool has been closed.
func Lost(err error) bool {
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	for _, lost := range []error{lite.ErrClosed, ErrClosed, sql.ErrConnDone, driver.ErrBadConn, io.ErrUnexpectedEOF, io.EOF, net.ErrClosed} {
		if errors.Is(err, lost) {
			return true
		}
	}
	return pgconn.SafeToRetry(err) // it was lost before a statement was sent
}
