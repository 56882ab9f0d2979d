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

	"vitrine/internal/database/loss"
	"vitrine/internal/database/pooler"
)

func (db *DB) openPostgres(ctx context.Context, o Options) error {
	config, err := loss.Parse(o.URL)
	if err != nil {
		return err // names no password
	}
	if o.MaxConns > 0 {
		config.MaxConns = int32(o.MaxConns)
	} else if !strings.Contains(o.URL, "pool_max_conns") {
		config.MaxConns = int32(max(10, 4*runtime.GOMAXPROCS(0)))
	}
	config.MaxConns = max(2, config.MaxConns) // a migration takes two
	session(config.ConnConfig, o.Program)
	if o.DirectURL != "" {
		direct, err := loss.Parse(o.DirectURL) // so that it may be the same URL but for the address
		if err != nil {
			return err
		}
		db.direct = direct.ConnConfig
		session(db.direct, o.Program)
		pooler.Suit(config, o.URL)
	}
	newest := loss.Guard(ctx, cmp.Or(db.direct, config.ConnConfig)) // the pooler is told by its operator
	if o.dial != nil {
		config.ConnConfig.DialFunc = o.dial(config.ConnConfig.DialFunc)
	}
	if db.pool, err = pgxpool.NewWithConfig(context.Background(), config); err != nil {
		newest.Close()
		return err
	}
	db.handle = stdlib.OpenDBFromPool(db.pool)
	db.close = sync.OnceValue(func() error {
		defer newest.Close()
		defer db.pool.Close()
		return db.handle.Close()
	})
	return nil
}

// session makes the settings of a connection ours, where the URL says nothing of them.
func session(c *pgx.ConnConfig, program string) {
	if _, set := c.RuntimeParams["application_name"]; !set {
		c.RuntimeParams["application_name"] = cmp.Or(program, programName)
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
