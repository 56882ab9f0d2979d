// Package pooler suits connections of PostgreSQL to a pooler in transaction mode, such as
// PgBouncer, which lends a client another session of the server for each transaction.
package pooler

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrElsewhere says that a pooler leads to another database than the direct address.
var ErrElsewhere = errors.New("the pooler and the direct address lead to different databases, schemas or servers")

// Suit has connections of a pool with this URL leave nothing in a session: no prepared
// statements, and no settings but those of the URL, since PgBouncer refuses a connection
// that brings one which it does not know. What statements are made of is remembered here.
func Suit(pool *pgxpool.Config, url string) {
	c := pool.ConnConfig
	if !strings.Contains(url, "jit=") {
		delete(c.RuntimeParams, "jit")
	}
	if !strings.Contains(url, "default_query_exec_mode") {
		c.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	if !strings.Contains(url, "application_name") {
		c.RuntimeParams["application_name"] = "vitrine pooled" // of no program: the session outlives it
	}
	pool.BeforeConnect = cancelNothing
}

// errNoCancel is what a connection behind a pooler gets that would cancel a statement.
var errNoCancel = errors.New("pooler: statements are not cancelled by way of a pooler")

// cancelNothing keeps a connection from asking the pooler to cancel its statement: whoever
// stops waiting closes the connection. PgBouncer 1.18 crashes, and takes all connections
// with it, if the statement ends before it has passed such a request on.
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

// Refused reports whether an error is a pooler's refusal of a setting that a connection
// brings, which servers take.
func Refused(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == "08P01" && strings.HasPrefix(pg.Message, "unsupported startup parameter")
}

// Same returns ErrElsewhere unless both addresses lead to one database: what is locked or
// migrated through the one must be seen through the other.
func Same(ctx context.Context, pool *pgxpool.Pool, direct *pgx.ConnConfig) error {
	const where = `SELECT concat_ws(' ', current_database(), current_schema(), extract(epoch FROM pg_postmaster_start_time()))`
	var pooled, straight string
	if err := pool.QueryRow(ctx, where).Scan(&pooled); err != nil {
		return err
	}
	conn, err := pgx.ConnectConfig(ctx, direct)
	if err != nil {
		return fmt.Errorf("by the direct address: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if err := conn.QueryRow(ctx, where).Scan(&straight); err != nil {
		return fmt.Errorf("by the direct address: %w", err)
	}
	if pooled != straight {
		return fmt.Errorf("%w: %s, %s", ErrElsewhere, pooled, straight)
	}
	return nil
}
