package database

import (
	"context"
	"errors"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

func (db *DB) openPostgres(o Options) error {
	config, err := pgxpool.ParseConfig(o.URL)
	if err != nil {
		return err // names no password
	}
	if o.MaxConns > 0 {
		config.MaxConns = int32(o.MaxConns)
	} else if !strings.Contains(o.URL, "pool_max_conns") {
		config.MaxConns = int32(max(10, 4*runtime.GOMAXPROCS(0)))
	}
	config.MaxConns = max(2, config.MaxConns) // a migration takes two
	session(config.ConnConfig)
	if o.DirectURL != "" {
		if err := db.behindPooler(o, config.ConnConfig); err != nil {
			return err
		}
		config.BeforeConnect = cancelNothing
	}
	if db.pool, err = pgxpool.NewWithConfig(context.Background(), config); err != nil {
		return err
	}
	db.handle = stdlib.OpenDBFromPool(db.pool)
	db.close = sync.OnceValue(func() error {
		defer db.pool.Close()
		return db.handle.Close()
	})
	return nil
}

// session makes the settings of a connection ours, where the URL says nothing of them.
func session(c *pgx.ConnConfig) {
	if _, set := c.RuntimeParams["application_name"]; !set {
		c.RuntimeParams["application_name"] = "vitrine"
	}
	// Compiling a search took several times as long as running it.
	if _, set := c.RuntimeParams["jit"]; !set {
		c.RuntimeParams["jit"] = "off"
	}
	// A cancelled context cancels the statement on the server and keeps the
	// connection; only a server that does not answer loses it.
	c.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: c, DeadlineDelay: 2 * time.Second}
	}
}

// behindPooler has connections of the pool leave nothing in a session, which is another one
// in each transaction: no prepared statements, and no settings but those of the URL, which
// PgBouncer refuses if it does not know them. What statements are made of is remembered here.
func (db *DB) behindPooler(o Options, c *pgx.ConnConfig) error {
	direct, err := pgxpool.ParseConfig(o.DirectURL) // so that it may be the same URL but for the address
	if err != nil {
		return err
	}
	db.direct = direct.ConnConfig
	session(db.direct)
	if !strings.Contains(o.URL, "jit=") {
		delete(c.RuntimeParams, "jit")
	}
	if !strings.Contains(o.URL, "default_query_exec_mode") {
		c.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	return nil
}

// errNoCancel is what a connection behind a pooler gets that would cancel a statement.
var errNoCancel = errors.New("database: statements are not cancelled by way of a pooler")

// cancelNothing keeps a connection from asking the pooler to cancel its statement: whoever
// stops waiting closes the connection. PgBouncer 1.18 ends, with all its connections, when
// the statement is over before it has passed such a request on.
func cancelNothing(_ context.Context, c *pgx.ConnConfig) error {
	var connected atomic.Bool
	dial := c.DialFunc
	c.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if connected.Load() { // pgx dials once more to cancel
			return nil, errNoCancel
		}
		return dial(ctx, network, addr)
	}
	c.AfterConnect = func(context.Context, *pgconn.PgConn) error {
		connected.Store(true)
		return nil
	}
	c.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.DeadlineContextWatcherHandler{Conn: c.Conn()}
	}
	return nil
}
