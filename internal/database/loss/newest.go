package loss

import (
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
)

// ErrFormer says that a server takes writes, but another one has been promoted in its place, so
// that what it is told is lost.
var ErrFormer = errors.New("it was the primary, and another server has been promoted since")

// timeline asks a server that takes writes for the number that each promotion raises by one.
const timeline = `SELECT CASE WHEN pg_is_in_recovery() THEN '' ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END`

// Newest keeps connections to several servers, of which those that take writes are wanted, to the one that was
// promoted last. A primary that was cut off while another server was promoted takes writes still when it is
// in reach again, or was so all the time for some. It looks at all servers, and ends the connections to one whose
// timeline is older.
type Newest struct {
	servers []*pgx.ConnConfig // each alone
	stop    context.CancelFunc
	looking sync.WaitGroup

	mu     sync.Mutex
	newest uint64
	conns  map[*pgconn.PgConn]held
}

type held struct {
	at   uint64   // the timeline
	conn net.Conn // of it
}

// Guard has connections of a configuration kept to the server that was promoted last, where it names several
// and wants one that takes writes, and looks at them once. Until Close it looks again and again. It gives nil, of which Close
// does nothing, for other configurations.
func Guard(ctx context.Context, config *pgx.ConnConfig) *Newest {
	servers := servers(config)
	if len(servers) < 2 || config.ValidateConnect == nil {
		return nil
	}
	n := &Newest{servers: servers, conns: map[*pgconn.PgConn]held{}}
	suits := config.ValidateConnect
	config.ValidateConnect = func(ctx context.Context, c *pgconn.PgConn) error {
		if err := suits(ctx, c); err != nil {
			return err
		}
		return n.admit(ctx, c)
	}
	conns := make([]*pgx.Conn, len(servers))
	n.look(ctx, conns)
	ctx, n.stop = context.WithCancel(context.WithoutCancel(ctx))
	n.looking.Go(func() {
		for each := time.NewTicker(patience); ; {
			select {
			case <-ctx.Done():
				each.Stop()
				for _, c := range conns {
					if c != nil {
						_ = c.PgConn().Conn().Close() // nothing is under way
					}
				}
				return
			case <-each.C:
				n.look(ctx, conns)
			}
		}
	})
	return n
}

// Close ends the looks.
func (n *Newest) Close() {
	if n != nil {
		n.stop()
		n.looking.Wait()
	}
}

// servers gives a configuration for each of the servers that one names.
func servers(config *pgx.ConnConfig) (all []*pgx.ConnConfig) {
	at := func(host string, port uint16) string { return net.JoinHostPort(host, strconv.Itoa(int(port))) }
	one := map[string]*pgx.ConnConfig{}
	for _, f := range append([]*pgconn.FallbackConfig{{Host: config.Host, Port: config.Port, TLSConfig: config.TLSConfig}}, config.Fallbacks...) {
		if c := one[at(f.Host, f.Port)]; c != nil { // without TLS, or with it
			c.Fallbacks = append(c.Fallbacks, f)
			continue
		}
		c := config.Copy()
		c.Host, c.Port, c.TLSConfig, c.Fallbacks, c.ValidateConnect = f.Host, f.Port, f.TLSConfig, nil, nil
		c.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
			return &pgconn.DeadlineContextWatcherHandler{Conn: c.Conn()} // a server that does not answer cannot cancel
		}
		one[at(f.Host, f.Port)] = c
		all = append(all, c)
	}
	return all
}

// look asks all servers for their timeline. Those that do not answer are asked the next time.
func (n *Newest) look(ctx context.Context, conns []*pgx.Conn) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var asking sync.WaitGroup
	for i, config := range n.servers {
		asking.Go(func() {
			if conns[i] == nil || conns[i].IsClosed() {
				var err error
				if conns[i], err = pgx.ConnectConfig(ctx, config); err != nil {
					conns[i] = nil
					return
				}
			}
			if at, err := timelineOf(ctx, conns[i].PgConn()); err == nil {
				n.know(at)
			}
		})
	}
	asking.Wait()
	n.mu.Lock()
	defer n.mu.Unlock()
	for c := range n.conns {
		select {
		case <-c.CleanupDone():
			delete(n.conns, c)
		default:
		}
	}
}

// timelineOf gives 0 for a server that takes no writes.
func timelineOf(ctx context.Context, c *pgconn.PgConn) (uint64, error) {
	results, err := c.Exec(ctx, timeline).ReadAll()
	if err != nil || len(results) == 0 || len(results[0].Rows) == 0 {
		return 0, err
	}
	digits := strings.TrimSpace(string(results[0].Rows[0][0]))
	if digits == "" {
		return 0, nil
	}
	return strconv.ParseUint(digits, 16, 32)
}

// know takes a timeline, and ends connections to servers of older ones.
func (n *Newest) know(at uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if at <= n.newest {
		return
	}
	n.newest = at
	for c, h := range n.conns {
		if h.at < at {
			_ = h.conn.Close() // whoever uses it is told that it has ended
			delete(n.conns, c)
		}
	}
}

// admit takes a new connection, unless it is to a server of an older timeline.
func (n *Newest) admit(ctx context.Context, c *pgconn.PgConn) error {
	at, err := timelineOf(ctx, c)
	if _, other := errors.AsType[*pgconn.PgError](err); other {
		return nil // it has no timelines to tell of
	}
	if err != nil || at == 0 {
		return err
	}
	n.know(at)
	n.mu.Lock()
	defer n.mu.Unlock()
	if at < n.newest {
		return ErrFormer
	}
	n.conns[c] = held{at, c.Conn()}
	return nil
}
