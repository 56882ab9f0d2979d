package database

import (
	"context"
	"runtime"
	"strings"
	"time"
)

// LockMigrations acquires the lock of a migrating program.
func LockMigrations(db *DB, ctx context.Context) (unlock func(), err error) {
	return db.lockMigrations(ctx)
}

// WatchGroups disables the time limit of groups, and calls committed with the number of members after
// each commit.
func WatchGroups(db *DB, committed func(members int)) {
	db.groups.maxTime = time.Hour
	db.groups.committed = committed
}

// AwaitLine returns once n callers wait for SQLite's writer.
func AwaitLine(db *DB, n int) {
	for db.queue.Waiting() != n {
		runtime.Gosched()
	}
}

// AwaitNear returns once n callers of TransactNear wait for those with the same key.
func AwaitNear(db *DB, key uint64, n int) {
	for db.lines[key%uint64(len(db.lines))].Waiting() != n {
		runtime.Gosched()
	}
}

// SetLockRetryTime limits how long migrations retry to get their locks.
func SetLockRetryTime(db *DB, d time.Duration) { db.lockRetryTime = d }

// WritersLock is the lock that blocks migrations until a transaction commits, on PostgreSQL.
const WritersLock = writersLock

// NetworkDisk is networkDisk.
var NetworkDisk = networkDisk

// TreatAsNetworkDisk makes a folder and those in it look like network disks until the returned function is called.
func TreatAsNetworkDisk(folder string) (restore func()) {
	diskOf = func(path string) (string, error) {
		if strings.HasPrefix(path, folder) {
			return "NFS", nil
		}
		return networkDiskOf(path)
	}
	return func() { diskOf = networkDiskOf }
}
