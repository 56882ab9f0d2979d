package server

import (
	"cmp"
	"context"
	"os"
	"time"

	"vitrine/internal/blob"
	"vitrine/internal/database"
	"vitrine/internal/obs"
)

// unknown is what is not measured here.
const unknown = -1

// seen is what the metrics say of what the server stands on; what cannot be found out now is
// left out.
func (s *Server) seen(ctx context.Context, freeSpace func(folder string) (blob.Space, bool, error)) obs.Site {
	site := obs.Site{Pools: []obs.Pool{s.pool()}, DiskFree: unknown, DiskSize: unknown, Database: unknown, WAL: unknown}
	if due, err := s.Store.Queue().OldestDue(ctx); err == nil {
		site.Due = make(map[string]time.Duration, len(due))
		for class, waits := range due {
			site.Due[string(class)] = waits
		}
	}
	if space, known, err := freeSpace(s.cfg.DataDir); err == nil && known {
		site.DiskFree, site.DiskSize = space.Free, space.Total
	}
	if path := s.db.Path(); path != "" {
		site.Database, site.WAL = sizeOf(path), sizeOf(path+"-wal")
	}
	if s.certs != nil {
		site.Certificates = s.certs.Expiries()
	}
	return site
}

// pool is that of PostgreSQL, or the one connection that writes to SQLite.
func (s *Server) pool() obs.Pool {
	if s.db.Dialect() == database.Postgres {
		p := s.db.Pool().Stat()
		return obs.Pool{Name: "all", InUse: int64(p.AcquiredConns()), Max: int64(p.MaxConns()),
			Waits: p.EmptyAcquireCount(), Waited: p.EmptyAcquireWaitTime()}
	}
	p := s.db.SQL().Stats()
	return obs.Pool{Name: "write", InUse: int64(p.InUse), Max: int64(cmp.Or(p.MaxOpenConnections, 1)), Waits: p.WaitCount, Waited: p.WaitDuration}
}

// sizeOf is the size of a file, 0 where there is none.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
