// Package replica finds a standby of PostgreSQL at which a request may read: one that answers,
// lags by no more than is allowed, and has what the one who asks has written. It knows no
// schema.
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
	// slowestLook is how often the primary and the replicas are asked where they are; more often
	// where little lag is allowed.
	slowestLook = time.Second
	// patience is how long either has to answer. In the end that is how long a request waits for
	// a replica that has fallen silent.
	patience = 2 * time.Second
	// longestPause is for how long a replica that fails is left alone; it begins with the
	// interval of looks, and doubles.
	longestPause = 30 * time.Second
)

// Server is a replica as its opener knows it.
type Server struct {
	Name   string // for logs and metrics
	Handle *sql.DB
	Conns  *Conns
	Reset  func() // has new connections made
	Close  func() error
	Check  func(ctx context.Context) error // of what else it must be, such as its schema; nil for nothing
}

// Options are what a set is made of.
type Options struct {
	Primary *sql.DB
	Servers []Server
	MaxLag  time.Duration // how far behind the primary a replica is read
	// Has asks a replica whether it has so many writes ($2) of an account ($1).
	Has string
	Log *slog.Logger
}

// Set is the replicas of a database.
type Set struct {
	o        Options
	every    time.Duration // between two looks
	began    time.Time
	replicas []*Replica
	turn     atomic.Uint32 // of guests
	marks    marks
	stop     context.CancelFunc
	done     sync.WaitGroup

	late, ownWrite atomic.Int64
}

// Replica is one of them.
type Replica struct {
	Server
	set  *Set
	wake chan struct{} // it has failed somebody: look at once

	served, failed atomic.Int64

	mu     sync.Mutex
	usable bool      // it answers, and is what it is said to be
	fresh  time.Time // it has all that was committed until then
	told   string    // read or left
}

// New looks after replicas until Close. They may be away.
func New(o Options) *Set {
	ctx, stop := context.WithCancel(context.Background())
	s := &Set{o: o, every: min(slowestLook, o.MaxLag/4), began: time.Now(), stop: stop}
	for _, server := range o.Servers {
		s.replicas = append(s.replicas, &Replica{Server: server, set: s, wake: make(chan struct{}, 1)})
	}
	s.done.Go(func() { s.followPrimary(ctx) })
	for _, r := range s.replicas {
		s.done.Go(func() { r.follow(ctx) })
	}
	return s
}

// Close ends looking after them, and closes them.
func (s *Set) Close() error {
	s.stop()
	s.done.Wait()
	return Close(s.o.Servers)
}

// Close closes servers of which no set was made.
func Close(all []Server) error {
	var errs []error
	for _, s := range all {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// For gives the replica at which the request of a context reads, nil for the primary.
func (s *Set) For(ctx context.Context) *Replica {
	if s == nil {
		return nil
	}
	r, _ := reads.From(ctx).Place(func(a reads.Asks) any { return s.choose(ctx, a) }).(*Replica)
	return r
}

// choose finds a replica for who asks. An account is sent to the same one as long as it can be
// used, so that it sees no older state there than before.
func (s *Set) choose(ctx context.Context, a reads.Asks) *Replica {
	first := int(s.turn.Add(1))
	if a.Account != 0 {
		first = int(a.Account % int64(len(s.replicas)))
	}
	for i := range s.replicas {
		r := s.replicas[(first+i)%len(s.replicas)]
		if _, ok := r.lag(); !ok {
			continue
		}
		has := a.Writes == 0
		if !has && !r.ask(ctx, a, &has) {
			continue
		}
		if !has {
			s.ownWrite.Add(1)
			return nil // others lag alike: it is a matter of milliseconds
		}
		r.served.Add(1)
		return r
	}
	s.late.Add(1)
	return nil
}

// ask asks whether a replica has what an account wrote; it is false where it does not answer.
func (r *Replica) ask(ctx context.Context, a reads.Asks, has *bool) bool {
	err := r.Handle.QueryRowContext(ctx, r.set.o.Has, a.Account, a.Writes).Scan(has)
	if err != nil && ctx.Err() == nil {
		r.suspect(err)
	}
	return err == nil
}

// lag is how far the replica is behind, at most; ok is false where it is not to be read.
func (r *Replica) lag() (lag time.Duration, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	lag = time.Since(r.fresh)
	return lag, r.usable && lag <= r.set.o.MaxLag
}

// Fail says that a statement of a request has failed at the replica: the request reads at the
// primary from now on, which repeats what is wrong with the statement itself.
func (r *Replica) Fail(ctx context.Context, err error) {
	if err == nil || ctx.Err() != nil {
		return
	}
	reads.From(ctx).Break()
	r.suspect(err)
}

// suspect has nobody read at a replica until it has been looked at again, unless its statement
// only stood in the way of what it replays.
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

// conflict reports whether a statement was cancelled for what a standby replays.
func conflict(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pg.Code == "40001" || pg.Code == "40P01") && pg.Severity != "FATAL"
}

// follow looks at the replica again and again until ctx is done.
func (r *Replica) follow(ctx context.Context) {
	pause := r.set.every
	for {
		err := r.look(ctx)
		if ctx.Err() != nil {
			return
		}
		if pause = min(2*pause, longestPause); err == nil {
			pause = r.set.every
		}
		r.tell(ctx, err)
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

// look asks the replica where it is.
func (r *Replica) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
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
	if err != nil { // who reads there is not kept waiting
		r.Conns.Cut()
		r.Reset()
	}
	return err
}

// position is how far the replica has replayed the log of the primary, in bytes, and of which cluster.
func (r *Replica) position(ctx context.Context) (at int64, in cluster, err error) {
	var standby bool
	err = r.Handle.QueryRowContext(ctx, `SELECT pg_is_in_recovery(), COALESCE(pg_last_wal_replay_lsn() - '0/0', 0)::bigint, system_identifier, current_database()
		FROM pg_control_system()`).Scan(&standby, &at, &in.system, &in.database)
	switch {
	case err != nil:
		return 0, in, err
	case !standby:
		return 0, in, errors.New("it is no standby")
	case r.set.marks.of() != in && r.set.marks.of() != cluster{}:
		return 0, in, errors.New("it is a standby of another database than --database-url")
	}
	return at, in, nil
}

// tell says in the log when a replica begins to be read, and when it is left out.
func (r *Replica) tell(ctx context.Context, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil && time.Since(r.fresh) > r.set.o.MaxLag {
		if r.fresh.IsZero() && time.Since(r.set.began) < r.set.o.MaxLag {
			return // the first looks at it and at the primary are not over
		}
		err = fmt.Errorf("it is further behind than %s", r.set.o.MaxLag)
	}
	was := r.told
	r.told = left
	if err == nil {
		r.told = read
	}
	switch {
	case was == r.told:
	case err != nil:
		r.set.o.Log.WarnContext(ctx, "a replica of the database is left out until it has recovered", "replica", r.Name, "error", err)
	default:
		r.set.o.Log.InfoContext(ctx, "a replica of the database is read", "replica", r.Name)
	}
}

// What the log has said last of a replica.
const (
	read = "read"
	left = "left out"
)

// Stats are what is measured of a replica.
type Stats struct {
	Name           string
	Up             bool    // it is read
	Lag            float64 // seconds, at most; infinite of one that has not been seen yet
	Served, Failed int64   // requests that read there, and statements that failed
}

// Skipped are requests that would have read at a replica and read at the primary: since none
// could be read, and since none had what their account wrote.
type Skipped struct{ Late, OwnWrite int64 }

// unseen is a lag that only a replica has which was never seen.
const unseen = 100 * 365 * 24 * time.Hour

// Stats gives what is measured.
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

// Conns are the connections to a replica, so that those which fell silent can be ended.
type Conns struct {
	mu   sync.Mutex
	open map[net.Conn]struct{}
}

// Dial keeps what a function dials.
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

// Cut closes them all.
func (c *Conns) Cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.open {
		_ = conn.(*keptConn).Conn.Close() // whoever uses it gets the error
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
