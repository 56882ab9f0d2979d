package replica

import (
	"context"
	"slices"
	"sync"
	"time"
)

// marks record the log position of the primary over time. Once a replica has replayed the log up to
// a mark, it contains everything that was committed before the primary was queried. This determines
// its lag without comparing clocks, and an idle primary does not make a replica late.
type marks struct {
	mu      sync.Mutex
	cluster cluster
	list    []mark // positions and times are ascending
}

type mark struct {
	at   int64 // log position in bytes
	when time.Time
}

// cluster identifies the data of a server. A primary and all of its standbys have the same values.
type cluster struct {
	system   int64
	database string
}

// followPrimary queries the position of the primary repeatedly until ctx is done.
func (s *Set) followPrimary(ctx context.Context) {
	for ctx.Err() == nil {
		s.queryPrimary(ctx)
		select {
		case <-ctx.Done():
		case <-time.After(s.interval):
		}
	}
}

// queryPrimary records the position of the primary. While the primary does not answer, replicas are used
// until they exceed the maximum lag.
func (s *Set) queryPrimary(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	m, of := mark{when: time.Now()}, cluster{}
	// It uses the flush position, because the insert position can be ahead of the last record by a page
	// header, which a standby does not replay.
	err := s.o.Primary.QueryRowContext(ctx, `SELECT (pg_current_wal_flush_lsn() - '0/0')::bigint, system_identifier, current_database()
		FROM pg_control_system()`).Scan(&m.at, &of.system, &of.database)
	if err == nil {
		s.marks.add(m, of, s.o.MaxLag)
	}
}

// add records a mark and drops marks that are no longer needed.
func (m *marks) add(next mark, of cluster, maxLag time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	last := len(m.list) - 1
	switch {
	case last >= 0 && next.at < m.list[last].at, of != m.cluster: // the primary is now another server
		m.list = nil
	case last >= 0 && next.at == m.list[last].at:
		m.list = m.list[:last]
	}
	m.cluster = of
	m.list = append(m.list, next)
	old := next.when.Add(-2 * maxLag)
	m.list = slices.DeleteFunc(m.list, func(m mark) bool { return m.when.Before(old) })
}

// reached returns the time up to which a replica at a position has everything. ok is false if that is
// too long ago to be recorded, or if the replica belongs to a different cluster than the primary.
func (m *marks) reached(at int64, in cluster) (when time.Time, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if in != m.cluster { // the primary may have answered only after the replica was queried
		return when, false
	}
	for _, mark := range slices.Backward(m.list) {
		if mark.at <= at {
			return mark.when, true
		}
	}
	return when, false
}

// of returns the cluster of the primary, which is zero until the primary has answered.
func (m *marks) of() cluster {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.cluster
}
