package server

import (
	"context"
	"os"
	"time"

	"vitrine/internal/blob"
	"vitrine/internal/obs"
)

// unknown marks values that are not measured.
const unknown = -1

// siteMetrics returns the measurements of the database, the disk and the certificates. It omits
// values that cannot be determined now.
func (s *Server) siteMetrics(ctx context.Context, freeSpace func(folder string) (blob.Space, bool, error)) obs.Site {
	site := obs.Site{Pools: s.pools(), DiskFree: unknown, DiskSize: unknown, Database: unknown, WAL: unknown, Changes: unknown,
		Unserved: s.db.Fit(ctx) != nil, ReadOnly: s.Store.ReadOnly() != nil}
	if due, err := s.Store.Queue().OldestDue(ctx); err == nil {
		site.Due = make(map[string]time.Duration, len(due))
		for class, waits := range due {
			site.Due[string(class)] = waits
		}
	}
	site.Streams = s.App.Changes.Waiting()
	if lag, err := s.App.Changes.Lag(ctx); err == nil {
		site.Changes = lag
	}
	if left, err := s.Store.Backfills().Backfills(ctx); err == nil {
		site.Backfills = make(map[string]int64, len(left))
		for _, b := range left {
			site.Backfills[b.Kind] = b.Rows
		}
	}
	if s.cfg.Embeddings.URL != "" {
		if waiting, failures, err := s.App.Finder.VectorsWaiting(ctx); err == nil {
			site.Vectors = &obs.Vectors{Waiting: waiting, Failures: failures}
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

// pools returns the measurements of the database's connection pools.
func (s *Server) pools() []obs.Pool {
	all := s.db.Stats()
	pools := make([]obs.Pool, len(all))
	for i, p := range all {
		pools[i] = obs.Pool(p)
	}
	return pools
}

// sizeOf returns the size of a file, or 0 if it does not exist.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
