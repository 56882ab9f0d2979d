// Package replica chooses a PostgreSQL standby for a read request: one that answers, does not exceed the
// maximum lag, and has replayed the writes of the requesting account. It is independent of the schema.
package replica

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"vitrine/internal/reads"
)

const (
	// maxInterval is the maximum interval between queries of the positions of the primary and the
	// replicas. It is shorter if the maximum lag is small.
	maxInterval = time.Second
	// queryTimeout is the timeout of these queries. It also limits how long a request waits for a
	// replica that stopped responding.
	queryTimeout = 2 * time.Second
	// longestPause is the maximum time that a failed replica is not checked. The pause starts with the
	// regular interval and doubles.
	longestPause = 30 * time.Second
)

// Server is the connection to a replica, provided by the caller.
type Server struct {
	Name   string // for logs and metrics
	Handle *sql.DB
	Conns  *Conns
	Reset  func() // closes the pool's connections, so that new ones are made
	Close  func() error
	Check  func(ctx context.Context) error // checks other requirements, such as the schema; may be nil
}

// Options configure a Set.
type Options struct {
	Primary *sql.DB
	Servers []Server
	MaxLag  time.Duration // maximum lag of a replica that is used
	// Has is a query that returns whether a replica has the first $2 writes of account $1.
	Has string
	Log *slog.Logger
}

// Set is the set of replicas of a database.
type Set struct {
	o        Options
	interval time.Duration // interval of queries
	started  time.Time
	replicas []*Replica
	next     atomic.Uint32 // round robin for requests without an account
	marks    marks
	stop     context.CancelFunc
	done     sync.WaitGroup

	late, ownWrite atomic.Int64
}

// Replica is a monitored replica.
type Replica struct {
	Server
	set  *Set
	wake chan struct{} // a statement failed: check it immediately

	served, failed atomic.Int64

	mu     sync.Mutex
	usable bool      // it answered and passed the check
	fresh  time.Time // everything committed until then is on the replica
	logged string    // state in the last log message: included or excluded
}

// New starts monitoring replicas until Close. They may be unreachable.
func New(o Options) *Set {
	ctx, stop := context.WithCancel(context.Background())
	s := &Set{o: o, interval: min(maxInterval, o.MaxLag/4), started: time.Now(), stop: stop}
	for _, server := range o.Servers {
		s.replicas = append(s.replicas, &Replica{Server: server, set: s, wake: make(chan struct{}, 1)})
	}
	s.done.Go(func() { s.followPrimary(ctx) })
	for _, r := range s.replicas {
		s.done.Go(func() { r.follow(ctx) })
	}
	return s
}

// Close stops monitoring and closes the replicas.
func (s *Set) Close() error {
	s.stop()
	s.done.Wait()
	return Close(s.o.Servers)
}

// Close closes servers that do not belong to a set.
func Close(all []Server) error {
	var errs []error
	for _, s := range all {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// For returns the replica for a request, or nil for the primary.
func (s *Set) For(ctx context.Context, request *reads.Request) *Replica {
	if s == nil {
		return nil
	}
	r, _ := request.Place(func(a reads.Asks) any { return s.choose(ctx, a) }).(*Replica)
	return r
}

// choose finds a replica for a request. An account uses the same one as long as it is usable, so that
// the account never sees an older state than before.
func (s *Set) choose(ctx context.Context, a reads.Asks) *Replica {
	first := int(s.next.Add(1))
	if a.Account != 0 {
		first = int(a.Account % int64(len(s.replicas)))
	}
	for i := range s.replicas {
		r := s.replicas[(first+i)%len(s.replicas)]
		if _, ok := r.lag(); !ok {
			continue
		}
		has := a.Writes == 0
		if !has && !r.hasWrites(ctx, a, &has) {
			continue
		}
		if !has {
			s.ownWrite.Add(1)
			return nil // the others lag similarly, by a few milliseconds
		}
		r.served.Add(1)
		return r
	}
	s.late.Add(1)
	return nil
}

// hasWrites queries whether a replica has the writes of an account. It returns false if that fails.
func (r *Replica) hasWrites(ctx context.Context, a reads.Asks, has *bool) bool {
	err := r.Handle.QueryRowContext(ctx, r.set.o.Has, a.Account, a.Writes).Scan(has)
	if err != nil && ctx.Err() == nil {
		r.suspect(err)
	}
	return err == nil
}

// lag returns the maximum lag of the replica. ok is false if it must not be used.
func (r *Replica) lag() (lag time.Duration, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	lag = time.Since(r.fresh)
	return lag, r.usable && lag <= r.set.o.MaxLag
}

// Fail records that a statement of a request failed on the replica. From now on the request uses the
// primary, which returns the error again if the statement itself is wrong.
func (r *Replica) Fail(ctx context.Context, request *reads.Request, err error) {
	if err == nil || ctx.Err() != nil {
		return
	}
	request.Break()
	r.suspect(err)
}

// suspect stops the use of a replica until the next check, unless the error was only a conflict with
// replay.
func (r *Replica) suspect(err error) {
	r.failed.Add(1)
	if conflict(err) {
		return
	}
	r.mu.Lock()
	r.usable = false
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// conflict reports whether a statement was cancelled because it conflicted with replay.
func conflict(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pg.Code == "40001" || pg.Code == "40P01") && pg.Severity != "FATAL"
}

// follow checks the replica repeatedly until ctx is done.
func (r *Replica) follow(ctx context.Context) {
	pause := r.set.interval
	for {
		err := r.check(ctx)
		if ctx.Err() != nil {
			return
		}
		if pause = min(2*pause, longestPause); err == nil {
			pause = r.set.interval
		}
		r.logState(ctx, err)
		var wake chan struct{}
		if err == nil {
			wake = r.wake
		}
		select {
		case <-ctx.Done():
			return
		case <-wake:
		case <-time.After(pause):
		}
	}
}

// check checks the replica and updates its position.
func (r *Replica) check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	at, in, err := r.position(ctx)
	if err == nil && r.Check != nil {
		err = r.Check(ctx)
	}
	r.mu.Lock()
	r.usable = err == nil
	if when, ok := r.set.marks.reached(at, in); ok && r.usable {
		r.fresh = when
	}
	r.mu.Unlock()
	if err != nil { // current readers must not wait for it
		r.Conns.Cut()
		r.Reset()
	}
	return err
}

// position returns the replay position of the replica in bytes, and its cluster.
func (r *Replica) position(ctx context.Context) (at int64, in cluster, err error) {
	var standby bool
	err = r.Handle.QueryRowContext(ctx, `SELECT pg_is_in_recovery(), COALESCE(pg_last_wal_replay_lsn() - '0/0', 0)::bigint, system_identifier, current_database()
		FROM pg_control_system()`).Scan(&standby, &at, &in.system, &in.database)
	switch {
	case err != nil:
		return 0, in, err
	case !standby:
		return 0, in, errors.New("the server is not a standby")
	case r.set.marks.of() != in && r.set.marks.of() != cluster{}:
		return 0, in, errors.New("the server is a standby of a different database than --database-url")
	}
	return at, in, nil
}

// logState logs when a replica starts or stops being used.
func (r *Replica) logState(ctx context.Context, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil && time.Since(r.fresh) > r.set.o.MaxLag {
		if r.fresh.IsZero() && time.Since(r.set.started) < r.set.o.MaxLag {
			return // the first queries of the replica and the primary are still running
		}
		err = fmt.Errorf("it lags by more than %s", r.set.o.MaxLag)
	}
	was := r.logged
	r.logged = excluded
	if err == nil {
		r.logged = included
	}
	switch {
	case was == r.logged:
	case err != nil:
		r.set.o.Log.WarnContext(ctx, "database replica is excluded until it recovers", "replica", r.Name, "error", err)
	default:
		r.set.o.Log.InfoContext(ctx, "database replica is in use", "replica", r.Name)
	}
}

// States of a replica in log messages.
const (
	included = "included"
	excluded = "excluded"
)

// Stats are the metrics of a replica.
type Stats struct {
	Name           string
	Up             bool    // it is used
	Lag            float64 // upper limit in seconds; infinite if it has never answered
	Served, Failed int64   // requests that used it, and statements that failed on it
}

// Skipped counts requests that used the primary although they could have used a replica: because none
// was usable, or because none had the writes of the account.
type Skipped struct{ Late, OwnWrite int64 }

// unseen is a lower limit for the lag of a replica that has never answered.
const unseen = 100 * 365 * 24 * time.Hour

// Stats returns the metrics of all replicas.
func (s *Set) Stats() (all []Stats, skipped Skipped) {
	for _, r := range s.replicas {
		lag, up := r.lag()
		seconds := lag.Seconds()
		if lag > unseen {
			seconds = math.Inf(1)
		}
		all = append(all, Stats{r.Name, up, seconds, r.served.Load(), r.failed.Load()})
	}
	return all, Skipped{s.late.Load(), s.ownWrite.Load()}
}

// Conns tracks the connections to a replica, so that they can be closed if it stops responding.
type Conns struct {
	mu   sync.Mutex
	open map[net.Conn]struct{}
}

// Dial wraps a dial function to track its connections.
func (c *Conns) Dial(dial pgconn.DialFunc) pgconn.DialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.open == nil {
			c.open = map[net.Conn]struct{}{}
		}
		kept := &keptConn{Conn: conn, in: c}
		c.open[kept] = struct{}{}
		return kept, nil
	}
}

// Cut closes all connections.
func (c *Conns) Cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.open {
		_ = conn.(*keptConn).Conn.Close() // its user gets an error
	}
	clear(c.open)
}

type keptConn struct {
	net.Conn
	in *Conns
}

// Close implements net.Conn.
func (k *keptConn) Close() error {
	k.in.mu.Lock()
	delete(k.in.open, k)
	k.in.mu.Unlock()
	return k.Conn.Close()
}
