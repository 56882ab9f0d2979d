package database

import (
	"context"
	"time"
)

// migrationLock is the number of PostgreSQL's advisory lock for migrations:
// "vitrine" in ASCII.
const migrationLock int64 = 0x76697472696e65

// lockServer takes an advisory lock that lives as long as its session. goose has
// such a lock too, but asks for it every few seconds instead of waiting.
func (db *DB) lockServer(ctx context.Context) (unlock func(), err error) {
	pooled, err := db.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	conn := pooled.Hijack() // ending the session gives the lock back whatever happens
	unlock = func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = conn.Close(ctx)
	}
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", migrationLock); err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}
