package database

import (
	"context"
	"runtime"
	"time"
)

// LockMigrations lets a test stand in for a program that migrates.
func LockMigrations(db *DB, ctx context.Context) (unlock func(), err error) {
	return db.lockMigrations(ctx)
}

// WatchGroups has groups end by their number of members alone, and calls committed after
// each commit with how many members it was of.
func WatchGroups(db *DB, committed func(members int)) {
	db.groups.longest = time.Hour
	db.groups.committed = committed
}

// AwaitLine returns once n callers wait for SQLite's writer.
func AwaitLine(db *DB, n int) {
	for db.line.Waiting() != n {
		runtime.Gosched()
	}
}

// GiveWayFor bounds how long a migration gives way to others.
func GiveWayFor(db *DB, d time.Duration) { db.giveWays = d }

// WritersLock is the lock that transactions hold against migrations on PostgreSQL.
const WritersLock = writersLock
