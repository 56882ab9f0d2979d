package database

import "time"

// PoolStats describes a connection pool since the database was opened.
type PoolStats struct {
	Name       string // "all" on PostgreSQL; "read" or "write" on SQLite
	InUse, Max int64
	Waits      int64 // number of times a caller waited for a connection
	Waited     time.Duration
}

// Stats returns the statistics of all pools. For SQLite's writer, it counts waits for a turn in a group.
func (db *DB) Stats() []PoolStats {
	if db.dialect == Postgres {
		p := db.pool.Stat()
		return []PoolStats{{"all", int64(p.AcquiredConns()), int64(p.MaxConns()), p.EmptyAcquireCount(), p.EmptyAcquireWaitTime()}}
	}
	views, viewed := db.viewing.Total()
	reads, read := db.readers.Waits()
	writes, wrote := db.queue.Waits().Total()
	return []PoolStats{
		{"read", int64(db.readers.InUse()), int64(db.readers.Size()), views + reads, viewed + read},
		{"write", int64(db.writer.InUse()), int64(db.writer.Size()), writes, wrote},
	}
}
