package database

import (
	"cmp"
	"context"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"vitrine/internal/database/postgres"
)

func (db *DB) openPostgres(ctx context.Context, o Options) error {
	config, err := postgres.ParseURL(o.URL)
	if err != nil {
		return err // contains no password
	}
	if o.MaxConns > 0 {
		config.MaxConns = int32(o.MaxConns)
	} else if !strings.Contains(o.URL, "pool_max_conns") {
		config.MaxConns = int32(max(10, 4*runtime.GOMAXPROCS(0)))
	}
	config.MaxConns = max(2, config.MaxConns) // a migration needs two
	session(config.ConnConfig, o.Program)
	if o.DirectURL != "" {
		direct, err := postgres.ParseURL(o.DirectURL) // takes the same options as URL, such as pool_max_conns
		if err != nil {
			return err
		}
		db.direct = direct.ConnConfig
		session(db.direct, o.Program)
		postgres.SuitPooler(config, o.URL)
	}
	newest := postgres.Guard(ctx, cmp.Or(db.direct, config.ConnConfig)) // choosing the pooler's server is the operator's task
	if o.dial != nil {
		config.ConnConfig.DialFunc = o.dial(config.ConnConfig.DialFunc)
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		newest.Close()
		return err
	}
	db.pool, db.handle = pool, stdlib.OpenDBFromPool(pool)
	db.lines = make([]turns[group], max(2, config.MaxConns/2)) // they leave connections for everything else
	db.groups = groups{maxMembers: sharedMembers, maxTime: sharedTime}
	db.close = sync.OnceValue(func() error {
		defer newest.Close()
		defer pool.Close()
		return db.handle.Close()
	})
	return nil
}

// requireVersion fails if the server is too old. It sends no statement, because servers tell their version when
// a connection begins.
func (db *DB) requireVersion(ctx context.Context) error {
	conn, err := Pool(db).Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	return checkVersion(conn.Conn().PgConn().ParameterStatus("server_version"))
}

// session applies our settings to a connection, unless the URL sets them.
func session(c *pgx.ConnConfig, program string) {
	if _, set := c.RuntimeParams["application_name"]; !set {
		c.RuntimeParams["application_name"] = cmp.Or(program, programName)
	}
	// Compiling a search query took several times as long as running it.
	if _, set := c.RuntimeParams["jit"]; !set {
		c.RuntimeParams["jit"] = "off"
	}
	// Cancelling a context cancels the statement on the server and keeps the connection. The
	// connection is closed only if the server does not answer.
	c.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: c, DeadlineDelay: 2 * time.Second}
	}
}
