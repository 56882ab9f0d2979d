package postgres

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

// errFormerPrimary reports that a server accepts writes, although another server has been promoted in its
// place, so the writes would be lost.
var errFormerPrimary = errors.New("the server is a former primary: another server has been promoted since")

// timeline queries the timeline of a primary, which each promotion increases by one.
const timeline = `SELECT CASE WHEN pg_is_in_recovery() THEN '' ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END`

// Newest restricts the connections to several servers to the one that was promoted last. A former
// primary that was unreachable while another server was promoted still accepts writes when it is
// reachable again, or all the time for some clients. Newest checks all servers and closes the connections
// to servers with an older timeline.
type Newest struct {
	servers []*pgx.ConnConfig // one server each
	stop    context.CancelFunc
	checks  sync.WaitGroup

	mu     sync.Mutex
	newest uint64
	conns  map[*pgconn.PgConn]held
}

type held struct {
	at   uint64 // timeline of the server
	conn net.Conn
}

// Guard restricts the connections of a configuration to the server that was promoted last, if the
// configuration names several servers and requires one that accepts writes. It checks the servers once,
// and then repeatedly until Close. For other configurations it returns nil, which can also be closed.
func Guard(ctx context.Context, config *pgx.ConnConfig) *Newest {
	servers := servers(config)
	if len(servers) < 2 || config.ValidateConnect == nil {
		return nil
	}
	n := &Newest{servers: servers, conns: map[*pgconn.PgConn]held{}}
	validate := config.ValidateConnect
	config.ValidateConnect = func(ctx context.Context, c *pgconn.PgConn) error {
		if err := validate(ctx, c); err != nil {
			return err
		}
		return n.admit(ctx, c)
	}
	conns := make([]*pgx.Conn, len(servers))
	n.check(ctx, conns)
	ctx, n.stop = context.WithCancel(context.WithoutCancel(ctx))
	n.checks.Go(func() {
		for each := time.NewTicker(silenceTimeout); ; {
			select {
			case <-ctx.Done():
				each.Stop()
				for _, c := range conns {
					if c != nil {
						_ = c.PgConn().Conn().Close() // it is idle
					}
				}
				return
			case <-each.C:
				n.check(ctx, conns)
			}
		}
	})
	return n
}

// Close stops the checks.
func (n *Newest) Close() {
	if n != nil {
		n.stop()
		n.checks.Wait()
	}
}

// servers returns a separate configuration for each server that config names.
func servers(config *pgx.ConnConfig) (all []*pgx.ConnConfig) {
	at := func(host string, port uint16) string { return net.JoinHostPort(host, strconv.Itoa(int(port))) }
	one := map[string]*pgx.ConnConfig{}
	for _, f := range append([]*pgconn.FallbackConfig{{Host: config.Host, Port: config.Port, TLSConfig: config.TLSConfig}}, config.Fallbacks...) {
		if c := one[at(f.Host, f.Port)]; c != nil { // the same server with or without TLS
			c.Fallbacks = append(c.Fallbacks, f)
			continue
		}
		c := config.Copy()
		c.Host, c.Port, c.TLSConfig, c.Fallbacks, c.ValidateConnect = f.Host, f.Port, f.TLSConfig, nil, nil
		c.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
			return &pgconn.DeadlineContextWatcherHandler{Conn: c.Conn()} // an unresponsive server would not process a cancel request
		}
		one[at(f.Host, f.Port)] = c
		all = append(all, c)
	}
	return all
}

// check queries the timelines of all servers. Servers that do not answer are queried again next time.
func (n *Newest) check(ctx context.Context, conns []*pgx.Conn) {
	ctx, cancel := context.WithTimeout(ctx, silenceTimeout)
	defer cancel()
	var queries sync.WaitGroup
	for i, config := range n.servers {
		queries.Go(func() {
			if conns[i] == nil || conns[i].IsClosed() {
				var err error
				if conns[i], err = pgx.ConnectConfig(ctx, config); err != nil {
					conns[i] = nil
					return
				}
			}
			if at, err := timelineOf(ctx, conns[i].PgConn()); err == nil {
				n.record(at)
			}
		})
	}
	queries.Wait()
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

// timelineOf returns the timeline of a server, or 0 if it does not accept writes.
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

// record stores a timeline if it is newer, and closes connections to servers with older ones.
func (n *Newest) record(at uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if at <= n.newest {
		return
	}
	n.newest = at
	for c, h := range n.conns {
		if h.at < at {
			_ = h.conn.Close() // its user gets an error
			delete(n.conns, c)
		}
	}
}

// admit registers a new connection, or fails if its server has an older timeline.
func (n *Newest) admit(ctx context.Context, c *pgconn.PgConn) error {
	at, err := timelineOf(ctx, c)
	if _, other := errors.AsType[*pgconn.PgError](err); other {
		return nil // the server does not support timelines
	}
	if err != nil || at == 0 {
		return err
	}
	n.record(at)
	n.mu.Lock()
	defer n.mu.Unlock()
	if at < n.newest {
		return errFormerPrimary
	}
	n.conns[c] = held{at, c.Conn()}
	return nil
}
