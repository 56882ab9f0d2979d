package database

import (
	"context"
	"database/sql/driver"
)

// migrationLock is the number of PostgreSQL's advisory lock for migrations:
// "vitrine" in ASCII.
const migrationLock = 0x76697472696e65

// lockServer takes an advisory lock that lives as long as its session. goose has
// such a lock too, but asks for it every few seconds instead of waiting.
func (db *DB) lockServer(ctx context.Context) (unlock func(), err error) {
	conn, err := db.writer.Conn(ctx)
	if err != nil {
		return nil, err
	}
	// Ending the session gives the lock back in every case, as an unlock that
	// fails on a connection that returns to the pool would not.
	unlock = func() {
		_ = conn.Raw(func(any) error { return driver.ErrBadConn })
		_ = conn.Close()
	}
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", int64(migrationLock)); err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}
