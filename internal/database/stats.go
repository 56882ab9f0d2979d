package database

import "time"

// PoolStats is what is known of connections, since the database was opened.
type PoolStats struct {
	Name       string // all on PostgreSQL; read or write on SQLite
	InUse, Max int64
	Waits      int64 // how often somebody waited for one
	Waited     time.Duration
}

// Stats gives the pools. Who waits on SQLite to write waits for a turn in a group.
func (db *DB) Stats() []PoolStats {
	if db.dialect == Postgres {
		p := db.pool.Stat()
		return []PoolStats{{"all", int64(p.AcquiredConns()), int64(p.MaxConns()), p.EmptyAcquireCount(), p.EmptyAcquireWaitTime()}}
	}
	views, viewed := db.viewing.Total()
	reads, read := db.readers.Waits()
	writes, wrote := db.line.Waits().Total()
	return []PoolStats{
		{"read", int64(db.readers.InUse()), int64(db.readers.Size()), views + reads, viewed + read},
		{"write", int64(db.writer.InUse()), int64(db.writer.Size()), writes, wrote},
	}
}
