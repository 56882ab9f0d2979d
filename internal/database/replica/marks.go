package replica

import (
	"context"
	"slices"
	"sync"
	"time"
)

// marks are where the log of the primary was at which time. A replica that has replayed it up to
// a mark has all that was committed before the primary was asked: that is how its lag is
// known without comparing clocks, and without taking a primary that is idle for a replica that
// is late.
type marks struct {
	mu      sync.Mutex
	cluster cluster
	list    []mark // positions and times rise
}

type mark struct {
	at   int64 // bytes of the log
	when time.Time
}

// cluster is which data a server has: all standbys of a primary have the same.
type cluster struct {
	system   int64
	database string
}

// followPrimary asks the primary for its position again and again until ctx is done.
func (s *Set) followPrimary(ctx context.Context) {
	for ctx.Err() == nil {
		s.askPrimary(ctx)
		select {
		case <-ctx.Done():
		case <-time.After(s.every):
		}
	}
}

// askPrimary notes where the primary is. While it does not answer, nothing new is known, and
// replicas are read until they may lag too far.
func (s *Set) askPrimary(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	m, of := mark{when: time.Now()}, cluster{}
	// What is flushed, and not what is inserted: that can be ahead of the last record by the
	// header of a page, which a standby does not replay.
	err := s.o.Primary.QueryRowContext(ctx, `SELECT (pg_current_wal_flush_lsn() - '0/0')::bigint, system_identifier, current_database()
		FROM pg_control_system()`).Scan(&m.at, &of.system, &of.database)
	if err == nil {
		s.marks.add(m, of, s.o.MaxLag)
	}
}

// add notes a mark, and forgets what is of no use any more.
func (m *marks) add(next mark, of cluster, maxLag time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	last := len(m.list) - 1
	switch {
	case last >= 0 && next.at < m.list[last].at, of != m.cluster: // another server is the primary now
		m.list = nil
	case last >= 0 && next.at == m.list[last].at:
		m.list = m.list[:last]
	}
	m.cluster = of
	m.list = append(m.list, next)
	old := next.when.Add(-2 * maxLag)
	m.list = slices.DeleteFunc(m.list, func(m mark) bool { return m.when.Before(old) })
}

// reached gives the time up to which a replica of a cluster at a position has everything; ok is
// false where it is too long ago to be known, or the cluster is another than the primary's.
func (m *marks) reached(at int64, in cluster) (when time.Time, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if in != m.cluster { // the primary may have answered only since the replica was asked
		return when, false
	}
	for _, mark := range slices.Backward(m.list) {
		if mark.at <= at {
			return mark.when, true
		}
	}
	return when, false
}

// of is the cluster of the primary, the zero one while it has not answered.
func (m *marks) of() cluster {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.cluster
}
