package postgres

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

// ErrOtherServer reports that the pooler and the direct address do not lead to the same database.
var ErrOtherServer = errors.New("the pooler and the direct address lead to different databases, schemas or servers")

// SuitPooler configures a pool to keep no state in sessions: no prepared statements and no settings except
// those of the URL, because PgBouncer rejects connections with unknown settings. Statement descriptions
// are cached in this process.
func SuitPooler(pool *pgxpool.Config, url string) {
	c := pool.ConnConfig
	if !strings.Contains(url, "jit=") {
		delete(c.RuntimeParams, "jit")
	}
	if !strings.Contains(url, "default_query_exec_mode") {
		c.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	if !strings.Contains(url, "application_name") {
		c.RuntimeParams["application_name"] = "vitrine pooled" // without a version, because sessions outlive programs
	}
	pool.BeforeConnect = cancelNothing
}

// errNoCancel is returned for attempts to cancel a statement through a pooler.
var errNoCancel = errors.New("pooler: statements are not cancelled through a pooler")

// cancelNothing prevents cancel requests to the pooler: a connection is closed instead when its context
// ends. PgBouncer 1.18 crashes, with all connections, if a statement ends before PgBouncer has
// forwarded the cancel request.
func cancelNothing(_ context.Context, c *pgx.ConnConfig) error {
	var connected atomic.Bool
	dial := c.DialFunc
	c.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if connected.Load() { // pgx dials again to send a cancel request
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

// RefusedByPooler reports whether a pooler rejected a startup parameter that a server would accept.
func RefusedByPooler(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == "08P01" && strings.HasPrefix(pg.Message, "unsupported startup parameter")
}

// Querier is a connection or a pool.
type Querier interface {
	QueryRow(ctx context.Context, query string, args ...any) pgx.Row
}

// SameServer returns ErrOtherServer unless both addresses lead to the same database. Locks and migrations on one
// must be visible on the other.
func SameServer(ctx context.Context, pool Querier, direct *pgx.ConnConfig) error {
	const where = `SELECT concat_ws(' ', current_database(), current_schema(), extract(epoch FROM pg_postmaster_start_time()))`
	var pooled, straight string
	if err := pool.QueryRow(ctx, where).Scan(&pooled); err != nil {
		return err
	}
	conn, err := pgx.ConnectConfig(ctx, direct)
	if err != nil {
		return fmt.Errorf("direct address: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if err := conn.QueryRow(ctx, where).Scan(&straight); err != nil {
		return fmt.Errorf("direct address: %w", err)
	}
	if pooled != straight {
		return fmt.Errorf("%w: %s, %s", ErrOtherServer, pooled, straight)
	}
	return nil
}
